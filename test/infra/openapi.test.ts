import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { buildOpenApi, renderOpenApi } from '#infra/openapi/build-openapi.ts';
import { jsonSchemaOf } from '#infra/openapi/json-schema.ts';
import type { Operation } from '#infra/openapi/operation.ts';
import { maximumBodyBytes } from '#lib/contracts/contract.ts';
import { errorsOf, statusOf } from '#lib/contracts/contract-errors.ts';
import { EventPayload, eventNames } from '#lib/contracts/fields/events.ts';
import { parameterNames } from '#lib/contracts/path-parameters.ts';
import { routes } from '#lib/contracts/routes.ts';

const document = buildOpenApi(routes);

function operation(operationId: string): Operation {
  const operations = Object.values(document.paths).flatMap(item => Object.values(item));
  const operation = operations.find(candidate => candidate.operationId === operationId);
  if (operation === undefined) throw new Error(`There is no operation ${operationId}.`);
  return operation;
}

function resolve(reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[part], document);
}

function resolved<T>(node: T): T {
  const reference = (node as { $ref?: string }).$ref;
  return reference === undefined ? node : (resolve(reference) as T);
}

/** Calls back with every object of a JSON tree and its JSON pointer. Examples are data, so it can leave them out. */
function walk(
  node: unknown,
  visit: (node: Record<string, unknown>, pointer: string) => void,
  { leavesOut = [], at = '#' }: { leavesOut?: readonly string[]; at?: string } = {},
): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) visit(node as Record<string, unknown>, at);
  for (const [name, value] of Object.entries(node)) {
    if (leavesOut.includes(name)) continue;
    walk(value, visit, { leavesOut, at: `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` });
  }
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: { default?: unknown; type?: string };
}

const parametersOf = (operationId: string): Parameter[] =>
  (operation(operationId).parameters ?? []).map(parameter => resolved(parameter) as unknown as Parameter);

test('openapi.json matches the contracts; if not, `npm run generate -- openapi` writes it', () => {
  const written = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8');
  // Compared as a boolean, because a diff of ten thousand lines is no help.
  expect(written === renderOpenApi(routes)).toBe(true);
});

test('the same routes give the same document, byte for byte', () => {
  const [first, second] = [renderOpenApi(routes), renderOpenApi(routes)];
  expect(first === second).toBe(true);
});

