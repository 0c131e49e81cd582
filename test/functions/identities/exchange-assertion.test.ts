import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { readCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import { attribute } from '#lib/table/expressions.ts';
import { at, find } from '#lib/table/read.ts';
import { tokenRecord } from '#lib/table/records/credentials.ts';
import { identityRecord, liveTokensRecord } from '#lib/table/records/identity.ts';
import { remove, transact, update } from '#lib/table/write.ts';
import { type Answer, codeOf, createProject, nowSeconds } from '#test/support/api.ts';
import { atOnce } from '#test/support/at-once.ts';
import { shared } from '#test/support/fixtures.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { identityOf, startIssuer } from '#test/support/issuer.ts';
import { recordRequest, startObservedApi } from '#test/support/observed-api.ts';
import { seedPerson } from '#test/support/people.ts';
import { countsOf } from '#test/support/record-calls.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { allItems } from '#test/support/table-dump.ts';

const api = shared(() => startObservedApi({ REQUESTS_PER_MINUTE: '100000' }));
const issuer = shared(startIssuer);
const ada = shared(seedPerson);
const project = shared(() => createProject(api, ada));
const pulled = () => `/secrets/${ada.organization.slug}/${project.slug}/dev`;
const identitiesPath = () => `/identities/${ada.organization.id}`;
async function makeIdentity(changes: Record<string, unknown> = {}): Promise<string> {
  const made = api.post(identitiesPath(), identityOf(issuer, changes), ada.session);
  return (await expectStatus(made, 201)).body.identity.id;
}

const change = (id: string, changes: Record<string, unknown>) =>
  expectStatus(api.patch(`${identitiesPath()}/${id}`, changes, ada.session), 200);
const endIdentity = (id: string) => expectStatus(api.delete(`${identitiesPath()}/${id}`, ada.session), 200);
const revoke = (token: string) => api.delete('/auth/tokens/current', { token });
const bodyOf = (identityId: string, subjectToken: string) => ({
  identityId,
  organizationSlug: ada.organization.slug,
  subjectToken,
});
const exchange = (identityId: string, subjectToken: string): Promise<Answer> =>
  api.post('/auth/exchange', bodyOf(identityId, subjectToken));

/** An identity whose assertions can be exchanged again and again, with one, and the tokens of that many exchanges. */
async function withTokens(count: number, changes: Record<string, unknown> = {}) {
  const id = await makeIdentity({ singleUse: false, ...changes });
  const subjectToken = await issuer.token(id);
  return { id, subjectToken, tokens: await exchangeTimes(count, id, subjectToken) };
}

async function exchangeTimes(times: number, id: string, subjectToken: string): Promise<string[]> {
  const tokens: string[] = [];
  for (let done = 0; done < times; done += 1) {
    tokens.push((await expectStatus(exchange(id, subjectToken), 201)).body.token);
  }
  return tokens;
}

const exchangeAtOnce = (times: number, id: string, subjectToken: string) =>
  atOnce(times, () => exchange(id, subjectToken));

/** For each token, whether a pull with it succeeds. A few at a time, because each pull makes several calls. */
async function work(tokens: readonly string[]): Promise<boolean[]> {
  const working: boolean[] = [];
  for (const some of chunksOf(10, tokens)) {
    const answers = await Promise.all(some.map(token => expectStatus(api.get(pulled(), { token }), 200, 401)));
    working.push(...answers.map(({ status }) => status === 200));
  }
  return working;
}

async function entriesOf(identityId: string, action: string) {
  const { body } = await api.get(`/audit/${ada.organization.id}?action=${action}&limit=500`, ada.session);
  return body.entries.filter(({ target }: { target: { id: string } }) => target.id === identityId);
}

const invalid = '401 invalid_assertion';
const replayed = '409 assertion_replayed';
const liveTokensOf = (id: string) => find(at(liveTokensRecord, id));
const assertionsOf = async (id: string) =>
  (await allItems()).filter(({ kind, identityId }) => kind === 'assertion' && identityId === id);

describe('an assertion of an identity with singleUse: false', () => {
  it('is exchanged each of the five times that a container starts with it, and each is audited', async () => {
    const { id, tokens } = await withTokens(5);

    expect(new Set(tokens).size).toBe(5);
    expect(await work(tokens)).toEqual(Array(5).fill(true));
    expect(await entriesOf(id, 'identity.token_issued')).toHaveLength(5);
    expect(await entriesOf(id, 'identity.refused')).toEqual([]);
  });

  it.each([
    ['twenty tokens', false, 20],
    ['one token if the identity is set to true', true, 1],
  ])('yields %s for twenty concurrent exchanges', async (_, singleUse, expected) => {
    const id = await makeIdentity({ singleUse });
    const answers = await exchangeAtOnce(20, id, await issuer.token(id, { jti: undefined }));
    const issued = answers.filter(({ status }) => status === 201).map(({ body }) => body.token);
    const codes = [...Array(expected).fill('201 ok'), ...Array(20 - expected).fill(replayed)];
    expect(answers.map(codeOf).toSorted()).toEqual(codes);
    expect(new Set(issued).size).toBe(expected);
    expect(await work(issued)).toEqual(Array(expected).fill(true));
    expect(await entriesOf(id, 'identity.token_issued')).toHaveLength(expected);
    expect(await entriesOf(id, 'identity.refused')).toHaveLength(singleUse ? 1 : 0);
  });

  it('still has to be genuine, fresh and for this identity', async () => {
    const id = await makeIdentity({ singleUse: false, maxAssertionAgeMinutes: 1 });
    const expired = await issuer.token(id, { iat: nowSeconds() - 100, exp: nowSeconds() - 70 });
    const old = await issuer.token(id, { iat: nowSeconds() - 130, exp: nowSeconds() + 900 });

    const ofOther = await issuer.token(await makeIdentity({ singleUse: false }));

    for (const token of [expired, old, ofOther]) expect(codeOf(await exchange(id, token))).toBe(invalid);
  });

  it.each([
    ['exp', { iat: -200, exp: -70 }, /it expired \d+ seconds ago \(exp\)/],
    [
      'iat',
      { iat: -1000, exp: 900 },
      /issued 10\d\d seconds ago \(iat\), and the identity accepts 600\. .*maxAssertionAgeMinutes/,
    ],
    ['iat', { iat: 200, exp: 900 }, /issued \d+ seconds from now \(iat\)\. Check the clock/],
    ['nbf', { iat: 0, nbf: 200, exp: 900 }, /not valid before \d+ seconds from now \(nbf\)/],
  ])('is told which time is wrong and how far, if everything else is right: %s', async (_, times, message) => {
    const id = await makeIdentity({ maxAssertionAgeMinutes: 10 });
    const claims = Object.fromEntries(Object.entries(times).map(([name, offset]) => [name, nowSeconds() + offset]));
    const refused = await exchange(id, await issuer.token(id, claims));
    expect(codeOf(refused)).toBe(invalid);
    expect(refused.body.error.message).toMatch(message);

    const vague = 'The token does not prove any identity of this organization.';
    const forged = (await issuer.token(id, claims)).replace(/.{8}$/, 'AAAAAAAA');
    expect((await exchange(id, forged)).body.error.message).toBe(vague);
    const elsewhere = await issuer.token(await makeIdentity({}), claims);
    expect((await exchange(id, elsewhere)).body.error.message).toBe(vague);
  });
});

describe('an assertion that was already exchanged', () => {
  it('is refused with an explanation of what to do', async () => {
    const id = await makeIdentity();
    const token = await issuer.token(id);
    await exchangeTimes(1, id, token);

    const answer = await exchange(id, token);

    expect(codeOf(answer)).toBe(replayed);
    expect(answer.body.error.message).toMatch(/already exchanged.*Get a new one.*workload.*`singleUse: false`/);
  });

  it('is accepted once the identity’s singleUse is false, even if it was refused before', async () => {
    const id = await makeIdentity();
    const token = await issuer.token(id);
    await exchangeTimes(1, id, token);
    expect(codeOf(await exchange(id, token))).toBe(replayed);

    await change(id, { singleUse: false });

    expect(await work(await exchangeTimes(3, id, token))).toEqual([true, true, true]);
  });

  it('is recorded until the last token with its jti has ended, even if an earlier one comes later', async () => {
    const id = await makeIdentity({ singleUse: false });
    const start = nowSeconds();
    const long = await issuer.token(id, { jti: 'repeated', exp: start + 500 });
    const short = await issuer.token(id, { jti: 'repeated', exp: start + 100 });

    expect(codeOf(await exchange(id, long))).toBe('201 ok');
    expect(codeOf(await exchange(id, short))).toBe('201 ok');
    expect((await assertionsOf(id)).map(({ expiresAt }) => Number(expiresAt) > start + 500)).toEqual([true]);
  });

  it('is refused once singleUse is true again, and each new one is exchanged once', async () => {
    const id = await makeIdentity({ singleUse: false });
    const [used, fresh] = [await issuer.token(id), await issuer.token(id)];
    await exchangeTimes(2, id, used);

    await change(id, { singleUse: true });

    expect(codeOf(await exchange(id, used))).toBe(replayed);
    expect(codeOf(await exchange(id, fresh))).toBe('201 ok');
    expect(codeOf(await exchange(id, fresh))).toBe(replayed);
    expect((await exchangeAtOnce(5, id, await issuer.token(id))).map(codeOf).toSorted()[0]).toBe('201 ok');
  });
});

describe('maxAssertionAgeMinutes', () => {
  it.each([
    [1, 100, '201 ok'],
    [1, 130, invalid],
    [10, 640, '201 ok'],
    [10, 670, invalid],
    [60, 3640, '201 ok'],
    [60, 3670, invalid],
  ])('of %i allows for a minute of clock skew: %i seconds old is %s', async (minutes, ageSeconds, expected) => {
    const id = await makeIdentity({ maxAssertionAgeMinutes: minutes });
    const token = await issuer.token(id, { iat: nowSeconds() - ageSeconds, exp: nowSeconds() + 86_400 });

    expect(codeOf(await exchange(id, token))).toBe(expected);
  });

  it('never extends the assertion’s own expiry', async () => {
    const id = await makeIdentity({ maxAssertionAgeMinutes: 60 });
    const token = await issuer.token(id, { iat: nowSeconds() - 900, exp: nowSeconds() - 70 });

    expect(codeOf(await exchange(id, token))).toBe(invalid);
  });

  it('can be raised without making an exchanged assertion usable again: its record lasts as long as the longest age', async () => {
    const id = await makeIdentity({ maxAssertionAgeMinutes: 1 });
    const issuedAt = nowSeconds() - 30;
    const token = await issuer.token(id, { iat: issuedAt, exp: issuedAt + 86_400 });
    await exchangeTimes(1, id, token);
    await change(id, { maxAssertionAgeMinutes: 60 });

    expect(codeOf(await exchange(id, token))).toBe(replayed);
    const records = await assertionsOf(id);
    expect(records).toHaveLength(2);
    for (const { expiresAt } of records) expect(expiresAt).toBeGreaterThanOrEqual(issuedAt + 3600 + 60);
  });
});

describe('the tokens of an identity', () => {
  it('are at most a hundred: the next exchange ends the oldest, and only it', async () => {
    const { id, subjectToken, tokens } = await withTokens(100);
    expect(await work(tokens)).toEqual(Array(100).fill(true));

    const [next = ''] = await exchangeTimes(1, id, subjectToken);

    expect(await work([...tokens, next])).toEqual([false, ...Array(100).fill(true)]);
    expect(codeOf(await api.get(pulled(), { token: tokens[0] as string }))).toBe('401 unauthenticated');
    await exchangeTimes(2, id, subjectToken);
    expect(await work(tokens.slice(0, 5))).toEqual([false, false, false, true, true]);
  }, 60_000);

  it('ended by an exchange are reported in its answer, its audit entry and on the identity', async () => {
    const id = await makeIdentity({ singleUse: false });
    const subjectToken = await issuer.token(id);
    expect((await exchange(id, subjectToken)).body.endedTokens).toBe(0);
    await exchangeTimes(99, id, subjectToken);
    const ended = async () => (await find(at(identityRecord, ada.organization.slug, id)))?.tokensEndedAt;
    expect(await ended()).toBeUndefined();

    expect((await exchange(id, subjectToken)).body.endedTokens).toBe(1);

    const entries = await entriesOf(id, 'identity.token_issued');
    const reported = entries.map(({ details }: { details: { endedTokens?: number } }) => details.endedTokens);
    expect(reported).toEqual([1, ...Array(100).fill(undefined)]);
    const { identity } = (await api.get(`${identitiesPath()}/${id}`, ada.session)).body;
    expect(identity.tokensEndedAt).toBe(await ended());
    expect(identity.tokensEndedAt).toEqual(expect.any(String));
  }, 60_000);

  it('are exactly a hundred after concurrent exchanges have passed the limit', async () => {
    const { id, subjectToken, tokens: first } = await withTokens(85);
    const answers = await exchangeAtOnce(30, id, subjectToken);

    expect(answers.map(codeOf)).toEqual(Array(30).fill('201 ok'));
    expect(await work(first)).toEqual([...Array(15).fill(false), ...Array(70).fill(true)]);
    expect(await work(answers.map(({ body }) => body.token))).toEqual(Array(30).fill(true));
    expect(await storedTokens(id)).toBe(100);
  }, 120_000);

  it('that have expired or were revoked make room, so that no valid one is ended for them', async () => {
    const { id, subjectToken, tokens: oldest } = await withTokens(2);
    const revoked = await exchangeTimes(1, id, subjectToken);
    const expired = await exchangeTimes(1, id, subjectToken);
    const others = await exchangeTimes(96, id, subjectToken);
    await expectStatus(revoke(revoked[0] as string), 200);
    await letExpire(id, expired[0] as string);

    const more = await exchangeTimes(2, id, subjectToken);

    expect(await work([...oldest, ...others, ...more])).toEqual(Array(100).fill(true));
    expect(await work([...revoked, ...expired])).toEqual([false, false]);
    await exchangeTimes(1, id, subjectToken);
    expect(await work(oldest)).toEqual([false, true]);
  }, 60_000);

  it('are forgotten when they have expired, however many there are', async () => {
    const { id, subjectToken, tokens: earlier } = await withTokens(1);
    const ended: [number, number] = [Date.now() - 300_000, Date.now() - 1000];
    const hashes = Array.from({ length: 99 }, () => randomBytes(32).toString('base64url'));
    const listed = (await liveTokensOf(id))?.tokens;
    const tokens = { ...listed, ...Object.fromEntries(hashes.map(hash => [hash, ended])) };
    await transact([update(at(liveTokensRecord, id), { set: { tokens, count: 100 } })]);

    const later = await exchangeTimes(1, id, subjectToken);

    expect(await work([...earlier, ...later])).toEqual([true, true]);
    expect((await liveTokensOf(id))?.count).toBe(2);
  });

  it('are counted again from nothing if DynamoDB removed the list with the last of them', async () => {
    const { id, subjectToken } = await withTokens(2);
    await transact([remove(at(liveTokensRecord, id))]);

    expect(await work(await exchangeTimes(2, id, subjectToken))).toEqual([true, true]);
  });

  it('all end with the identity, at once', async () => {
    const { id, subjectToken, tokens } = await withTokens(12);

    await endIdentity(id);

    expect(await work(tokens)).toEqual(Array(12).fill(false));
    for (const path of [pulled(), `/projects/${ada.organization.id}`]) {
      expect(codeOf(await api.get(path, { token: tokens[0] ?? '' }))).toBe('401 unauthenticated');
    }
    expect(codeOf(await exchange(id, subjectToken))).toBe(invalid);
  });

  it('cost two round trips and two calls to issue, even at the limit', async () => {
    const { id, subjectToken } = await withTokens(100);

    const { answer, calls } = await recordRequest(headers =>
      api.post('/auth/exchange', bodyOf(id, subjectToken), undefined, headers),
    );

    expect(answer.status).toBe(201);
    expect(countsOf(calls)).toMatchObject({ roundTrips: 2, calls: 2, kmsCalls: 0 });
  }, 60_000);
});

describe('DELETE /auth/tokens/current with an identity’s token', () => {
  it('revokes that token only, and the audit log names the identity', async () => {
    const { id, tokens } = await withTokens(2, { name: 'nightly' });
    const [first = '', second = ''] = tokens;

    expect(await revoke(first)).toMatchObject({ status: 200, body: { success: true } });
    expect(await work([first, second])).toEqual([false, true]);
    expect(codeOf(await revoke(first))).toBe('401 unauthenticated');
    const { body } = await api.get(`/audit/${ada.organization.id}?action=token.revoked&limit=1`, ada.session);
    expect(body.entries[0]).toMatchObject({
      actor: { id, email: null, name: 'nightly', type: 'identity' },
      target: { type: 'token', name: 'nightly' },
    });
    expect(body.entries[0].target.id).toBe(body.entries[0].actor.tokenId);
  });

  it('works with a read-only token that is limited to one environment', async () => {
    const { id: projectId, environments } = await createProject(api, ada, `Narrow ${randomUUID().slice(0, 8)}`);
    const id = await makeIdentity({ projectId, environmentId: environments[0]?.id, access: 'read', role: 'viewer' });
    const [token = ''] = await exchangeTimes(1, id, await issuer.token(id));

    expect((await revoke(token)).status).toBe(200);
    expect((await api.get(`/projects/${ada.organization.id}`, { token })).status).toBe(401);
  });

  it('revokes each of twenty tokens that are given back at once, while others are issued', async () => {
    const { id, subjectToken, tokens } = await withTokens(20);
    const revoking = Promise.all(tokens.map(revoke));
    const [revoked, issued] = await Promise.all([revoking, exchangeAtOnce(20, id, subjectToken)]);

    expect(revoked.map(codeOf)).toEqual(Array(20).fill('200 ok'));
    expect(issued.map(codeOf)).toEqual(Array(20).fill('201 ok'));
    expect(await work(tokens)).toEqual(Array(20).fill(false));
    expect(await work(issued.map(({ body }) => body.token))).toEqual(Array(20).fill(true));
    const live = await liveTokensOf(id);
    expect([Object.keys(live?.tokens ?? {}).length, live?.count]).toEqual([20, 20]);
  });

  it('is rejected like any other request once the identity is gone or trusts something else', async () => {
    const [deleted, changed] = [await makeIdentity(), await makeIdentity()];
    const tokens = await Promise.all(
      [deleted, changed].map(async id => (await exchangeTimes(1, id, await issuer.token(id)))[0] as string),
    );
    await endIdentity(deleted);
    await change(changed, { claims: { repository_id: '74' } });

    const answers = await Promise.all(tokens.map(revoke));

    expect(answers.map(codeOf)).toEqual(['401 unauthenticated', '401 unauthenticated']);
  });
});

it('leaves the table consistent', async () => {
  expect(violationsOf(await scanTable())).toEqual([]);
});

async function storedTokens(identityId: string): Promise<number> {
  const items = await scanTable();
  return items.filter(({ kind, pk }) => kind === 'token' && pk === `USER#${identityId}`).length;
}

/** Sets the token's end to a moment ago, in both places that have it. */
async function letExpire(identityId: string, secret: string): Promise<void> {
  const { hash } = readCredential(secret, tokenPrefix) ?? { hash: '' };
  const live = await find(at(liveTokensRecord, identityId));
  const agoMs = Date.now() - 1000;
  const expiryDate = new Date(agoMs).toISOString();
  const [issuedAtMs = 0] = live?.tokens[hash] ?? [];
  await transact([
    update(at(tokenRecord, identityId, hash), { set: { expiryDate } }),
    update(at(liveTokensRecord, identityId), {
      set: attribute<`tokens.${string}`, [number, number]>(`tokens.${hash}`, [issuedAtMs, agoMs]),
    }),
  ]);
}
