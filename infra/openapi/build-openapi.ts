import type { z } from 'zod';
import type { Contract, ResponseContract } from '../../lib/contracts/contract.ts';
import { maximumBodyBytes, maximumPublicBodyBytes } from '../../lib/contracts/contract.ts';
import { errorsOf, statusOf } from '../../lib/contracts/contract-errors.ts';
import { type ErrorCode, errorStatuses } from '../../lib/contracts/error-codes.ts';
import { type DeliveredEventName, EventPayload, eventPayloadExample } from '../../lib/contracts/fields/events.ts';
import { parameterNames, pathParameters } from '../../lib/contracts/path-parameters.ts';
import { pascalCase } from '../plan/functions.ts';
import { curlSampleOf, sampleVariables } from './curl-samples.ts';
import { errorCatalogue } from './error-catalogue.ts';
import { type Components, type Json, type JsonObject, jsonSchemaOf } from './json-schema.ts';

export interface OpenApiDocument {
  openapi: string;
  info: JsonObject;
  servers: JsonObject[];
  tags: { name: string; 'x-displayName': string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: JsonObject;
  components: Record<
    'schemas' | 'responses' | 'parameters' | 'examples' | 'headers' | 'securitySchemes',
    Record<string, JsonObject>
  >;
}

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

const tags = [
  {
    name: 'auth',
    'x-displayName': 'Accounts',
    description: 'Accounts, sessions of the dashboard, and bearer tokens of the CLI and SDKs.',
  },
  {
    name: 'projects',
    'x-displayName': 'Projects',
    description: 'Projects, their environments and their encryption keys.',
  },
  {
    name: 'secrets',
    'x-displayName': 'Secrets',
    description: 'Secrets of an environment: pull, set, import, promote and delete them, and read their history.',
  },
  {
    name: 'organizations',
    'x-displayName': 'Organizations',
    description: 'The tenants that everything else belongs to.',
  },
  {
    name: 'templates',
    'x-displayName': 'Templates',
    description: 'The keys that a project requires of its environments.',
  },
  {
    name: 'webhooks',
    'x-displayName': 'Webhooks',
    description: 'Notifications about changes of secrets. They never carry a value.',
  },
  { name: 'members', 'x-displayName': 'Members', description: 'Who belongs to an organization, in which role.' },
  {
    name: 'identities',
    'x-displayName': 'Identities',
    description:
      'Pipelines and workloads that sign in with the OpenID Connect token of their platform, without a secret.',
  },
  { name: 'audit', 'x-displayName': 'Audit log', description: 'Who did what in an organization.' },
  {
    name: 'billing',
    'x-displayName': 'Billing',
    description: 'Plans and payment, through a hosted checkout and portal.',
  },
  {
    name: 'admin',
    'x-displayName': 'Administration',
    description: 'Statistics, plans and limits, for platform administrators.',
  },
];

const description = `Holdfast stores secrets by organization, project and environment. It encrypts them and returns them to those who may read them.

Every request and answer is JSON. A request body is strict: an unknown field is an \`invalid_request\`. A body holds at
most 5 MB (${maximumBodyBytes} bytes), and ${maximumPublicBodyBytes / 1024} KiB on routes that need no credential. Answers may gain members; a client must ignore those it does not know. Every answer
carries \`X-Request-Id\`. Every error has the same shape, with a code from a closed set. An unknown route or method is
\`404 route_not_found\`.

**Consistency.** Every environment has a \`revision\`. Each accepted change of its secrets raises it by one. Pulls and key
lists return it as \`ETag\`; \`If-None-Match\` saves a pull, \`If-Match\` makes a write conditional.

**Authentication.** The dashboard uses the session cookie, and sends \`X-Requested-With: service\` with every change. The
CLI and SDKs use bearer tokens, which have at most the rights of their user.

**Samples.** Each operation has a curl command that works as pasted once these shell variables are set. Registering and
logging in keep the session in \`cookies.txt\`.

| Variable | Value |
|---|---|
${sampleVariables.map(([names, source]) => `| ${names.replaceAll(/\w+/g, '`$&`')} | ${source} |`).join('\n')}

**Gateway.** The gateway refuses some requests before the service runs (bodies over 10 MB, its own throttling). Those
answers do not have the error shape: \`{"message": "…"}\`.`;

const sessionCookie = 'sessionCookie';
const bearerToken = 'bearerToken';

function securityOf({ access }: Contract): Record<string, string[]>[] {
  switch (access.kind) {
    case 'public':
      return [];
    case 'optional':
      return [{ [sessionCookie]: [] }, {}];
    case 'admin':
      return [{ [sessionCookie]: [] }, { [bearerToken]: [] }];
    default:
      return access.tokens === 'session' ? [{ [sessionCookie]: [] }] : [{ [sessionCookie]: [] }, { [bearerToken]: [] }];
  }
}

const reference = (kind: string, name: string): JsonObject => ({ $ref: `#/components/${kind}/${name}` });

function parametersOf(contract: Contract, components: Components): JsonObject[] {
  const parameters: JsonObject[] = parameterNames(contract.path).map(name => reference('parameters', name));
  const fields = (location: 'query' | 'header', schema: z.ZodObject | undefined) => {
    for (const [name, field] of Object.entries((schema?.shape ?? {}) as Record<string, z.ZodType>)) {
      const { description: text, ...json } = jsonSchemaOf(field, 'input', components);
      const omitted = field.safeParse(undefined);
      // zod leaves out the default of a schema that transforms: it is a value after the transformation.
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
    content: { 'application/json': { schema, example: response.example as Json } },
  };
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

function errorExamples(): Record<string, JsonObject> {
  // No operation returns route_not_found; it belongs to the gateway's default route.
  const answered = Object.entries(errorCatalogue).filter(([code]) => code !== 'route_not_found');
  const examples = answered.map(([code, { meaning, message, details }]): [string, JsonObject] => {
    const error = { code, message, requestId: 'EXAMPLE-request-id', ...(details === undefined ? {} : { details }) };
    return [code, { summary: meaning, value: { error } as JsonObject }];
  });
  return Object.fromEntries(examples);
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
    // Operations with the same codes share one response, named after them.
    const name = codes.map(code => pascalCase(code.replaceAll('_', '-'))).join('Or');
    errors.set(name, errorResponse(status, codes));
    responses[status] = reference('responses', name);
  }
  return responses;
}

function operationOf(contract: Contract, components: Components, errors: Components): Operation {
  const parameters = parametersOf(contract, components);
  const requestBody = requestBodyOf(contract, components);
  const { access } = contract;
  return {
    operationId: contract.operationId,
    tags: [contract.area],
    summary: contract.summary,
    description: contract.description,
    security: securityOf(contract),
    ...(access.kind === 'member' ? { 'x-roles': [...access.roles] } : {}),
    ...(access.kind === 'member' || access.kind === 'account' ? { 'x-token-access': access.tokens } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: responsesOf(contract, components, errors),
    'x-codeSamples': [{ lang: 'Shell', label: 'curl', source: curlSampleOf(contract) }],
  };
}

const triggers: Readonly<Record<DeliveredEventName, string>> = {
  'secret.created': 'A secret was created.',
  'secret.updated': 'A secret has a new version.',
  'secret.deleted': 'A secret was deleted.',
  'secret.promoted': 'Secrets were promoted to this environment. One delivery for all of them; `key` is `*`.',
  'secret.bulk_set': 'Secrets were imported in bulk. One delivery for all of them; `key` is `*`.',
  'secret.bulk_delete': 'Secrets were deleted in bulk. One delivery for all of them; `key` is `*`.',
  'webhook.ping': 'A test ping was requested. `key` is `*`, `metadata` is empty.',
};

const manyKeysExample = {
  ...eventPayloadExample,
  key: '*',
  metadata: { revision: 18, keys: ['DATABASE_HOST', 'LOG_LEVEL'] },
};
const payloadExamples: Readonly<Partial<Record<DeliveredEventName, EventPayload>>> = {
  'secret.promoted': {
    ...manyKeysExample,
    metadata: { ...manyKeysExample.metadata, from: { id: 'a2f6c8d1-4e3b-47a9-9c50-6b1d8e7f2a34', slug: 'dev' } },
  },
  'secret.bulk_set': manyKeysExample,
  'secret.bulk_delete': manyKeysExample,
  'webhook.ping': { ...manyKeysExample, metadata: {} },
};

/** One webhook for each event: a receiver subscribes to events by name. */
function webhooksOf(components: Components): JsonObject {
  const schema = jsonSchemaOf(EventPayload, 'output', components);
  const header = (name: string, text: string, example: string): JsonObject => ({
    name,
    in: 'header',
    required: true,
    description: text,
    schema: { type: 'string', examples: [example] },
  });
  return Object.fromEntries(
    (Object.entries(triggers) as [DeliveredEventName, string][]).map(([event, trigger]) => [
      event,
      {
        post: {
          operationId: `receive-${event.replaceAll(/[._]/g, '-')}`,
          tags: ['webhooks'],
          summary: event,
          description: `${trigger}

Sent once and never retried, with a timeout of 5 seconds. A receiver computes the HMAC-SHA256 of the raw body with the
webhook’s signing secret and compares it with the signature in constant time.`,
          security: [],
          parameters: [
            header(
              'X-Service-Signature',
              '`sha256=<hex>`: HMAC-SHA256 of the raw body, keyed with the webhook’s signing secret.',
              `sha256=${'0123456789abcdef'.repeat(4)}`,
            ),
            header('X-Service-Event', 'The event name.', event),
            header('X-Service-Delivery', 'The delivery’s identifier.', '0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03'),
          ],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema,
                example: { ...eventPayloadExample, ...payloadExamples[event], event } as unknown as JsonObject,
              },
            },
          },
          responses: {
            '2XX': { description: 'Logged as a success; the body is ignored.' },
            default: { description: 'Logged as a failure; redirects are not followed.' },
          },
        },
      },
    ]),
  );
}

