/** Routes without contracts, because they return documents rather than API responses. */
export const documentationRoutes = [
  { operationId: 'get-openapi', area: 'system', method: 'GET', path: '/v1/openapi.json' },
  { operationId: 'get-docs', area: 'system', method: 'GET', path: '/v1/docs' },
  { operationId: 'get-docs-script', area: 'system', method: 'GET', path: '/v1/docs/redoc.js' },
] as const;
