import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import { at } from '#lib/table/read.ts';
import { handOffRecord, tokenRecord } from '#lib/table/records/credentials.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, useApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { untilEnd } from '#test/support/fixtures.ts';
import { offerToken, takeToken } from '#test/support/hand-off.ts';
import { entities } from '#test/support/invariants.ts';
import { startIssuer } from '#test/support/issuer.ts';
import { seedPerson } from '#test/support/people.ts';
import { issueToPipeline } from '#test/support/sample-requests.ts';

/* Items with the fewest attributes, from earlier commits. A commit that changes a kind adds the item as it was. */
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

describe('an item that an earlier commit wrote', () => {
  it.each([...new Set(items.map(({ kind }) => kind))])('can still be read: %s', kind => {
    for (const { commit: _, ...item } of items.filter(one => one.kind === kind)) {
      expect(() => entities[kind]?.parse(item)).not.toThrow();
    }
  });

  it('is kept here for every kind', () => {
    const kinds = new Set(items.map(({ kind }) => kind));
    expect(Object.keys(entities).filter(kind => !kinds.has(kind))).toEqual([]);
  });
});

describe('a credential that an earlier commit issued', () => {
  const api = useApi();

  it('goes on working if it is an identity’s token, which did not say whether it had a second factor', async () => {
    const place = await openWorkplace(api, await seedPerson({ emailVerified: true }));
    const issuer = await untilEnd(startIssuer());
    const { token } = await issueToPipeline(api, issuer, place.owner, {});
    const issued = readCredential(token, tokenPrefix);
    if (issued === undefined) throw new Error('No token was issued.');
    const stored = at(tokenRecord, issued.userId, issued.hash);
    await transact([update(stored, { set: { secondFactor: undefined as never } })]);

    expect((await place.pull('dev', '', { as: { token } })).status).toBe(200);
  });

  it('is refused like an unknown one if it is a hand-off code that names no session', async () => {
    const place = await openWorkplace(api);
    const { code, codeVerifier } = await offerToken(api, place.owner.session);
    const issued = readCredential(code);
    if (issued === undefined) throw new Error('No code was issued.');
    await transact([update(at(handOffRecord, issued.hash), { set: { sessionHash: undefined as never } })]);

    expect(codeOf(await takeToken(api, code, codeVerifier))).toBe('400 invalid_token');
  });
});
