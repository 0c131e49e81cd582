import { errorStatuses } from '#lib/contracts/error-codes.ts';
import { type PathParameterName, pathParameters } from '#lib/contracts/path-parameters.ts';
import { errorCatalogue } from './error-catalogue.ts';
import { type Components, type JsonObject, jsonSchemaOf, reference } from './json-schema.ts';

export const sessionCookie = 'sessionCookie';
export const bearerToken = 'bearerToken';

export const securitySchemes: Record<string, JsonObject> = {
  [sessionCookie]: {
    type: 'apiKey',
    in: 'cookie',
    name: '__service_session',
    description: 'The dashboard’s session cookie. Changes also require the header `X-Requested-With: service`.',
  },
  [bearerToken]: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'service_tok_…',
    description: 'A token for the CLI or an SDK.',
  },
};

export const sharedHeaders: Record<string, JsonObject> = {
  requestId: {
    description: 'Identifies the request in the logs, the audit entry and the error body.',
    schema: { type: 'string' },
  },
  retryAfter: {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
  },
};

export function errorExamples(): Record<string, JsonObject> {
  // No operation returns route_not_found; it belongs to the gateway's default route.
  const answered = Object.entries(errorCatalogue).filter(([code]) => code !== 'route_not_found');
  const examples = answered.map(([code, { meaning, message, details }]): [string, JsonObject] => {
    const error = { code, message, requestId: 'EXAMPLE-request-id', ...(details === undefined ? {} : { details }) };
    return [code, { summary: meaning, value: { error } as JsonObject }];
  });
  return Object.fromEntries(examples);
}

export function errorSchemas(): Record<string, JsonObject> {
  return {
    ErrorCode: {
      type: 'string',
      enum: Object.keys(errorStatuses),
      description: 'What went wrong, from a closed set of codes.',
    },
    Problem: {
      type: 'object',
      description: 'One problem in a request. Never quotes the offending value.',
      required: ['path', 'message'],
      properties: {
        path: {
          type: 'string',
          description: 'The location of the problem; empty for the whole body.',
          examples: ['secrets.3.key'],
        },
        message: { type: 'string', description: 'What is wrong.', examples: ['must have 1 to 100 characters'] },
      },
    },
    Error: {
      type: 'object',
      description: 'The shape of every error.',
      required: ['error'],
      properties: {
        error: {
          type: 'object',
          description: 'The error.',
          required: ['code', 'message', 'requestId'],
          properties: {
            code: reference('schemas', 'ErrorCode'),
            message: { type: 'string', description: 'A message for people; it may change.' },
            requestId: { type: 'string', description: 'The request’s `X-Request-Id`.' },
            details: {
              description: 'All problems for `invalid_request`; for other codes an optional object.',
              oneOf: [{ type: 'array', items: reference('schemas', 'Problem') }, { type: 'object' }],
            },
          },
        },
      },
    },
  };
}

/** Apart from `path-parameters.ts`, which is in every bundle. */
const pathDescriptions: Readonly<Record<PathParameterName, string>> = {
  orgId: 'Organization identifier.',
  orgSlug: 'Organization slug.',
  project: 'Project slug.',
  slug: 'Project slug.',
  env: 'Environment slug.',
  key: 'Secret key or template key.',
  tokenId: 'CLI token identifier.',
  sessionId: 'Session identifier.',
  passkeyId: 'Passkey identifier.',
  linkId: 'Link identifier.',
  webhookId: 'Webhook identifier.',
  deliveryId: 'Delivery identifier.',
  proposalId: 'Proposal identifier.',
  identityId: 'Identity identifier.',
  id: 'Identifier of a member, an invitation, a request for a grant or something deleted.',
  grantId: 'Grant identifier.',
  token: 'Invitation token.',
  planName: 'Plan name.',
};

export function sharedParameters(components: Components): Record<string, JsonObject> {
  const inPath = Object.entries(pathParameters).map(([name, parameter]): [string, JsonObject] => [
    name,
    {
      name,
      in: 'path',
      required: true,
      description: pathDescriptions[name as PathParameterName],
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
