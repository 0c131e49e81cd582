import type { z } from 'zod';
import type { Contract, ResponseContract } from '#lib/contracts/contract.ts';
import { errorsOf, statusOf } from '#lib/contracts/contract-errors.ts';
import type { ErrorCode } from '#lib/contracts/error-codes.ts';
import { roles } from '#lib/contracts/fields/role.ts';
import { parameterNames } from '#lib/contracts/path-parameters.ts';
import type { RoutedContract } from '#lib/contracts/routes.ts';
import { pascalCase } from '../plan/functions.ts';
import { curlSampleOf } from './curl-samples.ts';
import { errorCatalogue } from './error-catalogue.ts';
import { exampleOf } from './example.ts';
import { type Components, type Json, type JsonObject, jsonSchemaOf, reference } from './json-schema.ts';
import { bearerToken, sessionCookie } from './shared-components.ts';

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters?: JsonObject[];
  requestBody?: JsonObject;
  responses: Record<string, JsonObject>;
  [extension: `x-${string}`]: Json;
}

function securityOf({ access }: Contract): Record<string, string[]>[] {
  switch (access.kind) {
    case 'public':
      return [];
    case 'optional':
      return [{ [sessionCookie]: [] }, {}];
    default:
      return access.tokens === 'session' ? [{ [sessionCookie]: [] }] : [{ [sessionCookie]: [] }, { [bearerToken]: [] }];
  }
}

/** Which members may call it, unless all may. */
function callersOf({ access }: Contract): string[] {
  if (access.kind !== 'member' || access.roles.length === roles.length) return [];
  const names = access.roles.map((role, index) => `${index === 0 ? 'Owner' : role}s`);
  return [`${new Intl.ListFormat('en-GB').format(names)} only.`];
}

function parametersOf(contract: Contract, components: Components): JsonObject[] {
  const parameters: JsonObject[] = parameterNames(contract.path).map(name => reference('parameters', name));
  const fields = (location: 'query' | 'header', schema: z.ZodObject | undefined) => {
    for (const [name, field] of Object.entries((schema?.shape ?? {}) as Record<string, z.ZodType>)) {
      const { description: text, ...json } = jsonSchemaOf(field, 'input', components);
      const omitted = field.safeParse(undefined);
      // zod omits the default of a schema with a transform, because it is a value after the transformation.
      if (omitted.success && omitted.data !== undefined) json.default = omitted.data as Json;
      parameters.push({
        name: location === 'header' ? headerCase(name) : name,
        in: location,
        required: !omitted.success,
        description: text,
        schema: json,
      });
    }
  };
  fields('query', contract.query);
  fields('header', contract.headers);
  for (const name of contract.cookies ?? []) {
    parameters.push({
      name,
      in: 'cookie',
      required: false,
      description: 'Set by the service; browsers send it automatically.',
      schema: { type: 'string' },
    });
  }
  if (contract.method !== 'GET' && contract.access.kind !== 'public') {
    const cookieOnly = securityOf(contract).every(way => sessionCookie in way);
    parameters.push(reference('parameters', cookieOnly ? 'csrfHeader' : 'csrfHeaderWithCookie'));
  }
  return parameters;
}

/** `if-none-match` → `If-None-Match`. */
function headerCase(name: string): string {
  return name.replace(/(?:^|-)[a-z]/g, start => start.toUpperCase());
}

function requestBodyOf(contract: Contract, components: Components): JsonObject | undefined {
  if (contract.rawBody) {
    return {
      required: true,
      description: 'The event, as the payment provider signed it.',
      content: { 'application/json': { schema: { type: 'object' } } },
    };
  }
  if (contract.body === undefined) return undefined;
  const name = `${pascalCase(contract.operationId)}Request`;
  components.set(name, jsonSchemaOf(contract.body, 'input', components));
  return {
    required: true,
    content: {
      'application/json': { schema: reference('schemas', name), example: contract.bodyExample as Json },
    },
  };
}

