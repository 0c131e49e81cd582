/**
 * The access log of the HTTP API, one JSON object a request: field → `$context` variable. The CDK configures the stage
 * with it, the local gateway writes the same. No path, query or header is logged: they hold link tokens and key names.
 * API Gateway substitutes text, so every value is a string, and `-` where it has none.
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
} as const;