describe('the document', () => {
  test('is OpenAPI 3.1 of Holdfast with a server variable', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    expect(document.info).toMatchObject({ title: 'Holdfast' });
    expect(document.servers).toEqual([expect.objectContaining({ url: '{baseUrl}' })]);
  });

  test('has every route once and nothing else', () => {
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    );
    const expected = routes.map(({ operationId, method, path }) => `${operationId} ${method} ${path}`);
    expect(described.sort()).toEqual(expected.sort());
  });

  test('has no broken reference and no unused component', () => {
    const used = new Set<string>();
    walk(document, (node, path) => {
      if (typeof node.$ref !== 'string') return;
      used.add(node.$ref);
      expect(resolve(node.$ref), `${path} refers to ${node.$ref}`).toBeDefined();
    });
    const declared = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes' && kind !== 'examples')
      .flatMap(([kind, members]) => Object.keys(members).map(name => `#/components/${kind}/${name}`));
    expect(declared.filter(name => !used.has(name))).toEqual([]);
  });

  test('names its components as OpenAPI allows', () => {
    for (const members of Object.values(document.components)) {
      for (const name of Object.keys(members)) expect(name).toMatch(/^[A-Za-z0-9._-]+$/);
    }
  });

  test('contains none of the schemas’ internal metadata', () => {
    walk(document, (node, path) => {
      for (const name of ['documentedAs', '$defs', '$schema', '~standard']) expect(node, path).not.toHaveProperty(name);
    });
  });

  test('names every operation once, webhooks included', () => {
    const ids: unknown[] = [];
    walk([document.paths, document.webhooks], node => {
      if ('operationId' in node) ids.push(node.operationId);
    });
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has a described tag for every area', () => {
    const areas = new Set(routes.map(({ area }) => area));
    expect(new Set(document.tags.map(({ name }) => name))).toEqual(areas);
    for (const { description } of document.tags) expect(description).not.toBe('');
  });

  test('describes every event that a webhook can get, with an example that fits the payload', () => {
    const names = [...eventNames, 'webhook.ping'];
    expect(Object.keys(document.webhooks)).toEqual(names);
    const webhooks = Object.values(document.webhooks) as unknown as { post: Operation }[];
    expect(webhooks.map(({ post }) => post.summary)).toEqual(names);
    const examples: unknown[] = [];
    walk(document.webhooks, node => {
      if ('example' in node) examples.push(node.example);
    });
    expect(examples).toHaveLength(names.length);
    for (const example of examples) expect(EventPayload.parse(example)).toEqual(example);
  });

  test('states the maximum body size as in the code', () => {
    expect(document.info.description).toContain(`(${maximumBodyBytes} bytes)`);
    expect(document.components.examples.payload_too_large).toMatchObject({
      value: { error: { details: { maximumBytes: maximumBodyBytes } } },
    });
  });

  test('shows no example that its schema rejects', () => {
    const formats = {
      uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
      'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
      uri: (text: string) => URL.canParse(text),
      email: /^[^@\s]+@[^@\s]+$/,
    };
    const ajv = new Ajv2020({ strict: false, formats });
    ajv.addSchema({ ...document, $id: 'openapi' });
    const refused: string[] = [];
    let count = 0;
    const check = (schemaAt: string, example: unknown) => {
      const validate = ajv.compile({ $ref: `openapi${schemaAt}` });
      count += 1;
      if (!validate(example)) refused.push(`${schemaAt}: ${ajv.errorsText(validate.errors)}`);
    };
    const pointer = (path: string) => path.replaceAll('%', '%25').replaceAll('{', '%7B').replaceAll('}', '%7D');
    const checkExamples = (node: Record<string, unknown>, path: string) => {
      if (node.schema !== undefined && 'example' in node) check(`${pointer(path)}/schema`, node.example);
      if (node.schema !== undefined && node.examples !== undefined && !Array.isArray(node.examples)) {
        for (const reference of Object.values(node.examples as object)) {
          check(`${pointer(path)}/schema`, (resolved(reference) as { value: unknown }).value);
        }
      }
      if (Array.isArray(node.examples)) for (const example of node.examples) check(pointer(path), example);
    };
    walk(document, checkExamples, { leavesOut: ['example', 'default', 'const'] });
    expect(refused).toEqual([]);
    expect(count).toBeGreaterThan(300);
  });

  test('describes both ways to authenticate', () => {
    expect(document.components.securitySchemes).toMatchObject({
      sessionCookie: { type: 'apiKey', in: 'cookie', name: '__service_session' },
      bearerToken: { type: 'http', scheme: 'bearer' },
    });
  });
});