function errorSchemas(): Record<string, JsonObject> {
  return {
    ErrorCode: { type: 'string', enum: Object.keys(errorStatuses), description: 'What went wrong, of a closed set.' },
    Problem: {
      type: 'object',
      description: 'One problem of a request. The offending value is never quoted.',
      required: ['path', 'message'],
      properties: {
        path: { type: 'string', description: 'Where; empty for the whole body.', examples: ['secrets.3.key'] },
        message: { type: 'string', description: 'What is wrong.', examples: ['must have 1 to 100 characters'] },
      },
    },
    Error: {
      type: 'object',
      description: 'The one shape of every error.',
      required: ['error'],
      properties: {
        error: {
          type: 'object',
          description: 'The error.',
          required: ['code', 'message', 'requestId'],
          properties: {
            code: reference('schemas', 'ErrorCode'),
            message: { type: 'string', description: 'A sentence for people; it may change.' },
            requestId: { type: 'string', description: 'The request’s `X-Request-Id`.' },
            details: {
              description: 'Every problem for `invalid_request`; elsewhere an object, where there is more to say.',
              oneOf: [{ type: 'array', items: reference('schemas', 'Problem') }, { type: 'object' }],
            },
          },
        },
      },
    },
  };
}

function sharedParameters(components: Components): Record<string, JsonObject> {
  const inPath = Object.entries(pathParameters).map(([name, parameter]): [string, JsonObject] => [
    name,
    {
      name,
      in: 'path',
      required: true,
      description: parameter.description,
      schema: jsonSchemaOf(parameter.schema, 'input', components),
    },
  ]);
  const csrf = (required: boolean, text: string): JsonObject => ({
    name: 'X-Requested-With',
    in: 'header',
    required,
    description: text,
    schema: { type: 'string', const: 'service' },
  });
  return {
    ...Object.fromEntries(inPath),
    csrfHeader: csrf(true, 'Protects against cross-site request forgery.'),
    csrfHeaderWithCookie: csrf(
      false,
      'Required with the session cookie, against cross-site request forgery; not needed without it.',
    ),
  };
}