function successResponse(response: ResponseContract, schemaName: string, components: Components): JsonObject {
  const headers: JsonObject = { 'X-Request-Id': reference('headers', 'requestId') };
  for (const [name, text] of Object.entries(response.headers ?? {})) {
    headers[name] = { description: text, schema: { type: 'string' } };
  }
  if (response.body === null) return { description: response.description, headers };
  let schema = jsonSchemaOf(response.body, 'output', components);
  if (schema.$ref === undefined) {
    components.set(schemaName, schema);
    schema = reference('schemas', schemaName);
  }
  return {
    description: response.description,
    headers,
    content: contentOf(response, { schema, example: exampleOf(response.body, response.example) }),
  };
}

/** The body as JSON, beside its other representations. Of these, only JSON has a structure: one flat object. */
function contentOf({ texts = [] }: ResponseContract, json: { schema: JsonObject; example: Json }): JsonObject {
  const values = { type: 'object', additionalProperties: { type: 'string' } };
  const others = texts
    .filter(type => type !== 'application/json')
    .map(type => [type, { schema: { type: 'string' } }] as const);
  const asJson = texts.includes('application/json') ? { ...json, schema: { anyOf: [json.schema, values] } } : json;
  return { 'application/json': asJson, ...Object.fromEntries(others) };
}

function errorResponse(status: number, codes: readonly ErrorCode[]): JsonObject {
  const headers: JsonObject = { 'X-Request-Id': reference('headers', 'requestId') };
  if (status === 429 || status === 503) headers['Retry-After'] = reference('headers', 'retryAfter');
  return {
    description: codes.map(code => `\`${code}\`: ${errorCatalogue[code].meaning}`).join('\n\n'),
    headers,
    content: {
      'application/json': {
        schema: {
          allOf: [
            reference('schemas', 'Error'),
            { type: 'object', properties: { error: { type: 'object', properties: { code: { enum: [...codes] } } } } },
          ],
        },
        examples: Object.fromEntries(codes.map(code => [code, reference('examples', code)])),
      },
    },
  };
}

function responsesOf(contract: Contract, components: Components, errors: Components): Record<string, JsonObject> {
  const responses: Record<string, JsonObject> = {};
  const declared = Object.entries(contract.responses);
  const bodies = new Set(declared.flatMap(([, { body }]) => body ?? []));
  for (const [status, response] of declared) {
    const name = `${pascalCase(contract.operationId)}Response${bodies.size > 1 ? status : ''}`;
    responses[status] = successResponse(response, name, components);
  }
  const byStatus = Map.groupBy(errorsOf(contract), code => statusOf(code, contract));
  for (const [status, codes] of byStatus) {
    // Operations with the same codes share one response, named after the codes.
    const name = codes.map(code => pascalCase(code.replaceAll('_', '-'))).join('Or');
    errors.set(name, errorResponse(status, codes));
    responses[status] = reference('responses', name);
  }
  return responses;
}

/** One operation. Adds its schemas and error responses to the shared components. */
export function operationOf(contract: RoutedContract, components: Components, errors: Components): Operation {
  const parameters = parametersOf(contract, components);
  const requestBody = requestBodyOf(contract, components);
  const { access } = contract;
  return {
    operationId: contract.operationId,
    tags: [contract.area],
    summary: contract.summary,
    description: [contract.description, ...callersOf(contract)].join(' '),
    security: securityOf(contract),
    ...(access.kind === 'member' ? { 'x-roles': [...access.roles, ...(access.deployers ? ['deployer'] : [])] } : {}),
    ...('tokens' in access ? { 'x-token-access': access.tokens } : {}),
    ...('names' in access ? { 'x-names-only': access.names } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: responsesOf(contract, components, errors),
    'x-codeSamples': [{ lang: 'Shell', label: 'curl', source: curlSampleOf(contract) }],
  };
}