describe.each(routes.map(contract => [contract.operationId, contract] as const))('%s', (operationId, contract) => {
  test('declares and describes each parameter of its path and each other one', () => {
    const parameters = parametersOf(operationId);
    const inPath = parameters.filter(parameter => parameter.in === 'path');
    expect(inPath.map(({ name }) => name)).toEqual(parameterNames(contract.path));
    for (const parameter of inPath) expect(parameter.required).toBe(true);
    const described = { description: expect.stringMatching(/\S/), schema: expect.anything() };
    for (const parameter of parameters) expect(parameter).toMatchObject(described);
  });

  test('documents every status that it can return, each error with its codes and an example of each', () => {
    const { responses } = operation(operationId);
    const byStatus = Map.groupBy(errorsOf(contract), code => statusOf(code, contract));
    expect(Object.keys(responses).map(Number)).toEqual(
      [...Object.keys(contract.responses).map(Number), ...byStatus.keys()].sort((a, b) => a - b),
    );
    for (const [status, codes] of byStatus) {
      const response = resolved(responses[status]) as { content: { 'application/json': Record<string, unknown> } };
      const content = response.content['application/json'];
      const ofCode = { properties: { error: { properties: { code: { enum: codes } } } } };
      expect(content.schema).toMatchObject({ allOf: [{ $ref: '#/components/schemas/Error' }, ofCode] });
      expect(Object.keys(content.examples as object)).toEqual(codes);
    }
  });

  test('has a curl command that refers to it', () => {
    const [sample] = operation(operationId)['x-codeSamples'] as { lang: string; source: string }[];
    expect(sample?.source).toMatch(/^curl -sS "\$HOLDFAST_URL\/v1\//);
    expect(sample?.source).not.toMatch(/[{]\w+[}]/);
  });

  test('documents the request id in every response, and Retry-After where it applies', () => {
    for (const [status, declared] of Object.entries(operation(operationId).responses)) {
      const { headers } = resolved(declared) as { headers: object };
      expect(headers).toHaveProperty('X-Request-Id');
      if (status === '429' || status === '503') expect(headers).toHaveProperty('Retry-After');
    }
  });

  test('has a body exactly in the requests and responses that have one', () => {
    const { requestBody, responses } = operation(operationId);
    expect(requestBody !== undefined).toBe(contract.body !== undefined || contract.rawBody === true);
    for (const [status, response] of Object.entries(contract.responses)) {
      expect(responses[status]?.content !== undefined).toBe(response.body !== null);
    }
  });

  test('requires the CSRF header only where a session can change something', () => {
    const header = parametersOf(operationId).find(({ name }) => name === 'X-Requested-With');
    const cookie = operation(operationId).security.filter(way => 'sessionCookie' in way).length > 0;
    expect(header !== undefined).toBe(cookie && contract.method !== 'GET');
  });
});

describe('security', () => {
  test.each([
    ['register', []],
    ['receive-provider-event', []],
    ['hand-off-token', [{ sessionCookie: [] }, {}]],
    ['create-token', [{ sessionCookie: [] }]],
    ['pull-secrets', [{ sessionCookie: [] }, { bearerToken: [] }]],
    ['get-statistics', [{ sessionCookie: [] }, { bearerToken: [] }]],
  ])('of %s is %j', (operationId, security) => {
    expect(operation(operationId).security).toEqual(security);
  });

  test('always require the CSRF header if only a session is accepted', () => {
    const required = (id: string) => parametersOf(id).find(({ name }) => name === 'X-Requested-With')?.required;
    expect(required('create-token')).toBe(true);
    expect(required('set-secret')).toBe(false);
  });
});

describe('schemas', () => {
  test('show query parameters with their meaning and their defaults', () => {
    const byName = Object.fromEntries(parametersOf('list-versions').map(({ name, schema }) => [name, schema]));
    expect(byName).toMatchObject({
      values: { type: 'boolean', default: false },
      limit: { type: 'integer', minimum: 1, maximum: 500 },
      offset: { type: 'integer', minimum: 0, default: 0 },
    });
  });

  test('show conditional headers by their usual names', () => {
    expect(parametersOf('pull-secrets').map(({ name }) => name)).toContain('If-None-Match');
    expect(parametersOf('set-secret').map(({ name }) => name)).toContain('If-Match');
    const { responses } = operation('pull-secrets');
    expect(responses['200']?.headers).toHaveProperty('ETag');
    expect(responses['304']?.headers).toHaveProperty('ETag');
  });

  test('of an import are its three forms, of which a body matches exactly one', () => {
    const { oneOf } = document.components.schemas.ImportSecretsRequest as { oneOf: { required: string[] }[] };
    expect(oneOf.map(({ required }) => required)).toEqual([['secrets'], ['secrets'], ['dotenv']]);
  });

  test('are strict for requests and open for responses', () => {
    const { schemas } = document.components;
    const strict = { additionalProperties: false };
    expect(schemas.SetSecretRequest).toMatchObject({ oneOf: [strict, strict] });
    expect(schemas.CreateProjectRequest).toMatchObject(strict);
    expect(schemas.SetSecretResponse201).not.toHaveProperty('additionalProperties');
    expect(schemas.Project).not.toHaveProperty('additionalProperties');
  });

  test('with the same id must be identical', () => {
    const components = new Map();
    const convert = (a: z.ZodType) => jsonSchemaOf(z.object({ a }), 'input', components);
    const id = 'OpenApiTestTwin';
    convert(z.string().meta({ id }));
    expect(() => convert(z.number().meta({ id }))).toThrow(`Two different schemas have the id ${id}.`);
  });

  test('show only examples that they allow', () => {
    walk(document.components.schemas, (node, path) => {
      if (!Array.isArray(node.examples) || !Array.isArray(node.enum)) return;
      for (const example of node.examples) expect(node.enum, path).toContain(example);
    });
  });
});
