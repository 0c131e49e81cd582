import * as z from 'zod';

const dash = '-';

/** API Gateway writes every value as text, and `-` for missing ones. */
const number = z.coerce.number().nonnegative();
const optionalNumber = z
  .union([z.literal(dash), z.literal(''), number])
  .optional()
  .transform(value => (typeof value === 'number' ? value : undefined));

/** The fields of the gateway's access log (`infra/plan/http-api.ts`) that the metrics are built from. */
const AccessLogRecord = z.object({
  requestTimeEpoch: number,
  routeKey: z.string(),
  status: optionalNumber,
  responseLatency: optionalNumber,
});

/** One request as the gateway saw it. */
export interface SeenRequest {
  /** Epoch milliseconds. */
  receivedAtMs: number;
  route: string;
  status: number;
  latencyMs: number | undefined;
}

/** The route name for requests that match no route, because clients can invent any number of paths. */
export const unknownRoute = 'unknown';

/** `GET /v1/orgs/{orgId}` → `GET /v1/orgs/:orgId`. Requests that match no route share one name. */
export function routeName(routeKey: string): string {
  if (!/^[A-Z]+ \/v1(?:\/[A-Za-z0-9-]+|\/\{[A-Za-z]+\})+$/.test(routeKey) || routeKey.startsWith('ANY ')) {
    return unknownRoute;
  }
  return routeKey.replace(/\{(\w+)\}/g, ':$1');
}

/** Parses a line of the access log; undefined if it has another format. Pure. */
export function readAccessLogLine(line: string): SeenRequest | undefined {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return undefined;
  }
  const parsed = AccessLogRecord.safeParse(json);
  if (!parsed.success) return undefined;
  const { requestTimeEpoch, routeKey, status, responseLatency } = parsed.data;
  return {
    receivedAtMs: requestTimeEpoch,
    route: routeName(routeKey),
    // There is no status if the client disconnected first.
    status: status ?? 0,
    latencyMs: responseLatency,
  };
}
