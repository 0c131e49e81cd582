import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { handler as rollUp } from '#functions/workers/roll-up-metrics.ts';
import { accessLogFormat } from '#infra/plan/http-api.ts';
import { readSummary } from '#lib/metrics/summarize.ts';
import { keys } from '#lib/table/keys.ts';
import { at, find } from '#lib/table/read.ts';
import { countedBatchRecord, routeHourRecord } from '#lib/table/records/platform.ts';
import { codeOf, startApi } from '#test/support/api.ts';
import { atOnce } from '#test/support/at-once.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { recordCalls, roundTripsOf } from '#test/support/record-calls.ts';

const api = shared(startApi);
const admin = shared(() => seedPerson({ name: 'Admin', isAdmin: true }));

interface Request {
  route: string;
  status?: number;
  latencyMs?: number | '-';
  atMs: number;
}

function batchOf(requests: readonly Request[], extraLines: readonly string[] = []) {
  const lines = requests.map(({ route, status = 200, latencyMs = 10, atMs }) => {
    const values: Record<string, string | number> = {
      requestTimeEpoch: atMs,
      routeKey: route,
      status,
      responseLatency: latencyMs,
    };
    const fields = Object.keys(accessLogFormat).map(name => [name, String(values[name] ?? '-')]);
    return JSON.stringify(Object.fromEntries(fields));
  });
  const logEvents = [...lines, ...extraLines].map(message => ({ id: randomUUID(), timestamp: 0, message }));
  return messageOf({ messageType: 'DATA_MESSAGE', logEvents });
}

const messageOf = (message: Record<string, unknown>) => ({
  awslogs: { data: gzipSync(JSON.stringify(message)).toString('base64') },
});

/** Hours that no other test uses, far in the future: DynamoDB Local deletes expired items within seconds. */
const quiet = Date.parse('2031-03-10T12:30:00.000Z');

describe('the roll-up of the access log', () => {
  it('counts by route and hour, with errors and percentiles', async () => {
    const route = 'GET /v1/audit/{orgId}';
    const latencies = Array.from({ length: 100 }, (_, index) => index + 1);
    await rollUp(
      batchOf([
        ...latencies.map(latencyMs => ({ route, latencyMs, atMs: quiet })),
        { route, status: 404, atMs: quiet },
        { route, status: 503, latencyMs: 30_000, atMs: quiet },
        { route: '$default', status: 404, atMs: quiet - 3_600_000 },
        { route: 'GET /wp-admin', status: 404, latencyMs: '-', atMs: quiet },
      ]),
    );

    const summary = await readSummary(24, quiet);

    expect(summary).toMatchObject({ hours: 24, requests: 104, errors: { client: 3, server: 1 } });
    const counts = summary.routes.map(({ route, requests }) => `${route}: ${requests}`);
    expect(counts).toEqual(['GET /v1/audit/:orgId: 102', 'unknown: 2']);
    const [audit] = summary.routes;
    for (const [name, exact] of Object.entries({ p50: 50, p95: 96, p99: 100 } as const)) {
      const measured = audit?.latencyMs[name as 'p50'];
      expect(measured).toBeGreaterThanOrEqual(exact - 1);
      expect(measured).toBeLessThanOrEqual(exact * 1.06);
    }
    expect(summary.series).toHaveLength(24);
    const errors = { client: 2, server: 1 };
    expect(summary.series.at(-1)).toEqual({ hour: '2031-03-10T12:00:00.000Z', requests: 103, errors });
    expect(summary.series.at(-2)).toMatchObject({ hour: '2031-03-10T11:00:00.000Z', requests: 1 });
    expect(summary.series.at(-3)).toMatchObject({ requests: 0, errors: { client: 0, server: 0 } });
  });

  it('counts a batch once, even if it is delivered several times', async () => {
    const atMs = Date.parse('2031-04-01T00:00:00.000Z');
    const batch = batchOf(Array.from({ length: 7 }, () => ({ route: 'GET /v1/auth/me', atMs })));

    await atOnce(5, async () => rollUp(batch));
    await rollUp(batch);

    expect((await readSummary(1, atMs)).requests).toBe(7);
  });

  it('loses nothing when many batches arrive concurrently', async () => {
    const atMs = Date.parse('2031-04-02T00:00:00.000Z');
    const other = { route: 'GET /v1/admin/stats', atMs };
    await atOnce(20, async index => rollUp(batchOf([{ route: 'GET /v1/auth/me', latencyMs: index, atMs }, other])));

    expect((await readSummary(1, atMs)).routes.map(({ requests }) => requests)).toEqual([20, 20]);
  });

  it('counts a batch with more routes and hours than fit in one transaction', async () => {
    const atMs = Date.parse('2031-05-08T00:00:00.000Z');
    const requests = Array.from({ length: 150 }, (_, index) => ({
      route: `GET /v1/route-${index}`,
      atMs: atMs - (index % 3) * 3_600_000,
    }));
    const batch = batchOf(requests);

    await rollUp(batch);
    await rollUp(batch);

    const summary = await readSummary(3, atMs);
    expect([summary.routes.length, summary.requests]).toEqual([150, 150]);
  });

  it('skips lines in another format and the log’s own messages', async () => {
    const atMs = Date.parse('2031-04-03T00:00:00.000Z');

    await rollUp(batchOf([{ route: 'GET /v1/auth/me', atMs }], ['not JSON', '{"status":"200"}']));
    await rollUp(messageOf({ messageType: 'CONTROL_MESSAGE', logEvents: [{ id: '', message: 'probing' }] }));

    expect((await readSummary(1, atMs)).requests).toBe(1);
  });

  it('keeps an hour for eight days and a batch’s record for two', async () => {
    const atMs = Date.parse('2031-04-04T05:59:59.000Z');
    const { calls } = await recordCalls(() => rollUp(batchOf([{ route: 'GET /v1/auth/me', atMs }])));
    const hour = await find(at(routeHourRecord, '2031-04-04', '05', 'GET /v1/auth/me'));

    expect(hour?.expiresAt).toBe(Date.parse('2031-04-12T06:00:00.000Z') / 1000);
    expect(calls.map(({ operation }) => operation)).toEqual(['TransactWriteItems']);
    expect(keys.countedBatch('x').pk).not.toBe(keys.metrics('d', 'h', 'r').pk);
    expect(countedBatchRecord.kind).toBe('countedBatch');
  });
});

