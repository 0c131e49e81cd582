import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

// biome-ignore lint/suspicious/noExplicitAny: the published description, read as a client reads it
type Json = any;

const file = join(import.meta.dirname, '../../openapi.json');
export const description: Json = JSON.parse(readFileSync(file, 'utf8'));

export interface Operation {
  operationId: string;
  method: string;
  /** With `{parameter}` segments. */
  path: string;
  responses: Json;
  /** Schema of the JSON body; undefined if there is none. */
  bodySchema: Json;
}

export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(description.paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => typeof operation.operationId === 'string')
      .map(([method, operation]) => [
        operation.operationId as string,
        {
          operationId: operation.operationId,
          method: method.toUpperCase(),
          path,
          responses: operation.responses,
          bodySchema: operation.requestBody?.content?.['application/json']?.schema,
        },
      ]),
  ),
);

export function resolve(node: Json): Json {
  if (typeof node?.$ref !== 'string') return node;
  const names: string[] = node.$ref.slice(2).split('/');
  const unescaped = names.map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return resolve(unescaped.reduce((inner: Json, name) => inner?.[name], description));
}

const ajv = new Ajv2020({
  strict: false,
  allErrors: false,
  formats: {
    uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    uri: (text: string) => URL.canParse(text),
    email: /^[^@\s]+@[^@\s]+$/,
  },
});
ajv.addSchema({ $id: 'https://openapi.invalid/', components: description.components });
const validators = new Map<string, ValidateFunction>();

function validatorOf(schema: Json): ValidateFunction {
  // References are relative to the description's root.
  const rooted = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components/', '"https://openapi.invalid/#/components/'),
  );
  const name = JSON.stringify(rooted);
  const validator = validators.get(name) ?? ajv.compile(rooted);
  validators.set(name, validator);
  return validator;
}

/** How a body violates the schema, if it does. */
export function schemaProblem(schema: Json, body: unknown): string | undefined {
  const validate = validatorOf(schema);
  return validate(body) ? undefined : ajv.errorsText(validate.errors);
}

/** The part of a response that the description does not allow, if any. */
export function undeclared(operation: Operation, status: number, body: unknown): string | undefined {
  const response = resolve(operation.responses[String(status)]);
  if (response === undefined) return `the status ${status} is not declared`;
  const schema = response.content?.['application/json']?.schema;
  if (schema === undefined) return body === undefined ? undefined : `a body with ${status} is not declared`;
  return schemaProblem(schema, body);
}

export const errorSchema: Json = { $ref: '#/components/schemas/Error' };
