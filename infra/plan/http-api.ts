/**
 * The CORS permissions of the dashboard's origin, in addition to credentials. The local gateway sends the same headers.
 */
export const corsPolicy = {
  allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowHeaders: ['content-type', 'authorization', 'if-match', 'if-none-match', 'x-requested-with'],
  exposeHeaders: ['etag', 'x-request-id', 'retry-after'],
  maxAgeSeconds: 600,
} as const;

/**
 * The access log of the HTTP API, one JSON object per request: field → `$context` variable. The CDK configures the
 * stage with it, and the local gateway writes the same format. It contains no path, query or header, because those
 * contain link tokens and key names. API Gateway substitutes text, so every value is a string, and `-` if there is
 * none.
 */
export const accessLogFormat = {
  requestId: '$context.requestId',
  requestTimeEpoch: '$context.requestTimeEpoch',
  httpMethod: '$context.httpMethod',
  routeKey: '$context.routeKey',
  status: '$context.status',
  responseLatency: '$context.responseLatency',
  responseLength: '$context.responseLength',
  sourceIp: '$context.identity.sourceIp',
  integrationError: '$context.integrationErrorMessage',
  /** Why the gateway rejected a request before any function saw it: throttling, or a body over 10 MB. */
  gatewayError: '$context.error.message',
} as const;
