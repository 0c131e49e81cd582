import { describe, expect, it } from 'vitest';
import { accessLogFormat } from '#infra/plan/http-api.ts';
import { routes } from '#lib/contracts/routes.ts';
import { readAccessLogLine, routeName } from '#lib/metrics/access-log-record.ts';

function line(values: Record<string, string>): string {
  const record = Object.keys(accessLogFormat).map(field => [field, values[field] ?? '-']);
  return JSON.stringify(Object.fromEntries(record));
}

describe('routeName', () => {
  it('names every route of the API by its method and path template', () => {
    const names = routes.map(({ method, path }) => routeName(`${method} ${path}`));

    expect(names).toContain('GET /v1/secrets/:orgSlug/:project/:env');
    expect(new Set(names).size).toBe(routes.length);
    expect(names).not.toContain('unknown');
  });

  it.each(['$default', '-', '', 'ANY /v1/{proxy+}', 'GET /favicon.ico', 'GET /v1/<script>'])(
    'reports %j as unknown, like everything that is not a route',
    routeKey => {
      expect(routeName(routeKey)).toBe('unknown');
    },
  );
});

describe('readAccessLogLine', () => {
  it('parses the gateway’s text values', () => {
    const request = { requestTimeEpoch: '1769851613589', routeKey: 'GET /v1/audit/{orgId}', status: '403' };
    const read = readAccessLogLine(line({ ...request, responseLatency: '17' }));
    const receivedAtMs = 1_769_851_613_589;
    expect(read).toEqual({ receivedAtMs, route: 'GET /v1/audit/:orgId', status: 403, latencyMs: 17 });
  });

  it('counts a request without a latency, but not in the latencies', () => {
    const read = readAccessLogLine(line({ requestTimeEpoch: '1769851613589', routeKey: '$default', status: '404' }));

    expect(read).toMatchObject({ status: 404, latencyMs: undefined });
  });

  it.each(['', 'START RequestId: 1', '{}', 'null', '{"requestTimeEpoch":"x"}'])('skips the line %j', text => {
    expect(readAccessLogLine(text)).toBeUndefined();
  });
});
