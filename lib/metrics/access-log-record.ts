import * as z from 'zod';

/** API Gateway writes every value as text, and `-` for missing ones. */
const number = z.coerce.number().nonnegative();
const optionalNumber = z
  .union([z.literal('-'), z.literal(''), number])
  .optional()
  .transform(value => (typeof value === 'number' ? value : undefined));

/** A request in the gateway's access log (`infra/plan/http-api.ts`). */
const LoggedRequest = z
  .object({
    requestTimeEpoch: number,
    routeKey: z.string(),
    status: optionalNumber,
    responseLatency: optionalNumber,
  })
  .transform(({ requestTimeEpoch, routeKey, status, responseLatency }) => ({
    receivedAtMs: requestTimeEpoch,
    route: routeName(routeKey),
    // There is no status if the client disconnected first.
    status: status ?? 0,
    latencyMs: responseLatency,
  }));
export type LoggedRequest = z.infer<typeof LoggedRequest>;

/** The route name for requests that match no route, because clients can invent any number of paths. */
export const unknownRoute = 'unknown';

/** `GET /v1/orgs/{orgId}` → `GET /v1/orgs/:orgId`. */
export function routeName(routeKey: string): string {
  const isRoute = /^(?!ANY )[A-Z]+ \/v1(?:\/[A-Za-z0-9-]+|\/\{[A-Za-z]+\})+$/.test(routeKey);
  return isRoute ? routeKey.replace(/\{(\w+)\}/g, ':$1') : unknownRoute;
}

/** Parses a line of the access log; undefined if it has another format. Pure. */
export function readAccessLogLine(line: string): LoggedRequest | undefined {
  try {
    return LoggedRequest.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
