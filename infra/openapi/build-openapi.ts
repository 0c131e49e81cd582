import type { RoutedContract } from '#lib/contracts/routes.ts';
import { description, tags } from './introduction.ts';
import type { Components, JsonObject } from './json-schema.ts';
import { type Operation, operationOf } from './operation.ts';
import { errorExamples, errorSchemas, securitySchemes, sharedHeaders, sharedParameters } from './shared-components.ts';
import { webhooksOf } from './webhooks.ts';

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

/** The OpenAPI 3.1 description of the routes. Deterministic: the same routes give the same bytes. */
export function buildOpenApi(routes: readonly RoutedContract[]): OpenApiDocument {
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
        description: 'Your installation of the service.',
        variables: {
          baseUrl: { default: 'http://127.0.0.1:3000', description: 'Scheme and host, without a trailing slash.' },
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
      headers: sharedHeaders,
      securitySchemes,
    },
  };
}

function sorted(components: Components): Record<string, JsonObject> {
  return Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The document as written to `openapi.json`. */
export function renderOpenApi(routes: readonly RoutedContract[]): string {
  return `${JSON.stringify(buildOpenApi(routes), null, 2)}\n`;
}
