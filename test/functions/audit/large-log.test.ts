import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { pagesToFind } from '#lib/audit/search-entries.ts';
import { auditActions } from '#lib/contracts/fields/audit-action.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { type AuditRecord, auditRecord } from '#lib/table/records/audit.ts';
import { sizeOf } from '#test/support/capacity.ts';
import { shared } from '#test/support/fixtures.ts';
import { recordRequest, startObservedApi } from '#test/support/observed-api.ts';
import { type Person, seedOwner } from '#test/support/people.ts';
import { auditEntry, seedAudit } from '#test/support/seed-audit.ts';

const day = 86_400_000;
const size = 100_000;
const tokens = Array.from({ length: 50 }, () => randomUUID());
const rareToken = randomUUID();
const api = shared(() => startObservedApi({ REQUESTS_PER_MINUTE: '-1' }));
const owner = shared(seedOwner);
let entries: AuditRecord[];

beforeAll(async () => {
  const start = Date.now() - 20 * day;
  entries = [];
  for (let done = 0; done < size; done += 10_000) {
    const some = Array.from({ length: 10_000 }, (_, n) => {
      const index = done + n;
      const tokenId = index % 9973 === 7 ? rareToken : (tokens[index % tokens.length] ?? '');
      return auditEntry(index % 10 < 7 ? 'secret.pulled' : 'secret.updated', start + index * 10, {
        actor: { id: randomUUID(), email: 'ada@example.com', type: 'token', tokenId },
        keys: [`K${index % 500}`],
      });
    });
    await seedAudit(owner.organization.id, some);
    entries.push(...some);
  }
});

/** The calls that each request may make: the first page of each action, its further pages, and who is asking. */
const callsPerRequest = auditActions.length + pagesToFind + 10;

async function searchAll(person: Person, query: string) {
  const found: string[] = [];
  const totals: (number | null)[] = [];
  for (let after = ''; ; ) {
    const { answer, calls } = await recordRequest(headers =>
      api.get(`/audit/${person.organization.id}?${query}${after}`, person.session, headers),
    );
    expect(answer.status).toBe(200);
    expect(calls.length).toBeLessThanOrEqual(callsPerRequest);
    found.push(...answer.body.entries.map(({ id }: { id: string }) => id));
    totals.push(answer.body.pagination.total);
    if (answer.body.next === undefined) return { found, totals };
    after = `&after=${answer.body.next}`;
  }
}

const newestFirst = (some: readonly AuditRecord[]) => some.toReversed().map(({ id }) => id);

describe(`a log of ${size} entries`, () => {
  const minute = (n: number) => new Date(Date.parse(entries[0]?.createdAt ?? '') + n * 60_000).toISOString();

  it.each<[string, () => string, (entry: AuditRecord) => boolean]>([
    ['a token that is rarely used', () => `tokenId=${rareToken}`, ({ actor }) => actor.tokenId === rareToken],
    [
      'the pulls of a token',
      () => `action=secret.pulled&tokenId=${tokens[3]}`,
      ({ action, actor }) => action === 'secret.pulled' && actor.tokenId === tokens[3],
    ],
    [
      'the changes of a key',
      () => 'action=secret.updated&key=K17',
      ({ action, keys }) => action === 'secret.updated' && keys?.[0] === 'K17',
    ],
    ['changes of nobody', () => `action=secret.updated&actor=${randomUUID()}`, () => false],
    [
      'a key in a period',
      () => `key=K17&since=${minute(2)}&until=${minute(5)}`,
      ({ keys, createdAt }) => keys?.[0] === 'K17' && createdAt >= minute(2) && createdAt < minute(5),
    ],
  ])('is searched for %s with a limited number of calls, and never states a wrong total', async (_, query, matches) => {
    const expected = newestFirst(entries.filter(matches));
    const { found, totals } = await searchAll(owner, `limit=500&${query()}`);
    expect(found).toEqual(expected);
    // One request can count them only if it reads everything; else no request states a total.
    expect(totals).toEqual(totals.length === 1 ? [expected.length] : totals.map(() => null));
  });
});

it('a log without a filter never states a wrong total while its entries are first counted, and can be read to its end', async () => {
  const person = await seedOwner();
  const start = Date.now() - day;
  const some = Array.from({ length: 12_000 }, (_, n) => auditEntry('secret.pulled', start - n * 10));
  await seedAudit(person.organization.id, some);
  const totals: (number | null)[] = [];
  while (totals.length < 100 && totals.at(-1) !== some.length + 1) {
    const { body } = await api.get(`/audit/${person.organization.id}?limit=10`, person.session);
    totals.push(body.pagination.total);
    expect(body.entries).toHaveLength(10);
    expect(body.next === undefined).toBe(body.pagination.total !== null);
  }
  expect(totals.filter(total => total !== null)).toEqual([some.length + 1]);
  // No offset reaches the page after this one, but `next` does.
  const found: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = `limit=500&offset=10000&action=secret.pulled${after}`;
    const { body } = await api.get(`/audit/${person.organization.id}?${page}`, person.session);
    found.push(...body.entries.map(({ id }: { id: string }) => id));
    after = body.next === undefined ? undefined : `&after=${body.next}`;
  }
  expect(found).toEqual(some.slice(10_000).map(({ id }) => id));
});

describe('a search that one request can’t finish', () => {
  /** Entries store lists of keys compressed, so these are random. */
  const keys = Array.from({ length: 1000 }, () => randomBytes(125).toString('hex'));
  const pageBytes = 1024 * 1024;
  const stored = auditRecord.toItem({ pk: '', sk: '' }, auditEntry('secret.updated', 0, { keys }));
  /** DynamoDB's page includes the entry that exceeds its limit. */
  const perPage = Math.ceil(pageBytes / sizeOf(stored));
  /** More than the first page of their action and all further pages of one request can have. */
  const count = (1 + pagesToFind) * perPage + 20;
  let expected: string[];
  const person = shared(seedOwner);
  beforeAll(async () => {
    const long = Array.from({ length: count }, (_, n) => {
      const tokenId = n % 23 === 0 ? rareToken : randomUUID();
      const actor = { id: randomUUID(), email: 'ada@example.com', type: 'token' as const, tokenId };
      return auditEntry('secret.updated', Date.now() - 5 * day + n * 1000, { keys, actor });
    });
    for (const some of chunksOf(20, long)) await seedAudit(person.organization.id, some);
    expected = newestFirst(long.filter(({ actor }) => actor.tokenId === rareToken));
  });

  it.each([2, 100])('continues with `next` and returns every match once, %i at a time', async limit => {
    const { found, totals } = await searchAll(person, `tokenId=${rareToken}&limit=${limit}`);
    expect(found).toEqual(expected);
    expect(totals.length).toBeGreaterThan(1);
    expect(new Set(totals)).toEqual(new Set([null]));
  });

  it('goes on skipping what `offset` asks for', async () => {
    const { found, totals } = await searchAll(person, `tokenId=${rareToken}&limit=2&offset=${expected.length - 1}`);
    expect(found).toEqual(expected.slice(-1));
    expect(totals.length).toBeGreaterThan(1);
  });
});