describe('GET /admin/metrics/summary', () => {
  it('shows a burst of requests within seconds, with its errors and latencies', async () => {
    const path = `/webhooks/${admin.organization.id}`;
    const before = await summaryOf('GET /v1/webhooks/:orgId');
    await Promise.all([
      atOnce(12, () => api.get(path, admin.session)),
      atOnce(5, () => api.get(path)),
      atOnce(3, () => api.get(`/webhooks/${randomUUID()}`, admin.session)),
    ]);

    const burst = await atLeast(before.requests + 20, 'GET /v1/webhooks/:orgId');

    expect(burst.requests).toBe(before.requests + 20);
    expect(burst.errors).toEqual({ client: before.errors.client + 8, server: before.errors.server });
    const { p50, p95, p99 } = burst.latencyMs;
    expect(p50).toBeGreaterThan(0);
    expect(p95).toBeGreaterThanOrEqual(p50);
    expect(p99).toBeGreaterThanOrEqual(p95);
    expect(p99).toBeLessThan(30_000);
  });

  it('counts unknown routes under one name', async () => {
    await Promise.all(['a', 'b', 'c'].map(name => api.get(`/no-such-route-${name}`)));

    expect((await atLeast(3, 'unknown')).errors.client).toBeGreaterThanOrEqual(3);
  });

  it.each(['0', '169', '24.5', 'x', ''])('rejects hours=%s', async hours => {
    expect(codeOf(await api.get(`/admin/metrics/summary?hours=${hours}`, admin.session))).toBe('400 invalid_request');
  });

  // Derived from timing: a busy machine may show too many round trips, never too few, so the least of three counts.
  it('covers the requested number of hours, 24 by default, in a few round trips', { retry: 2 }, async () => {
    const [day, week] = await Promise.all([
      api.get('/admin/metrics/summary', admin.session),
      api.get('/admin/metrics/summary?hours=168', admin.session),
    ]);
    const { calls } = await recordCalls(() => readSummary(168));

    expect(day.body).toMatchObject({ hours: 24 });
    expect([day.body.series.length, week.body.series.length]).toEqual([24, 168]);
    expect(roundTripsOf(calls.filter(({ operation }) => operation === 'Query'))).toBe(1);
  });

  const atLeast = (requests: number, route: string) =>
    eventually(async () => {
      const summary = await summaryOf(route);
      expect(summary.requests).toBeGreaterThanOrEqual(requests);
      return summary;
    });

  async function summaryOf(route: string) {
    const { body } = await api.get('/admin/metrics/summary?hours=1', admin.session);
    const nothing = { requests: 0, errors: { client: 0, server: 0 }, latencyMs: { p50: 0, p95: 0, p99: 0 } };
    return (body.routes.find((one: { route: string }) => one.route === route) ?? nothing) as typeof nothing;
  }
});
