import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { pagesToFind } from '#lib/audit/search-entries.ts';
import type { AuditAction } from '#lib/contracts/fields/audit-action.ts';
import type { AuditRecord } from '#lib/table/records/audit.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { recordRequest, startObservedApi } from '#test/support/observed-api.ts';
import type { Person } from '#test/support/people.ts';
import { auditEntry, seedAudit } from '#test/support/seed-audit.ts';

const api = shared(() => startObservedApi({ REQUESTS_PER_MINUTE: '-1' }));
const day = 86_400_000;
const positionOf = ({ createdAt, id }: Pick<AuditRecord, 'createdAt' | 'id'>) => `${createdAt}#${id}`;
const newestFirst = (entries: readonly AuditRecord[]) =>
  entries.toSorted((a, b) => (positionOf(a) > positionOf(b) ? -1 : 1));
const idsOf = (entries: readonly { id: string }[]) => entries.map(({ id }) => id);

interface Page {
  entries: AuditRecord[];
  next?: string;
  pagination: { limit: number; offset: number; total: number | null };
}

async function pageOf(person: Person, query: Record<string, string | number>): Promise<Page> {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]),
  );
  const answer = await api.get(`/audit/${person.organization.id}?${search}`, person.session);
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

describe('the filters of the audit log', () => {
  let entries: AuditRecord[];
  const keysAt = ['', 'A', 'AB', 'B', 'AB', 'ABC', 'ABC'];
  const pick = <T>(some: readonly T[], index: number): T => some[index % some.length] as T;
  const ids = Array.from({ length: 3 }, () => randomUUID());
  const actions: readonly AuditAction[] = ['secret.pulled', 'secret.updated', 'secret.compared', 'member.joined'];
  let dev: { id: string; slug: string };
  const place = shared(() => openWorkplace(api));
  beforeAll(async () => {
    dev = { id: place.environmentId('dev'), slug: 'dev' };
    for (const key of ['A', 'B']) await place.set('dev', key, '1');
    await place.remove('dev', 'A');
    await place.set('dev', 'A', '2');
    await place.set('dev', 'C', '1');
    await place.set('dev', 'B', '2');
    const start = Date.now() - 5 * day;
    entries = Array.from({ length: 400 }, (_, n) => {
      const action = pick(actions, n);
      const environment = n % 5 === 0 ? dev : { id: pick(ids, n), slug: 'gone' };
      const isSecret = action.startsWith('secret.');
      const named = n % 2 === 0 ? {} : { keys: [pick(['A', 'B', 'C', 'D'], n)] };
      return auditEntry(action, start + Math.floor(n / 3) * 1000, {
        actor: { id: pick(ids, n + 1), email: 'ada@example.com', type: 'token', tokenId: pick(ids, n + 2) },
        target: isSecret
          ? { type: 'project', id: n % 5 === 0 ? place.project.id : pick(ids, n), name: 'shop' }
          : { type: 'member', id: randomUUID(), name: 'ada@example.com' },
        environment: isSecret ? environment : undefined,
        revision: isSecret ? (n % 6) + 1 : undefined,
        ...(isSecret ? named : {}),
      });
    });
    await seedAudit(place.owner.organization.id, entries);
  });

  const period = () => ({
    since: new Date(Date.now() - 6 * day).toISOString(),
    until: new Date(Date.now() - day).toISOString(),
  });

  const tests: Record<string, (entry: AuditRecord, wanted: string) => boolean> = {
    action: ({ action }, wanted) => action === wanted,
    actor: ({ actor }, wanted) => actor.id === wanted,
    tokenId: ({ actor }, wanted) => actor.tokenId === wanted,
    project: ({ target }, wanted) => target.type === 'project' && target.id === wanted,
    environment: ({ environment }, wanted) => environment?.id === wanted,
    key: ({ action, keys, environment, revision = 0 }, wanted) =>
      keys?.includes(wanted) === true ||
      (keys === undefined &&
        ['secret.pulled', 'secret.compared'].includes(action) &&
        environment?.id === dev.id &&
        keysAt[revision]?.includes(wanted) === true),
    since: ({ createdAt }, wanted) => createdAt >= wanted,
    until: ({ createdAt }, wanted) => createdAt < wanted,
  };

  it('find exactly the entries that match, alone and combined', async () => {
    const values: Record<string, readonly string[]> = {
      action: actions,
      actor: ids,
      tokenId: ids,
      project: [place.project.id, ...ids],
      environment: [dev.id, ...ids],
      key: ['A', 'B', 'C', 'D'],
      since: entries.filter((_, n) => n % 70 === 3).map(({ createdAt }) => createdAt),
      until: entries.filter((_, n) => n % 70 === 5).map(({ createdAt }) => createdAt),
    };
    const names = Object.keys(values);
    let found = 0;
    for (let round = 0; round < 50; round += 1) {
      const chosen = names.filter((_, n) => (round < names.length ? n === round : Math.random() < 0.3));
      const query = Object.fromEntries(chosen.map(name => [name, pick(values[name] ?? [], round)]));
      const all = { ...period(), ...query };
      const expected = newestFirst(
        entries.filter(entry => Object.entries(all).every(([name, wanted]) => tests[name]?.(entry, wanted))),
      );
      const page = await pageOf(place.owner, { ...all, limit: 500 });
      expect([query, idsOf(page.entries), page.pagination.total]).toEqual([query, idsOf(expected), expected.length]);
      found += expected.length;
      const middle = await pageOf(place.owner, { ...all, limit: 7, offset: 5 });
      expect(idsOf(middle.entries)).toEqual(idsOf(expected.slice(5, 12)));
      expect(middle.pagination).toEqual({ limit: 7, offset: 5, total: expected.length });
    }
    expect(found).toBeGreaterThan(500);
  });

  it('find by key what the service itself recorded, also pulls of everything', async () => {
    const fresh = await openWorkplace(api);
    await fresh.set('dev', 'A', '1');
    await fresh.pull('dev');
    await fresh.set('dev', 'B', '1');
    await fresh.pull('dev');
    await fresh.pull('dev', '?keys=A');
    await fresh.remove('dev', 'B');
    await fresh.pull('dev');
    const template = { key: 'B', required: false };
    await api.post(`/templates/${fresh.owner.organization.slug}/${fresh.project.slug}`, template, fresh.owner.session);
    const { entries: about } = await pageOf(fresh.owner, { key: 'B' });
    const shown = about.map(({ action, revision }) => `${action} ${revision ?? 'without a revision'}`);
    const secrets = ['secret.deleted 3', 'secret.pulled 2', 'secret.created 2'];
    expect(shown).toEqual(['template_key.added without a revision', ...secrets]);
  });

  it('look at no more histories of a key than a request may, and go on with the next one', async () => {
    const { owner } = place;
    const more = await Promise.all(Array.from({ length: 12 }, () => openWorkplace(api, owner)));
    const wanted: AuditRecord[] = [];
    const start = Date.now() - 3 * day;
    for (const [n, one] of more.entries()) {
      for (const [index, { id, slug }] of one.project.environments.entries()) {
        if (index < 2) await one.set(slug, 'WANTED', '1');
        // Twice, so that the next request begins among entries of known environments.
        for (const at of [n * 100 + index, 5000 + n * 100 + index]) {
          const target = { type: 'project' as const, id: one.project.id, name: one.project.slug };
          const entry = auditEntry('secret.pulled', start + at, { target, environment: { id, slug }, revision: 1 });
          await seedAudit(owner.organization.id, [entry]);
          if (index < 2) wanted.push(entry);
        }
      }
    }
    for (const [path, order] of [
      ['', newestFirst(wanted)],
      ['/feed', newestFirst(wanted).toReversed()],
    ] as const) {
      const found: string[] = [];
      let requests = 0;
      const query = `key=WANTED&limit=500&action=secret.pulled&since=${new Date(start).toISOString()}`;
      for (let next = ''; found.length < wanted.length && requests < 50; requests += 1) {
        const { answer, calls } = await recordRequest(headers =>
          api.get(`/audit/${owner.organization.id}${path}?${query}${next}`, owner.session, headers),
        );
        expect(calls.length).toBeLessThan(1 + pagesToFind + 15);
        found.push(...idsOf(answer.body.entries));
        next = `&after=${answer.body.next}`;
      }
      expect(found).toEqual(idsOf(order));
      expect(requests).toBeGreaterThan(1);
    }
  });

  it('read no further than the page if it continues another, because it has no total', async () => {
    const fresh = await openWorkplace(api);
    const start = Date.now() - 5 * day;
    const many = Array.from({ length: 3000 }, (_, n) => auditEntry('secret.pulled', start + n));
    await seedAudit(fresh.owner.organization.id, many);
    const queries = async (query: string) => {
      const { answer, calls } = await recordRequest(headers =>
        api.get(`/audit/${fresh.owner.organization.id}?action=secret.pulled${query}`, fresh.owner.session, headers),
      );
      return { answer, calls: calls.filter(({ operation }) => operation === 'Query').length };
    };
    const after = Buffer.from(JSON.stringify({ from: many[2000]?.createdAt })).toString('base64url');
    const page = await queries(`&limit=50&after=${after}`);
    expect(idsOf(page.answer.body.entries)).toEqual(idsOf(many.slice(1950, 2000).toReversed()));
    expect(page.calls).toBe(1);
    const counted = await queries(`&limit=50&since=${new Date(start).toISOString()}`);
    expect(counted.answer.body.pagination.total).toBe(3000);
    expect(counted.calls).toBeGreaterThan(1);
  });

  it('find by project what happened to its environments, also to deleted ones', async () => {
    const fresh = await openWorkplace(api);
    await fresh.set('dev', 'A', '1');
    const path = `/projects/${fresh.owner.organization.id}/${fresh.project.slug}/environments`;
    await api.post(path, { name: 'Preview', slug: 'preview', type: 'development' }, fresh.owner.session);
    await api.delete(`${path}/preview`, fresh.owner.session);
    const template = { key: 'A', required: false };
    await api.post(`/templates/${fresh.owner.organization.slug}/${fresh.project.slug}`, template, fresh.owner.session);
    const { entries: about } = await pageOf(fresh.owner, { project: fresh.project.id });
    expect(about.map(({ action }) => action)).toEqual([
      'template_key.added',
      'environment.deleted',
      'environment.created',
      'secret.created',
      'project.created',
    ]);
    const other = await openWorkplace(api, fresh.owner);
    expect(idsOf((await pageOf(fresh.owner, { project: other.project.id })).entries)).toHaveLength(1);
  });

  it.each([
    ['actor=ada', 'actor'],
    ['tokenId=1', 'tokenId'],
    ['project=web-shop', 'project'],
    ['environment=dev', 'environment'],
    ['key=', 'key'],
    ['since=yesterday', 'since'],
    ['until=2026-02-31T00:00:00Z', 'until'],
    ['since=2026-01-31T09:26:53', 'since'],
    ['user=x', 'user'],
  ])('are refused if they are malformed: ?%s', async (query, field) => {
    const { status, body } = await api.get(`/audit/${place.owner.organization.id}?${query}`, place.owner.session);
    expect([status, body.error.code, body.error.details[0].path]).toEqual([400, 'invalid_request', field]);
  });
});