/** The OpenAPI 3.1 description of the routes. The same routes give the same document, byte for byte. */
export function buildOpenApi(routes: readonly Contract[]): OpenApiDocument {
  const components: Components = new Map();
  const errors: Components = new Map();
  const paths: OpenApiDocument['paths'] = {};
  for (const contract of routes) {
    paths[contract.path] ??= {};
    (paths[contract.path] as Record<string, Operation>)[contract.method.toLowerCase()] = operationOf(
      contract,
      components,
      errors,
    );
  }
  const webhooks = webhooksOf(components);
  const parameters = sharedParameters(components);
  for (const [name, schema] of Object.entries(errorSchemas())) components.set(name, schema);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Holdfast',
      version: '1.0.0',
      summary: 'Secrets of organizations, projects and environments.',
      description,
    },
    servers: [
      {
        url: '{baseUrl}',
        description: 'Where the service is installed.',
        variables: {
          baseUrl: { default: 'http://127.0.0.1:3000', description: 'Scheme and host, without a slash at the end.' },
        },
      },
    ],
    tags,
    paths,
    webhooks,
    components: {
      schemas: sorted(components),
      responses: sorted(errors),
      examples: errorExamples(),
      parameters,
      headers: {
        requestId: {
          description: 'Identifies the request in the logs, the audit entry and the error body.',
          schema: { type: 'string' },
        },
        retryAfter: {
          description: 'Seconds to wait before the next attempt.',
          schema: { type: 'integer', minimum: 1 },
        },
      },
      securitySchemes: {
        [sessionCookie]: {
          type: 'apiKey',
          in: 'cookie',
          name: '__service_session',
          description: 'The dashboard’s session. A change also needs the header `X-Requested-With: service`.',
        },
        [bearerToken]: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'service_tok_…',
          description: 'A token of the CLI or an SDK.',
        },
      },
    },
  };
}

function sorted(components: Components): Record<string, JsonObject> {
  return Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The document as it is written to `openapi.json`. */
export function renderOpenApi(routes: readonly Contract[]): string {
  return `${JSON.stringify(buildOpenApi(routes), null, 2)}\n`;
}
