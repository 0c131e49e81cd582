import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type AuditAction, auditActions } from '#lib/contracts/fields/audit-action.ts';
import { ranges } from '#lib/table/keys.ts';
import { list, queryItems } from '#lib/table/read.ts';
import { type AuditRecord, auditCountRecord } from '#lib/table/records/audit.ts';
import { type Api, startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { auditEntry, seedAudit } from '#test/support/seed-audit.ts';

const api = shared(startApi);
const refused = shared(newLog);

async function newLog(): Promise<{ person: Person; page: (query?: string) => ReturnType<Api['get']> }> {
  const person = await seedPerson({ name: 'Ada' });
  return { person, page: (query = '') => api.get(`/audit/${person.organization.id}${query}`, person.session) };
}

const minute = 60_000;
const day = 24 * 60 * minute;

/** Pulls, a millisecond after one another. */
const pulls = (count: number, from: number, more: Partial<AuditRecord> = {}) =>
  Array.from({ length: count }, (_, index) => auditEntry('secret.pulled', from + index, more));

describe('GET /audit/:orgId', () => {
  it('records who did what to which target, from where and in which request', async () => {
    const { person, page } = await newLog();
    const created = await api.post(`/projects/${person.organization.id}`, { name: 'Shop' }, person.session, {
      'user-agent': 'example-cli/1.4',
    });
    const { status, body } = await page();
    expect(status).toBe(200);
    expect(body.pagination).toEqual({ limit: 50, offset: 0, total: 2 });
    expect(body.entries.map(({ action }: AuditRecord) => action)).toEqual(['project.created', 'organization.created']);
    expect(body.entries[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      action: 'project.created',
      actor: { id: person.user.id, email: person.email, type: 'session', sessionId: expect.any(String) },
      target: { type: 'project', id: created.body.project.id, name: created.body.project.slug },
      ip: expect.any(String),
      userAgent: 'example-cli/1.4',
      requestId: created.headers.get('x-request-id'),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('has one entry for each change and each read of values, and no others', async () => {
    const { person, page } = await newLog();
    const place = await openWorkplace(api, person);
    await place.set('dev', 'A', '1');
    const pulled = await place.pull('dev');
    await place.pull('dev', '', { headers: { 'if-none-match': pulled.headers.get('etag') ?? '' } });
    for (const rest of ['/keys', '/versions/A', '/versions/A?values=true']) await place.pull('dev', rest);
    await place.set('dev', 'A', '1');
    await place.set('dev', 'A', '2', { body: { expectedVersion: 7 } });
    await place.set('dev', 'not a key', '2');
    await place.remove('dev', 'UNKNOWN');
    const { body } = await page();
    expect(body.entries.map(({ action }: AuditRecord) => action)).toEqual([
      // The set that changed nothing revealed the value to its caller.
      'secret.compared',
      'secret.history_read',
      'secret.pulled',
      'secret.created',
      'project.created',
      'organization.created',
    ]);
    expect(body.entries[3]).toMatchObject({ keys: ['A'], revision: 1, environment: { slug: 'dev' } });
  });

  it('returns pages that together make up the log of all actions, newest first', async () => {
    const { person, page } = await newLog();
    const now = Date.now() - day;
    // Timestamps shared by many entries, to test the order within a millisecond.
    const entries = Array.from({ length: 437 }, (_, index) =>
      auditEntry(auditActions[index % auditActions.length] as AuditAction, now - Math.floor(index / 5)),
    );
    await seedAudit(person.organization.id, entries);
    const whole = (await page('?limit=500')).body;
    expect([whole.entries.length, whole.pagination.total]).toEqual([438, 438]);
    const order = whole.entries.map(({ createdAt, id }: AuditRecord) => `${createdAt}#${id}`);
    expect(order).toEqual([...order].sort().reverse());
    const paged: AuditRecord[] = [];
    for (let offset = 0; offset < 450; offset += 37) {
      const { body } = await page(`?limit=37&offset=${offset}`);
      expect(body.pagination).toEqual({ limit: 37, offset, total: 438 });
      paged.push(...body.entries);
    }
    expect(paged).toEqual(whole.entries);
  });

  it('finds the entries of a rare action', async () => {
    const { person, page } = await newLog();
    const now = Date.now() - day;
    const rare = auditEntry('project.key_rotated', now - 500_000);
    const newestFirst = pulls(600, now - 600).toReversed();
    await seedAudit(person.organization.id, [...newestFirst, rare]);
    const { body } = await page('?action=project.key_rotated');
    expect(body).toEqual({ entries: [rare], pagination: { limit: 50, offset: 0, total: 1 } });
    const many = (await page('?action=secret.pulled&limit=10&offset=585')).body;
    expect(many.entries).toEqual(newestFirst.slice(585, 595));
    expect(many.pagination).toEqual({ limit: 10, offset: 585, total: 600 });
    expect((await page('?action=secret.pulled&limit=10&offset=595')).body.entries).toHaveLength(5);
    const none = { entries: [], pagination: { limit: 50, offset: 0, total: 0 } };
    expect((await page('?action=member.removed')).body).toEqual(none);
  });

  it('does not return expired entries that are still in the table', async () => {
    const { person, page } = await newLog();
    const now = Date.now();
    const at = (index: number, expiresAt: number) =>
      auditEntry('secret.pulled', now - day - index, { expiresAt: Math.floor(expiresAt / 1000) });
    const alive = Array.from({ length: 40 }, (_, index) => at(index * 2, now + day));
    const expired = Array.from({ length: 40 }, (_, index) => at(index * 2 + 1, now - 2 * day));
    await seedAudit(person.organization.id, [...alive, ...expired]);
    const { body } = await page('?limit=30&offset=5&action=secret.pulled');
    expect(body.entries.map(({ id }: AuditRecord) => id)).toEqual(alive.slice(5, 35).map(({ id }) => id));
    expect(body.pagination.total).toBe(40);
    expect((await page('?limit=500')).body.pagination.total).toBe(41);
  });

  it('keeps entries as long as the plan allows', async () => {
    const { person } = await newLog();
    const [entry] = await queryItems(ranges.audit(person.organization.id));
    const days = (Number(entry?.expiresAt) - Date.now() / 1000) / 86_400;
    expect(days).toBeGreaterThanOrEqual(29.9);
    expect(days).toBeLessThanOrEqual(31);
  });

  const malformed = {
    limit: ['0', '501', ''],
    offset: ['-1', '10001', '1e3'],
    action: ['', 'secret.read', 'COUNT'],
  };
  it.each(Object.entries(malformed).flatMap(([field, values]) => values.map(value => [`${field}=${value}`, field])))(
    'rejects ?%s, naming %s',
    async (query, field) => {
      const { status, body } = await refused.page(`?${query}`);
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ code: 'invalid_request', details: [{ path: field }] });
    },
  );
});

describe('the total', () => {
  const counts = (person: Person) => list(auditCountRecord, ranges.auditCounts(person.organization.id));

  it('is exact in a log with thousands of entries, each counted once', async () => {
    const { person, page } = await newLog();
    const now = Date.now();
    const tomorrow = { expiresAt: Math.ceil(now / day + 1) * 86_400 };
    const past = { expiresAt: Math.floor(now / day - 1) * 86_400 };
    await seedAudit(person.organization.id, pulls(3000, now - 3 * day, tomorrow));
    await seedAudit(person.organization.id, pulls(500, now - 2 * day, past));
    await seedAudit(person.organization.id, pulls(200, now - day));
    const total = async (query: string) => (await page(query)).body.pagination.total;

    expect(await Promise.all([total('?limit=1'), total('?limit=20'), total('?action=secret.pulled')])).toEqual([
      3201, 3201, 3200,
    ]);
    expect(await counts(person)).toMatchObject([
      { byExpiryDay: { [String(tomorrow.expiresAt / 86_400)]: 3000, never: 200 } },
    ]);
    await seedAudit(person.organization.id, pulls(5, now - 10 * minute, tomorrow));
    // Too recent to be counted permanently, so they are counted each time.
    await seedAudit(person.organization.id, pulls(300, now - 1000, tomorrow));
    expect(await total('?limit=1')).toBe(3506);
    expect(await total('?limit=1')).toBe(3506);
    expect(await total('?limit=500&action=secret.pulled')).toBe(3505);
    const [count] = await counts(person);
    expect(Object.values(count?.byExpiryDay ?? {}).reduce((sum, one) => sum + one, 0)).toBe(3200);
  });

  it('includes an entry that arrives later than newer ones', async () => {
    const { person, page } = await newLog();
    const now = Date.now();
    await seedAudit(person.organization.id, [...pulls(1200, now - day), ...pulls(5, now - 2000)]);
    expect((await page('?limit=1')).body.pagination.total).toBe(1206);
    // Its writer kept retrying while others wrote.
    await seedAudit(person.organization.id, [auditEntry('secret.pulled', now - 30_000, { id: randomUUID() })]);
    expect((await page('?limit=1')).body.pagination.total).toBe(1207);
    expect((await page('?limit=500')).body.pagination.total).toBe(1207);
  });
});
