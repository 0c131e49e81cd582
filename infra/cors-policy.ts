/** What API Gateway allows the dashboard's origin, beside credentials. The local gateway answers the same. */
export const corsPolicy = {
  allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowHeaders: ['content-type', 'authorization', 'if-match', 'if-none-match', 'x-requested-with'],
  exposeHeaders: ['etag', 'x-request-id', 'retry-after'],
  maxAgeSeconds: 600,
} as const;
