import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { readCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import type { Entity } from '#lib/table/entity.ts';
import { at } from '#lib/table/read.ts';
import { handOffRecord, tokenRecord } from '#lib/table/records/credentials.ts';
import { transact, update } from '#lib/table/write.ts';
import { startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { entities as kindsWithInvariants } from '#test/support/invariants.ts';
import { identityOf, startIssuer } from '#test/support/issuer.ts';
import { seedPerson } from '#test/support/people.ts';

/*
 * Items as earlier commits wrote them: of each kind, those with the fewest attributes, from the tables that the sample
 * requests left at those commits. (Seven kinds that no sample writes have the required attributes of their schemas.) A
 * commit that changes a kind adds the item as it was. Bytes and sets are written as `{"bytes": …}` and `{"set": […]}`.
 */
interface EarlierItem extends Record<string, unknown> {
  commit: string;
  kind: string;
}

const file = new URL('earlier-items.jsonl', import.meta.url);
const items = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line, revive) as EarlierItem);

function revive(_: string, value: unknown): unknown {
  const [[name, content] = [], ...others] = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (others.length > 0) return value;
  if (name === 'bytes') return new Uint8Array(Buffer.from(String(content), 'base64'));
  return name === 'set' ? new Set(content as string[]) : value;
}

const entities = new Map<string, Entity<unknown, readonly unknown[]>>();
beforeAll(async () => {
  const folder = new URL('../../../lib/table/records/', import.meta.url);
  for (const name of readdirSync(folder)) {
    const module = (await import(new URL(name, folder).href)) as Record<string, unknown>;
    for (const value of Object.values(module)) {
      if (typeof value === 'object' && value !== null && 'kind' in value && 'parse' in value) {
        const entity = value as Entity<unknown, readonly unknown[]>;
        entities.set(entity.kind, entity);
      }
    }
  }
});

describe('an item that an earlier commit wrote', () => {
  it.each([...new Set(items.map(({ kind }) => kind))])('can still be read: %s', kind => {
    for (const { commit: _, ...item } of items.filter(one => one.kind === kind)) {
      expect(() => entities.get(kind)?.parse(item)).not.toThrow();
    }
  });

  it('is kept here for every kind', () => {
    const kinds = new Set(items.map(({ kind }) => kind));
    expect([...entities.keys()].filter(kind => !kinds.has(kind))).toEqual([]);
  });

  it('is of a kind that the invariants of a whole table include', () => {
    expect(Object.keys(kindsWithInvariants).toSorted()).toEqual([...entities.keys()].toSorted());
  });
});

describe('a credential that an earlier commit issued', () => {
  const api = shared(startApi);

  it('goes on working if it is an identity’s token, which did not say whether it had a second factor', async () => {
    const place = await openWorkplace(api, await seedPerson({ emailVerified: true }));
    const { organization, session } = place.owner;
    const issuer = await startIssuer();
    const { identity } = (await api.post(`/identities/${organization.id}`, identityOf(issuer), session)).body;
    const subjectToken = await issuer.token(identity.id);
    const body = { identityId: identity.id, organizationSlug: organization.slug, subjectToken };
    const { token } = (await api.post('/auth/exchange', body)).body;
    const issued = readCredential(token, tokenPrefix);
    if (issued === undefined) throw new Error('No token was issued.');
    await transact([
      update(at(tokenRecord, issued.userId, issued.hash), { set: { secondFactor: undefined as never } }),
    ]);

    expect((await place.pull('dev', '', { as: { token } })).status).toBe(200);
    await issuer.stop();
  });

  it('is refused like an unknown one if it is a hand-off code that names no session', async () => {
    const place = await openWorkplace(api);
    const codeVerifier = randomBytes(32).toString('base64url');
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
    const offered = await api.post('/auth/cli-auth', { codeChallenge, name: 'laptop' }, place.owner.session);
    const { code } = offered.body;
    const issued = readCredential(code);
    if (issued === undefined) throw new Error('No code was issued.');
    await transact([update(at(handOffRecord, issued.hash), { set: { sessionHash: undefined as never } })]);

    const { status, body } = await api.post('/auth/cli-auth', { code, codeVerifier });
    expect([status, body.error?.code]).toEqual([400, 'invalid_token']);
  });
});
