import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditFeed, auditLog, exposure, type FeedOptions, type FeedPage, Holdfast } from '#clients/sdk/src/index.ts';
import type { AuditRecord } from '#lib/table/records/audit.ts';
import { startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { auditEntry, seedAudit } from '#test/support/seed-audit.ts';
import { hang, inTurn, json, refusal, type ScriptedServer, startServer } from './scripted-server.ts';

const idsOf = (some: readonly { id: string }[]) => some.map(({ id }) => id);

describe('the audit log of the service', () => {
  let client: Holdfast;
  let organizationId: string;
  let tokenId: string;
  let requests: number;

  const api = shared(() => startApi({ REQUESTS_PER_MINUTE: '-1' }));
  const place = fresh(() => openWorkplace(api));
  beforeEach(async () => {
    organizationId = place.owner.organization.id;
    const { body } = await expectStatus(api.post('/auth/token', { name: 'ci' }, place.owner.session), 201);
    tokenId = body.cliToken.id;
    requests = 0;
    client = new Holdfast({
      url: api.url,
      token: body.token,
      fetch: (input, init) => {
        requests += 1;
        return fetch(input, init);
      },
    });
  });

  async function seeded(count: number): Promise<AuditRecord[]> {
    const start = Date.now() - 3_600_000;
    const entries = Array.from({ length: count }, (_, n) => auditEntry('secret.pulled', start + Math.floor(n / 2)));
    await seedAudit(organizationId, entries);
    return entries.toSorted((a, b) => (`${a.createdAt}#${a.id}` < `${b.createdAt}#${b.id}` ? -1 : 1));
  }

  it('is iterated to its end, newest entry first, and no further than needed', async () => {
    const entries = await seeded(23);
    const found: string[] = [];
    for await (const { id } of auditLog(client, organizationId, { action: 'secret.pulled', limit: 5 })) found.push(id);
    expect([found, requests]).toEqual([idsOf(entries.toReversed()), 5]);
    for await (const { id } of auditLog(client, organizationId, { action: 'secret.pulled', limit: 5 })) {
      expect(id).toBe(entries.at(-1)?.id);
      break;
    }
    expect(requests).toBe(6);
  });

  async function pagesOf(options: FeedOptions): Promise<FeedPage[]> {
    const pages: FeedPage[] = [];
    const since = new Date(Date.now() - 7_200_000).toISOString();
    const until = new Date(Date.now() - 1_800_000).toISOString();
    for await (const page of auditFeed(client, organizationId, { since, until, ...options })) pages.push(page);
    return pages;
  }

  it('is followed in pages, which go on exactly after the cursor of a page or of an entry', async () => {
    const entries = await seeded(11);
    const pages = await pagesOf({ limit: 4 });
    const all = pages.flatMap(page => page.entries);
    expect(idsOf(all)).toEqual(idsOf(entries));
    for (const [index, { cursor }] of all.entries()) {
      for (const limit of [1, 3, 1000]) {
        const rest = (await pagesOf({ after: cursor, limit })).flatMap(page => page.entries);
        expect(idsOf(rest)).toEqual(idsOf(entries.slice(index + 1)));
      }
    }
    for (const [index, { cursor }] of pages.entries()) {
      const rest = pages.slice(index + 1).flatMap(page => page.entries);
      expect(idsOf((await pagesOf({ after: cursor })).flatMap(page => page.entries))).toEqual(idsOf(rest));
    }
  });

  it('is followed from the cursor of an entry without a repetition, even if it ends in the middle of the same page', async () => {
    const entries = await seeded(9);
    const [page] = await pagesOf({});
    const [first] = await pagesOf({ after: page?.entries[6]?.cursor ?? '', limit: 2 });
    const rest = (await pagesOf({ after: first?.cursor ?? '' })).flatMap(({ entries: more }) => more);
    expect(idsOf([...(first?.entries ?? []), ...rest])).toEqual(idsOf(entries.slice(7)));
  });

  it('is not followed from a text that is no cursor, or faster than time', () => {
    for (const after of ['', 'eyJ', 'a.b', `x.1.${randomUUID()}.2`]) {
      expect(() => auditFeed(client, organizationId, { after })).toThrow(TypeError);
    }
    expect(() => auditFeed(client, organizationId, { intervalMs: 0 })).toThrow(RangeError);
  });

  it('says what a token saw and who knows a secret', async () => {
    await place.importAll('dev', { A: 'x', B: 'x' });
    const snapshot = await client.environment(place.owner.organization.slug, place.project.slug, 'dev').pull();
    expect(snapshot.keys()).toEqual(['A', 'B']);
    const { exposures, complete } = await exposure(client, organizationId, { tokenId });
    expect([complete, exposures.map(({ key, current, how }) => [key, current, how])]).toEqual([
      true,
      [
        ['A', true, ['pulled']],
        ['B', true, ['pulled']],
      ],
    ]);
    const environment = exposures[0]?.environment.id ?? '';
    const { readers } = await exposure(client, organizationId, { environment, key: 'A' });
    expect(readers.map(({ actor, tokenIds }) => [actor.id, tokenIds])).toEqual([[place.owner.user.id, [tokenId]]]);
  });
});

describe('pages of a long answer', () => {
  let server: ScriptedServer;
  afterEach(() => server.stop());

  const clientOf = (options = {}) => new Holdfast({ url: server.url, token: 'service_tok_x', ...options });
  const time = (n: number) => `2026-01-0${n}T00:00:00.000Z`;
  const project = { id: 'p', slug: 'web-shop' };
  const secret = (key: string, versions: number[], [firstAt, lastAt]: [number, number], current = false) => ({
    project,
    environment: { id: 'e', slug: 'dev', type: 'development' },
    key,
    versions,
    firstAt: time(firstAt),
    lastAt: time(lastAt),
    how: current ? ['written'] : ['pulled'],
    current,
  });
  const evidence = { knownSince: time(1), complete: true };

  it('are added up: what several pages say of the same secret is one exposure, and one doubt makes the whole doubtful', async () => {
    const subject = { type: 'token', id: 't', name: null };
    const retention = { reason: 'retention', before: time(2) };
    const erased = { reason: 'environment_erased', environment: 'gone' };
    const pages = [
      {
        ...evidence,
        subject,
        complete: false,
        incomplete: [retention, erased],
        next: '1',
        exposures: [secret('A', [1, 2], [2, 3])],
      },
      { ...evidence, subject: { ...subject, name: 'ada' }, exposures: [], next: '2' },
      {
        ...evidence,
        subject,
        complete: false,
        incomplete: [erased],
        exposures: [secret('B', [1], [4, 4], true), secret('A', [2, 5], [5, 6])],
      },
    ];
    server = await startServer(inTurn(...pages.map(page => json(200, page))));
    const seen: number[] = [];
    const options = { onPage: (page: object) => seen.push('exposures' in page ? (page.exposures as []).length : -1) };
    expect(await exposure(clientOf(), 'o', { tokenId: 't', since: time(1) }, options)).toEqual({
      subject: { ...subject, name: 'ada' },
      knownSince: time(1),
      complete: false,
      incomplete: [retention, erased],
      exposures: [secret('B', [1], [4, 4], true), secret('A', [1, 2, 5], [2, 6])],
    });
    expect(seen).toEqual([1, 0, 2]);
    expect(server.requests.map(({ query }) => Object.fromEntries(query))).toEqual([
      { tokenId: 't', since: time(1) },
      { tokenId: 't', since: time(1), after: '1' },
      { tokenId: 't', since: time(1), after: '2' },
    ]);
  });

  it('are added up for the readers of a secret, the latest first', async () => {
    const reader = (id: string, tokenIds: string[], [firstAt, lastAt]: [number, number]) => ({
      actor: { id, email: `${id}@example.com`, type: 'user' },
      tokenIds,
      firstAt: time(firstAt),
      lastAt: time(lastAt),
      hasAccess: true,
    });
    const page = { ...evidence, key: 'A', version: 3 };
    server = await startServer(
      inTurn(
        json(200, { ...page, next: '1', readers: [reader('ada', ['t1'], [1, 2]), reader('bob', [], [1, 3])] }),
        json(200, { ...page, readers: [reader('ada', ['t1', 't2'], [4, 5])] }),
      ),
    );
    const { readers } = await exposure(clientOf(), 'o', { environment: 'e', key: 'A' });
    expect(readers).toEqual([reader('ada', ['t1', 't2'], [1, 5]), reader('bob', [], [1, 3])]);
  });

  it('may be empty in the middle of the log, for hf.list as for auditLog', async () => {
    const pagination = { limit: 1, offset: 0, total: null };
    const [first, last] = [auditEntry('secret.pulled', 2), auditEntry('secret.pulled', 1)];
    const pages = [
      { entries: [first], next: '1', pagination },
      { entries: [], next: '2', pagination },
      { entries: [last], pagination },
    ];
    const path = { orgId: 'o' };
    for (const list of [
      (client: Holdfast) => client.list('/v1/audit/{orgId}', { path, query: { key: 'A' } }),
      (client: Holdfast) => auditLog(client, 'o', { key: 'A' }),
    ]) {
      server = await startServer(inTurn(...pages.map(page => json(200, page))));
      const found: string[] = [];
      for await (const { id } of list(clientOf())) found.push(id);
      expect(found).toEqual([first.id, last.id]);
      expect(server.requests.map(({ query }) => query.get('after'))).toEqual([null, '1', '2']);
      await server.stop();
    }
    server = await startServer(hang);
  });

  it('are waited for longer than other answers, because they take the service longer', async () => {
    server = await startServer((request, response) => {
      const answer = json(200, { ...evidence, subject: { type: 'token', id: 't', name: null }, exposures: [] });
      setTimeout(() => answer(request, response), 300);
    });
    const client = clientOf({ attemptTimeoutMs: 50, retries: 0 });
    expect((await exposure(client, 'o', { tokenId: 't' })).exposures).toEqual([]);
    await expect(client.request('GET', '/v1/auth/me')).rejects.toMatchObject({ code: 'timeout' });
  });

  it('of the feed are asked for at once if they were cut, and else after the interval', async () => {
    const now = Date.now() - 60_000;
    const at = (ms: number) => new Date(now + ms).toISOString();
    const [one, two] = [auditEntry('secret.pulled', now), auditEntry('secret.pulled', now + 5)];
    const pages = [
      { entries: [], next: 'a', upTo: at(-10) },
      { entries: [one], next: 'b', upTo: one.createdAt },
      { entries: [two], next: 'c', upTo: at(50) },
    ];
    server = await startServer(inTurn(...pages.map(page => json(200, page))));
    const stop = new AbortController();
    const read: string[] = [];
    for await (const { entries } of auditFeed(clientOf(), 'o', { intervalMs: 3_600_000, signal: stop.signal })) {
      read.push(...idsOf(entries));
      if (read.length === 2) setTimeout(() => stop.abort(), 200);
    }
    expect(read).toEqual([one.id, two.id]);
    expect(server.requests.slice(1).map(({ query }) => query.get('after'))).toEqual(['a', 'b']);
  });

  it('of the feed that retention has passed by are named in the next page', async () => {
    const expired = refusal(410, 'cursor_expired');
    const kept = { entries: [auditEntry('secret.pulled', Date.parse(time(7)))], next: 'z', upTo: time(8) };
    server = await startServer(inTurn(expired, json(200, { entries: [], next: 'y', upTo: time(6) }), json(200, kept)));
    const after = `x.${Date.parse(time(3))}`;
    for await (const { entries, missing, cursor } of auditFeed(clientOf(), 'o', { after, until: time(8) })) {
      expect([idsOf(entries), missing, cursor]).toEqual([
        idsOf(kept.entries),
        { from: time(3), to: time(6) },
        `z.${Date.parse(time(8))}`,
      ]);
    }
    expect(server.requests.map(({ query }) => [query.get('after'), query.get('since')])).toEqual([
      ['x', null],
      [null, time(3)],
      ['y', null],
    ]);
  });
});
