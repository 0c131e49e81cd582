/**
 * The routes beside the API: its description and the reference page. No contracts, since they answer documents rather
 * than bodies of the API; data only, read by the CDK and the local gateway.
 */
export const documentationRoutes = [
  { operationId: 'get-openapi', area: 'system', method: 'GET', path: '/v1/openapi.json' },
  { operationId: 'get-docs', area: 'system', method: 'GET', path: '/v1/docs' },
  { operationId: 'get-docs-script', area: 'system', method: 'GET', path: '/v1/docs/redoc.js' },
] as const;
