import { createHmac, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { exportJWK, exportSPKI, importJWK } from 'jose';
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type LoadHandler, loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import type { Counter } from '#lib/limits/count.ts';
import { keyFetches, keyFetchesOfNetwork } from '#lib/limits/rate-limits.ts';
import { renewAccess } from '#lib/organizations/change-counts.ts';
import { isThere } from '#lib/table/expressions.ts';
import { at, find } from '#lib/table/read.ts';
import { identityRecord, issuerKeysRecord } from '#lib/table/records/identity.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { ConditionFailed, put, remove, transact, update } from '#lib/table/write.ts';
import { type Answer, codeOf, createProject, nowSeconds as now, useApi, useSettings } from '../support/api.ts';
import { shared } from '../support/fixtures.ts';
import { gate } from '../support/gate.ts';
import { scanTable, violationsOf } from '../support/invariants.ts';
import {
  claimsOf,
  type Issuer,
  identityOf,
  makeSigningKey,
  pipeline,
  type SigningKey,
  signToken,
  startIssuer,
} from '../support/issuer.ts';
import { recordRequest, startObservedApi, withFault } from '../support/observed-api.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { sendUntilClosed, startReceiver } from '../support/receiver.ts';
import { countsOf } from '../support/record-calls.ts';
import { expectStatus } from '../support/sample-requests.ts';

/** What the function that fetches keys does instead, by issuer. */
const otherFetches = new Map<string, () => unknown>();
const loadWithFetches: LoadHandler = async functionName => {
  const handler = await loadFromFunctions(functionName);
  if (functionName.name !== 'make-outbound-requests') return handler;
  return (event, context) =>
    (otherFetches.get((event as { issuer: string }).issuer) ?? (() => handler(event, context)))();
};

const api = useApi(() => startObservedApi({}, loadWithFetches));
const issuer = shared(startIssuer);
const ada = shared(seedPerson);
const grace = shared(seedPerson);
let pulled: string;

beforeAll(async () => {
  await createProject(api, ada);
  pulled = `/secrets/${ada.organization.slug}/shop/dev`;
  await api.put(pulled, { key: 'A', value: 'a' }, ada.session);
});

const pathOf = (id: string) => `/identities/${ada.organization.id}/${id}`;
/** Ada's identities made by the running test, which are deleted after it: an organization has at most 50. */
const made = new Set<string>();
afterEach(async () => {
  await Promise.all([...made].map(id => api.delete(pathOf(id), ada.session)));
  made.clear();
});

async function makeIdentity(
  changes: Record<string, unknown> = {},
  { of = ada, at: issuedBy = issuer }: { of?: Person; at?: { url: string } } = {},
): Promise<string> {
  const body = identityOf(issuedBy, changes);
  const created = await expectStatus(api.post(`/identities/${of.organization.id}`, body, of.session), 201);
  if (of.user.id === ada.user.id) made.add(created.body.identity.id);
  return created.body.identity.id;
}

function exchange(identityId: string, subjectToken: string, of = ada): Promise<Answer> {
  return api.post('/auth/exchange', { identityId, organizationSlug: of.organization.slug, subjectToken });
}

async function tokenFor(identityId: string, from: Pick<Issuer, 'token'> = issuer): Promise<{ token: string }> {
  const { body } = await expectStatus(exchange(identityId, await from.token(identityId)), 201);
  return { token: body.token };
}

/** An issuer of the running test alone, and an identity that it may use. */
async function ownIssuer(alg?: string, of = ada) {
  const own = await startIssuer(alg);
  onTestFinished(() => own.stop());
  return { own, id: await makeIdentity({}, { of, at: own }) };
}

async function entriesOf(identityId: string, action: string) {
  const { body } = await api.get(`/audit/${ada.organization.id}?action=${action}&limit=500`, ada.session);
  return body.entries.filter(({ target }: { target: { id: string } }) => target.id === identityId);
}

const send = (body: string) => (response: ServerResponse) => response.end(body);
const redirect = (response: ServerResponse) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end();
const encoded = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');
const retryAfter = ({ headers }: Answer) => Number(headers.get('retry-after'));
const unknownKey = { header: { kid: 'unknown' } };
const unavailable = '503 issuer_unavailable';
const invalid = '401 invalid_assertion';
const mismatch = '403 claims_mismatch';
const replayed = '409 assertion_replayed';

async function letPass(url: string, ms: number): Promise<void> {
  const item = at(issuerKeysRecord, url);
  const { fetchedAtMs, triedAtMs, endedAtMs } = (await find(item)) ?? { fetchedAtMs: 0, triedAtMs: 0, endedAtMs: 0 };
  const set = { fetchedAtMs: fetchedAtMs - ms, triedAtMs: triedAtMs - ms, endedAtMs: endedAtMs - ms };
  await transact([update(item, { set }, { if: isThere })]).catch(error => {
    // There is no such item if no fetch was started.
    if (!(error instanceof ConditionFailed)) throw error;
  });
}
const minute = 61_000;
const day = 24 * 60 * 60_000;

describe('a forged assertion', () => {
  let identityId: string;
  let foreignId: string;
  let attacker: SigningKey;
  beforeAll(async () => {
    attacker = await makeSigningKey();
    identityId = await makeIdentity();
    foreignId = await makeIdentity({}, { of: grace });
    // The keys are cached, so missing keys cause none of the refusals below.
    await tokenFor(identityId);
  });

  const hmac = (secret: string | Buffer) => {
    const content = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claimsOf(issuer, identityId))}`;
    return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
  };
  const publicKey = async () => {
    const [key] = issuer.keys as [SigningKey];
    return { jwk: key.publicJwk, spki: await exportSPKI((await importJWK(key.publicJwk, key.alg)) as never) };
  };
  const claiming = (claims: Record<string, unknown>) => () => issuer.token(identityId, claims);
  const byAttacker = (header: Record<string, unknown>) => () =>
    issuer.token(identityId, {}, { key: attacker, header: { kid: issuer.keys[0]?.kid, ...header } });
  const swapped = async () => {
    const [token, other] = await Promise.all([issuer.token(identityId), issuer.token(identityId, { ref: 'other' })]);
    return [...other.split('.').slice(0, 2), token.split('.')[2]].join('.');
  };

  const forgeries: readonly (readonly [string, () => string | Promise<string>])[] = [
    ['that is not signed (alg none)', () => `${encoded({ alg: 'none' })}.${encoded(claimsOf(issuer, identityId))}.`],
    ['signed by HMAC with the public key as PEM', async () => hmac((await publicKey()).spki)],
    ['signed by HMAC with the public key as JWK', async () => hmac(JSON.stringify((await publicKey()).jwk))],
    ['that brings its own key (jwk)', async () => byAttacker({ jwk: attacker.publicJwk })()],
    ['signed with another key under a known key id', byAttacker({})],
    ['with the signature of another assertion', swapped],
    ['with an extension that must be understood (crit)', () => critical()],
    ['without exp', claiming({ exp: undefined })],
    ['that has expired', claiming({ iat: now() - 300, exp: now() - 120 })],
    ['without iat', claiming({ iat: undefined })],
    ['from the future', claiming({ iat: now() + 120 })],
    ['that is old, even if it says that it is valid for a day', claiming({ iat: now() - 720, exp: now() + 86_400 })],
    ['that is not valid yet (nbf)', claiming({ nbf: now() + 120 })],
    ['without aud', claiming({ aud: undefined })],
    ['for a foreign audience', claiming({ aud: 'https://github.com/acme' })],
    ['for a second audience beside the right one', () => issuer.token(identityId, { aud: both(identityId) })],
    ['for the audience of another tenant’s identity', () => issuer.token(foreignId)],
    ['of another issuer', claiming({ iss: 'https://token.actions.githubusercontent.com' })],
    ['without an issuer', claiming({ iss: undefined })],
    ['that is junk', () => 'junk'],
    ['with parts that are junk', () => 'a.b.c'],
  ];
  const both = (id: string) => [`holdfast:identity:${id}`, 'https://github.com/acme'];
  async function critical() {
    // The signing library rejects such a header, so the token is assembled here.
    const [key] = issuer.keys as [SigningKey];
    const signed = `${encoded({ alg: key.alg, kid: key.kid, crit: ['x'], x: 1 })}.${encoded(claimsOf(issuer, identityId))}`;
    const signature = await crypto.subtle.sign(
      { name: 'ECDSA', hash: 'SHA-256' },
      key.privateKey as never,
      Buffer.from(signed),
    );
    return `${signed}.${Buffer.from(signature).toString('base64url')}`;
  }

  it.each(forgeries)('%s is rejected like an unknown identity', async (_, forge) => {
    const unknown = await exchange(randomUUID(), await issuer.token(identityId));

    const answer = await exchange(identityId, await forge());

    expect(codeOf(answer)).toBe(invalid);
    const { message } = answer.body.error;
    expect(answer.body.error).toEqual({ ...unknown.body.error, message, requestId: expect.any(String) });
    // Once signature and audience hold, it says which claim about time does not.
    if (!/its (exp|iat|nbf) is|\((exp|iat|nbf)\)/.test(message)) expect(message).toBe(unknown.body.error.message);
  });

  it.each(['jku', 'x5u'])('that contains an address for its key (%s) is rejected without contacting it', async name => {
    const address = await startReceiver();
    onTestFinished(() => address.stop());
    const forged = await byAttacker({ [name]: `${address.url}/keys` })();

    expect(codeOf(await exchange(identityId, forged))).toBe(invalid);
    expect(address.connections()).toBe(0);
  });

  it('leaves neither a token nor an audit entry behind', async () => {
    expect(await entriesOf(identityId, 'identity.token_issued')).toHaveLength(1);
    expect(await entriesOf(identityId, 'identity.refused')).toEqual([]);
  });

  it('with an algorithm that is not on the list is rejected', async () => {
    const { own, id } = await ownIssuer('RS512');
    // The key would also verify RS256, but the header decides.
    own.keys[0] = { ...(own.keys[0] as SigningKey), publicJwk: { ...own.keys[0]?.publicJwk, alg: 'RS256' } };

    expect(codeOf(await exchange(id, await own.token(id)))).toBe(invalid);
  });
});

describe('a genuine assertion', () => {
  it.each(['RS256', 'ES256', 'ES384', 'EdDSA'])('signed with %s is exchanged', async alg => {
    const { own, id } = await ownIssuer(alg);

    expect(codeOf(await exchange(id, await own.token(id)))).toBe('201 ok');
  });

  it('may list its audience in an array, and come from a clock that is half a minute fast', async () => {
    const id = await makeIdentity();
    const token = await issuer.token(id, { aud: [`holdfast:identity:${id}`], iat: now() + 30 });

    expect(codeOf(await exchange(id, token))).toBe('201 ok');
  });

  it('costs two round trips, and a pull with the token two', async () => {
    const id = await makeIdentity();
    await tokenFor(id);
    const subjectToken = await issuer.token(id);
    const body = { identityId: id, organizationSlug: ada.organization.slug, subjectToken };
    const exchanged = await recordRequest(headers => api.post('/auth/exchange', body, undefined, headers));
    const as = { token: exchanged.answer.body.token };
    const first = await recordRequest(headers => api.get(pulled, as, headers));
    const tag = { 'if-none-match': first.answer.headers.get('etag') ?? '' };
    // As if the process had not served the organization in the last second.
    resetProcessMemory('kept-access');
    const again = await recordRequest(headers => api.get(pulled, as, { ...headers, ...tag }));

    expect([exchanged.answer.status, first.answer.status, again.answer.status]).toEqual([201, 200, 304]);
    expect(countsOf(exchanged.calls)).toMatchObject({ roundTrips: 2, calls: 2, kmsCalls: 0 });
    expect(countsOf(first.calls)).toMatchObject({ roundTrips: 2, kmsCalls: 0 });
    expect(countsOf(again.calls)).toMatchObject({ roundTrips: 1, calls: 2, readUnits: 4, writeUnits: 0 });
  });
});

describe('the claims that an identity requires', () => {
  const events: Record<string, unknown>[] = [
    { event_name: 'pull_request' },
    { event_name: 'pull_request_target' },
    { event_name: 'pull_request_review' },
    { event_name: ['pull_request_target'] },
    { event_name: 'Pull_Request' },
    { event_name: 'PULL_REQUEST_TARGET' },
    { pipeline_source: 'merge_request_event' },
    { pipeline_source: 'external_pull_request_event' },
    { pipeline_source: 'Merge_Request_Event' },
    { Pipeline_Source: 'merge_request_event' },
    { event: 'pull_request' },
    { event_type: 'pullrequest:updated' },
    { ref_type: 'pull-request' },
    { build_reason: 'PullRequest' },
  ];
  it.each<[string, Record<string, unknown>, string]>([
    [
      'a repository created again under the same name',
      { repository_id: '75', repository: 'acme/web-shop' },
      'repository_id',
    ],
    ['a number in place of the text', { repository_id: 74 }, 'repository_id'],
    ['a flag', { repository_id: true }, 'repository_id'],
    ['a list that holds the text', { repository_id: ['74'] }, 'repository_id'],
    ['an object', { repository_id: { toString: '74' } }, 'repository_id'],
    ['null', { repository_id: null }, 'repository_id'],
    ['nothing', { repository_id: undefined }, 'repository_id'],
    ['the same text with a space', { repository_id: '74 ' }, 'repository_id'],
    ...events.map((claims): [string, typeof claims, string] => [
      `a pull request event that they do not name: ${JSON.stringify(claims)}`,
      { event_name: undefined, ...claims },
      Object.keys(claims).join(),
    ]),
  ])('are not met by %s', async (_, claims, rejected) => {
    const id = await makeIdentity();
    const answer = await exchange(id, await issuer.token(id, claims));

    expect(codeOf(answer)).toBe(mismatch);
    expect(answer.body.error.details).toEqual({ claims: [rejected] });
  });

  it.each([
    [{ pipeline_source: 'merge_request_event' }, { pipeline_source: 'merge_request_event' }],
    [{ '/event_name': ['push', 'pull_request'] }, { event_name: 'pull_request' }],
    [{}, { event_name: 'workflow_run', ref_type: 'branch', pipeline_source: 'push' }],
    [{}, { event_name: 'push', workflow: 'Pull Request', ref: 'refs/heads/pull_request' }],
  ])('are met by the event they name, or another one: %o accepts %o', async (demanded, claims) => {
    const id = await makeIdentity({ claims: { repository_id: '74', ...demanded } });

    expect(codeOf(await exchange(id, await issuer.token(id, { event_name: undefined, ...claims })))).toBe('201 ok');
  });

  it('can be met by such an event if they name it', async () => {
    const id = await makeIdentity({ claims: { ...pipeline, event_name: ['push', 'pull_request'] } });

    const attempt = async (event_name: string) => codeOf(await exchange(id, await issuer.token(id, { event_name })));

    expect([await attempt('pull_request'), await attempt('pull_request_target')]).toEqual(['201 ok', mismatch]);
  });

  it('can be nested, as in Kubernetes', async () => {
    const id = await makeIdentity({ claims: { '/kubernetes.io/serviceaccount/uid': 'u-1', '/a~1b': 'c' } });
    const account = (uid: unknown) => ({ 'kubernetes.io': { serviceaccount: { uid } }, 'a/b': 'c' });
    const present = async (claims: Record<string, unknown>) => exchange(id, await issuer.token(id, claims));

    expect(codeOf(await present(account('u-1')))).toBe('201 ok');
    const answer = await present(account('u-2'));
    expect(answer.body.error.details).toEqual({ claims: ['/kubernetes.io/serviceaccount/uid'] });
    expect(codeOf(await present({ 'kubernetes.io': 'u-1', 'a/b': 'c' }))).toBe(mismatch);
  });

  it.each([
    ['GitHub', 'https://token.actions.githubusercontent.com', { ref: 'refs/heads/main' }, 'repository_id'],
    ['GitLab', 'https://gitlab.com', { ref_protected: 'true' }, 'project_id'],
    ['another issuer', 'https://issuer.example.com', { '/sub': 'repo:acme/web-shop:ref:refs/heads/main' }, undefined],
  ])(
    'are never met if strangers could meet them, even for an identity from before that was rejected: %s',
    async (_, url, claims, wanted) => {
      const key = await makeSigningKey();
      const narrow = { repository_id: '74', project_id: '74' };
      const jwks = { keys: [key.publicJwk] };
      const id = await makeIdentity({ claims: { ...claims, ...narrow }, jwks }, { at: { url } });
      const present = async (by = key) =>
        exchange(id, await signToken({ url }, by, id, { ...claims, project_id: '74' }));
      expect(codeOf(await present())).toBe('201 ok');
      // As it was stored before such claims were rejected.
      await transact([
        update(at(identityRecord, ada.organization.slug, id), { set: { claims } }),
        renewAccess(ada.organization),
      ]);

      const answer = await present();

      expect(codeOf(answer)).toBe(mismatch);
      expect(answer.body.error.message).toMatch(/must require .*Ask an owner or admin to add such a claim\.$/);
      expect(answer.body.error.message).toContain(wanted ?? 'besides iss, aud and sub');
      expect(answer.body.error.details.claims.includes(wanted)).toBe(wanted !== undefined);
      expect(await entriesOf(id, 'identity.refused')).toHaveLength(1);
      // An assertion that proves nothing learns nothing about it.
      expect(codeOf(await present(await makeSigningKey()))).toBe(invalid);
      // It can still be renamed, and works again once its claims are narrow enough.
      await expectStatus(api.patch(pathOf(id), { name: 'renamed' }, ada.session), 200);
      await expectStatus(api.patch(pathOf(id), { claims: narrow }, ada.session), 200);
      expect(codeOf(await present())).toBe('201 ok');
    },
  );

  it('cause one audit entry for each assertion that does not meet them', async () => {
    const id = await makeIdentity();
    const token = await issuer.token(id, { ref: 'refs/heads/main', repository_id: '75' });
    await Promise.all([1, 2, 3].map(() => exchange(id, token)));

    const entries = await entriesOf(id, 'identity.refused');

    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      actor: { id, email: null, name: 'deploy', type: 'identity' },
      details: { reason: 'claims_mismatch', claims: 'repository_id' },
    });
  });
});

describe('an assertion that is presented again', () => {
  it('is recognized with another valid signature', async () => {
    const id = await makeIdentity();
    const token = await issuer.token(id, { jti: undefined });
    const [header, payload, signature = ''] = token.split('.');
    // ECDSA: if (r, s) verifies, so does (r, n − s).
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const bytes = Buffer.from(signature, 'base64url');
    const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
    const altered = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);

    expect(codeOf(await exchange(id, token))).toBe('201 ok');
    expect(codeOf(await exchange(id, [header, payload, altered.toString('base64url')].join('.')))).toBe(replayed);
  });

  it('is recognized by its jti', async () => {
    const id = await makeIdentity();
    const jti = randomUUID();

    expect(codeOf(await exchange(id, await issuer.token(id, { jti })))).toBe('201 ok');
    expect(codeOf(await exchange(id, await issuer.token(id, { jti, exp: now() + 200 })))).toBe(replayed);
  });
});

describe('the keys of an issuer', () => {
  it('are fetched once for twenty concurrent first exchanges', async () => {
    const { own, id } = await ownIssuer();
    const tokens = await Promise.all(Array.from({ length: 20 }, () => own.token(id)));

    const answers = await Promise.all(tokens.map(token => exchange(id, token)));

    // Requests during the fetch of the keys get 503, and succeed when retried.
    expect(answers.map(codeOf)).toContain('201 ok');
    for (const answer of answers) expect(['201 ok', unavailable]).toContain(codeOf(answer));
    const again = tokens.filter((_, index) => answers[index]?.status === 503);
    const served = await Promise.all(again.map(token => exchange(id, token)));
    expect(served.map(codeOf)).toEqual(again.map(() => '201 ok'));
    expect([own.fetches('discovery'), own.fetches('jwks')]).toEqual([1, 1]);
  });

  /** Whether exchanges are answered before the fetch times out after five seconds. */
  const answersAtOnce = async (first: Promise<Answer>, exchanges: readonly Promise<Answer>[]) => {
    const isFirst = first.then(() => 'late' as const);
    const answers = await Promise.race([Promise.all(exchanges), isFirst]);
    if (answers === 'late') throw new Error('The exchanges waited for the fetch.');
    return answers;
  };

  it('delay one request while the issuer is silent, and all others are told at once when to retry', async () => {
    const { own, id } = await ownIssuer();
    const tokens = await Promise.all(Array.from({ length: 20 }, () => own.token(id)));
    own.answer.discovery = () => undefined;
    const first = exchange(id, await own.token(id));
    await vi.waitFor(() => expect(own.fetches('discovery')).toBe(1), { timeout: 4000 });

    const exchanges = tokens.map(token => exchange(id, token));
    const answers = await answersAtOnce(first, exchanges);

    expect(answers.map(codeOf)).toEqual(Array(20).fill(unavailable));
    expect(Math.min(...answers.map(retryAfter))).toBeGreaterThanOrEqual(1);
    expect(Math.max(...answers.map(retryAfter))).toBeLessThanOrEqual(5);
    expect(codeOf(await first)).toBe(unavailable);
    expect(own.fetches('discovery')).toBe(1);
  });

  it('keep working while a silent issuer is asked for an unknown one', async () => {
    const { own, id } = await ownIssuer();
    await tokenFor(id, own);
    await letPass(own.url, minute);
    own.answer.discovery = () => undefined;
    const first = exchange(id, await own.token(id, {}, unknownKey));
    await vi.waitFor(() => expect(own.fetches('discovery')).toBe(2), { timeout: 4000 });
    const [genuine, other] = await Promise.all([own.token(id), own.token(id, {}, unknownKey)]);

    const answers = await answersAtOnce(first, [exchange(id, genuine), exchange(id, other)]);

    expect(answers.map(codeOf)).toEqual(['201 ok', unavailable]);
    expect(codeOf(await first)).toBe(invalid);
  });

  it('are fetched once for a thousand unknown key ids', async () => {
    const { own, id } = await ownIssuer();
    await tokenFor(id, own);
    await letPass(own.url, minute);
    const fetched = own.fetches('jwks');
    const codes = new Set<string>();
    for (let round = 0; round < 20; round += 1) {
      const unknown = Array.from({ length: 50 }, () => own.token(id, {}, { header: { kid: randomUUID() } }));
      const tokens = await Promise.all(unknown);
      for (const answer of await Promise.all(tokens.map(token => exchange(id, token)))) codes.add(codeOf(answer));
    }

    // 503 during the only fetch.
    codes.delete(unavailable);
    expect([...codes]).toEqual([invalid]);
    expect(own.fetches('jwks') - fetched).toBe(1);
  });

  it('may change: a new one is found, and a withdrawn one is forgotten', async () => {
    const { own, id } = await ownIssuer();
    const exchangeWith = async (key?: SigningKey) =>
      codeOf(await exchange(id, await own.token(id, {}, key === undefined ? {} : { key })));
    await tokenFor(id, own);
    const [old] = own.keys;
    own.keys.push(await makeSigningKey());
    // There is at most one fetch a minute.
    expect(await exchangeWith()).toBe(invalid);
    await letPass(own.url, minute);
    expect([await exchangeWith(), await exchangeWith(old)]).toEqual(['201 ok', '201 ok']);
    own.keys.shift();
    await letPass(own.url, 10 * minute);
    expect(await exchangeWith(old)).toBe(invalid);
    expect(own.fetches('jwks')).toBe(3);
  });

  it('are used for a day while the issuer is down, and no longer', async () => {
    const { own, id } = await ownIssuer();
    const exchangeNow = async () => exchange(id, await own.token(id));
    await tokenFor(id, own);
    own.answer.discovery = response => response.writeHead(500).end();
    await letPass(own.url, day - 2 * minute);
    expect(codeOf(await exchangeNow())).toBe('201 ok');
    await letPass(own.url, 3 * minute);
    const answer = await exchangeNow();
    expect(codeOf(answer)).toBe(unavailable);
    expect(answer.body.error.message).toBe('The keys of the issuer can’t be read: answered 500.');
    expect(retryAfter(answer)).toBeGreaterThan(0);
    expect(codeOf(await exchangeNow())).toBe(unavailable);
    // One for each of the three minutes with an exchange.
    expect(own.fetches('discovery')).toBe(3);
    delete own.answer.discovery;
    await letPass(own.url, minute);
    expect(codeOf(await exchangeNow())).toBe('201 ok');
  });

  it('are fetched again a minute after a process died while fetching them', async () => {
    const { own, id } = await ownIssuer();
    await tokenFor(id, own);
    const endedAtMs = Date.now() - 2 * day;
    const set = { fetchedAtMs: endedAtMs, endedAtMs, triedAtMs: Date.now() - 30_000 };
    await transact([update(at(issuerKeysRecord, own.url), { set })]);
    expect(codeOf(await exchange(id, await own.token(id)))).toBe(unavailable);
    await letPass(own.url, minute);
    expect(codeOf(await exchange(id, await own.token(id)))).toBe('201 ok');
  });

  it.each([
    ['blip', 201],
    ['answer-lost-once', 201],
    ['refused', 500],
    ['dies-after', 500],
  ] as const)('are found at once or in the next minute, whichever AWS call fails: %s', async (kind, status) => {
    const { own, id } = await ownIssuer();
    for (let position = 1; position <= 6; position += 1) {
      await transact([remove(at(issuerKeysRecord, own.url))]);
      const subjectToken = await own.token(id);
      const body = { identityId: id, organizationSlug: ada.organization.slug, subjectToken };
      const answer = await withFault({ kind, position }, headers =>
        api.post('/auth/exchange', body, undefined, headers),
      );
      await letPass(own.url, minute);
      const next = await exchange(id, await own.token(id));
      expect([answer.status === 201, next.status], `call ${position}`).toEqual([status === 201, 201]);
    }
  });

  const keysAt = (jwks_uri: string) => (own: Issuer) => ({
    discovery: send(JSON.stringify({ issuer: own.url, jwks_uri })),
  });
  const weak = [{ kty: 'RSA', n: 'A'.repeat(171), e: 'AQAB', kid: 'weak' }, { kty: 'oct', k: 'AAAA' }, null, 'x'];
  it.each<[string, (own: Issuer) => Issuer['answer'], string]>([
    ['an address without TLS', keysAt('http://169.254.169.254/latest/meta-data'), 'must be an https URL'],
    [
      'an address that is not public',
      keysAt('https://169.254.169.254/latest/meta-data'),
      'the address 169.254.169.254 is not public',
    ],
    [
      'such an address in IPv6',
      keysAt('https://[::ffff:169.254.169.254]/keys'),
      'the address ::ffff:a9fe:a9fe is not public',
    ],
    ['a private address', keysAt('https://10.0.0.1/keys'), 'the address 10.0.0.1 is not public'],
    ['a file', keysAt('file:///etc/passwd'), 'must be an absolute https URL'],
    ['a redirect', () => ({ discovery: redirect }), 'answered 302'],
    ['what is not JSON', () => ({ discovery: send('<html>') }), 'is not JSON'],
    ['the document of another issuer', () => ({ discovery: send('{"issuer":"https://x.example"}') }), 'another issuer'],
    ['an answer that never ends', () => ({ discovery: response => response.write('{') }), 'timed out after 5 s'],
    [
      'keys that are too weak, or meant for encryption',
      own => ({ jwks: send(JSON.stringify({ keys: [...weak, { ...own.keys[0]?.publicJwk, use: 'enc' }] })) }),
      'no usable key was found',
    ],
  ])('are not taken from %s', async (_, answerOf, problem) => {
    const { own, id } = await ownIssuer();
    Object.assign(own.answer, answerOf(own));

    const answer = await exchange(id, await own.token(id));

    expect(codeOf(answer)).toBe(unavailable);
    expect(answer.body.error.message).toContain(problem);
  });

  it('are read up to 64 KB, rather than all of 50 MB', async () => {
    const { own, id } = await ownIssuer();
    const megabyte = 1024 * 1024;
    const sentBytes = new Promise<number>(resolve => {
      own.answer.jwks = response => resolve(sendUntilClosed(response, 50 * megabyte));
    });

    const answer = await exchange(id, await own.token(id));

    expect(codeOf(answer)).toBe(unavailable);
    expect(answer.body.error.message).toContain('larger than 64 KB');
    // The sockets at both ends buffer bytes that were sent but not read.
    expect(await sentBytes).toBeLessThan(20 * megabyte);
  });

  it.each<[string, () => unknown]>([
    ['crashes', () => Promise.reject(new Error('out of memory'))],
    ['never answers', () => new Promise(() => undefined)],
    ['answers nothing', () => undefined],
    ['answers more than the documents may have', () => ({ keys: [], problem: 'x'.repeat(70_000) })],
    ['answers lines for the log', () => ({ problem: 'one\n{"level":"ERROR"}' })],
  ])('are fetched again a minute after the function that fetches them %s', { timeout: 20_000 }, async (_, instead) => {
    const { own, id } = await ownIssuer();
    otherFetches.set(own.url, instead);

    const answer = await exchange(id, await own.token(id));

    expect(codeOf(answer)).toBe(unavailable);
    expect(answer.body.error.message).toBe('The keys of the issuer can’t be read: the service could not fetch them.');
    expect(retryAfter(answer)).toBeGreaterThan(0);
    otherFetches.delete(own.url);
    expect(codeOf(await exchange(id, await own.token(id)))).toBe(unavailable);
    await letPass(own.url, minute);
    expect(codeOf(await exchange(id, await own.token(id)))).toBe('201 ok');
  });

  it('are stored without anything else that the function returns', async () => {
    const { own, id } = await ownIssuer();
    const { publicJwk } = own.keys[0] as SigningKey;
    otherFetches.set(own.url, () => ({ keys: [{ ...publicJwk, jku: 'https://evil.example' }], issuer: issuer.url }));

    expect(codeOf(await exchange(id, await own.token(id)))).toBe('201 ok');

    const kept = await find(at(issuerKeysRecord, own.url));
    expect(kept).toMatchObject({ issuer: own.url, keys: [{ kid: publicJwk.kid }] });
    expect(JSON.stringify(kept)).not.toContain('evil');
    expect(own.fetches('discovery')).toBe(0);
  });
});

it('failing exchanges count in a window of their own, which locks out no one whose keys are known', async () => {
  const { own, id: unknown } = await ownIssuer(undefined, grace);
  const attacker = await makeSigningKey();
  const [known, others] = [await makeIdentity({}, { of: grace }), await makeIdentity()];
  await tokenFor(others);
  const forged = (id: string) => issuer.token(id, {}, { key: attacker, header: { kid: issuer.keys[0]?.kid } });
  useSettings({ REQUESTS_PER_MINUTE: '30' });
  const tokens = await Promise.all(Array.from({ length: 8 }, () => forged(known)));

  const answers = await Promise.all(tokens.map(token => exchange(known, token, grace)));

  expect(answers.map(codeOf).toSorted()).toEqual([...Array(3).fill(invalid), ...Array(5).fill('429 rate_limited')]);
  expect(retryAfter(answers.find(({ status }) => status === 429) as Answer)).toBeGreaterThan(0);
  expect(codeOf(await exchange(known, await issuer.token(known), grace))).toBe('201 ok');
  expect(codeOf(await exchange(unknown, await own.token(unknown), grace))).toBe('429 rate_limited');
  expect(own.fetches('discovery')).toBe(0);
  expect(codeOf(await exchange(others, await forged(others)))).toBe(invalid);
});

describe('exchanges that wait for an issuer', () => {
  it.each<[string, () => Counter, (index: number) => Person]>([
    ['organization', () => keyFetches(grace.organization.slug), () => grace],
    ['network', () => keyFetchesOfNetwork('127.0.0.1'), index => [ada, grace][index % 2] as Person],
  ])('are limited per %s before they wait', async (_, counterOf, ownerOf) => {
    const released = gate();
    let waiting = 0;
    const wait = async () => {
      waiting += 1;
      await released.opened;
      return { problem: 'the test ended' };
    };
    const silent = await Promise.all(
      [0, 1, 2, 3].map(async index => {
        const [url, of] = [`https://${randomUUID()}.example.com`, ownerOf(index)];
        otherFetches.set(url, wait);
        const id = await makeIdentity({}, { of, at: { url } });
        const token = await signToken({ url }, issuer.keys[0] as SigningKey, id);
        return () => exchange(id, token, of);
      }),
    );
    const known = await makeIdentity({}, { of: grace });
    await tokenFor(await makeIdentity());
    useSettings({ REQUESTS_PER_MINUTE: '6000' });
    const { item, bound } = counterOf();
    expect(bound).toBeLessThanOrEqual(120);
    await transact([put(item, { tries: bound - 2, expiresAt: now() + 60 })]);
    const first = silent.slice(0, 2).map(send => send());
    try {
      await vi.waitFor(() => expect(waiting).toBe(2), { timeout: 4000 });

      const refused = await Promise.all(silent.slice(2).map(send => send()));

      expect(refused.map(codeOf)).toEqual(['429 rate_limited', '429 rate_limited']);
      expect(Math.min(...refused.map(retryAfter))).toBeGreaterThan(0);
      expect(waiting).toBe(2);
      expect(codeOf(await exchange(known, await issuer.token(known), grace))).toBe('201 ok');
    } finally {
      released.open();
      await Promise.all(first);
      await transact([remove(item)]);
    }
  });

  it('go on with keys that are known but old if too many wait', async () => {
    const { own, id } = await ownIssuer(undefined, grace);
    const exchangeNow = async (more = {}) => codeOf(await exchange(id, await own.token(id, {}, more), grace));
    expect(await exchangeNow()).toBe('201 ok');
    await letPass(own.url, 11 * 60_000);
    const counter = keyFetches(grace.organization.slug).item;
    useSettings({ REQUESTS_PER_MINUTE: '6000' });
    await transact([put(counter, { tries: 60, expiresAt: now() + 60 })]);
    const fetched = own.fetches('discovery');
    expect(await exchangeNow()).toBe('201 ok');
    expect(await exchangeNow(unknownKey)).toBe('429 rate_limited');
    expect(own.fetches('discovery')).toBe(fetched);
    await transact([put(counter, { tries: 60, expiresAt: now() - 1 })]);
    expect(await exchangeNow()).toBe('201 ok');
    expect(own.fetches('discovery')).toBe(fetched + 1);
  });
});

describe('an identity’s token', () => {
  it('stops working if the identity’s trust changes, but not if its name does', async () => {
    const id = await makeIdentity();
    const as = await tokenFor(id);
    await expectStatus(api.patch(pathOf(id), { name: 'renamed', tokenMinutes: 5 }, ada.session), 200);
    expect((await api.get(pulled, as)).status).toBe(200);
    await expectStatus(api.patch(pathOf(id), { claims: { repository_id: '74' } }, ada.session), 200);
    expect(codeOf(await api.get(pulled, as))).toBe('401 unauthenticated');
  });

  it('has the identity’s current rights', async () => {
    const id = await makeIdentity({ access: 'write' });
    const as = await tokenFor(id);
    const change = async () => codeOf(await api.put(pulled, { key: 'B', value: randomUUID() }, as));
    expect(await change()).toMatch(/^20[01] ok$/);
    const other = await createProject(api, ada, `Other ${id.slice(0, 8)}`);
    for (const [changes, code] of [
      [{ role: 'viewer' }, '403 forbidden'],
      [{ role: 'developer', access: 'read' }, '403 insufficient_scope'],
      [{ access: 'write', projectId: other.id }, '404 project_not_found'],
    ] as const) {
      await expectStatus(api.patch(pathOf(id), changes, ada.session), 200);
      expect(await change()).toBe(code);
    }
  });

  it('limited to a deleted project reaches nothing, not even a project with the same name', async () => {
    const { id: projectId, slug } = await createProject(api, ada, 'Short lived');
    const id = await makeIdentity({ projectId });
    const as = await tokenFor(id);
    const path = `/secrets/${ada.organization.slug}/${slug}/dev`;
    expect((await api.get(path, as)).status).toBe(200);
    await expectStatus(api.delete(`/projects/${ada.organization.id}/${slug}`, ada.session), 200);
    await vi.waitFor(
      () => expectStatus(api.post(`/projects/${ada.organization.id}`, { name: 'Short lived' }, ada.session), 201),
      { timeout: 20_000, interval: 200 },
    );

    for (const token of [as, await tokenFor(id)]) {
      expect(codeOf(await api.get(path, token))).toBe('404 project_not_found');
      const { body } = await expectStatus(api.get(`/projects/${ada.organization.id}`, token), 200);
      expect(body.projects).toEqual([]);
    }
  });

  it('reaches no account, no other organization, and no one else’s rights', async () => {
    const as = await tokenFor(await makeIdentity({ access: 'write' }));
    const { id } = ada.organization;
    const invitation = { email: 'x@example.com', role: 'viewer' };
    for (const [answer, code] of [
      [await api.get('/auth/me', as), '401 unauthenticated'],
      [await api.post('/orgs', { name: 'x' }, as), '401 unauthenticated'],
      [await api.get(`/projects/${grace.organization.id}`, as), '404 organization_not_found'],
      [await api.get(`/secrets/${grace.organization.slug}/shop/dev`, as), '404 organization_not_found'],
      [await api.get(`/identities/${id}`, as), '403 forbidden'],
      [await api.post(`/members/${id}/invite`, invitation, as), '403 insufficient_scope'],
      [await api.get('/admin/stats', as), '403 admin_required'],
    ] as const) {
      expect(codeOf(answer)).toBe(code);
    }
  });

  it('is named in the entries for what it changed and read', async () => {
    const id = await makeIdentity({ access: 'write', name: 'nightly' });
    await expectStatus(api.put(pulled, { key: 'NIGHTLY', value: 'x' }, await tokenFor(id)), 201);
    const { body } = await api.get(`${pulled}/versions/NIGHTLY`, ada.session);
    const entries = (await api.get(`/audit/${ada.organization.id}?action=secret.created&limit=1`, ada.session)).body;

    expect(body.versions[0].createdBy).toEqual({ id, email: 'nightly' });
    expect(entries.entries[0].actor).toMatchObject({ id, email: null, name: 'nightly', type: 'identity' });
    expect(entries.entries[0].actor.tokenId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('works if an organization requires a second factor, because it has no session', async () => {
    const id = await makeIdentity();
    const demand = (requireSecondFactor: boolean) =>
      transact([update(at(organizationRecord, ada.organization.slug), { set: { requireSecondFactor } })]);
    await demand(true);
    try {
      expect((await api.get(pulled, await tokenFor(id))).status).toBe(200);
      expect(codeOf(await api.get(pulled, ada.session))).toBe('403 second_factor_required');
    } finally {
      await demand(false);
    }
  });

  it('expires after the identity’s token lifetime', async () => {
    const id = await makeIdentity({ tokenMinutes: 5 });
    const answer = await exchange(id, await issuer.token(id));
    const minutes = (Date.parse(answer.body.expiresAt) - Date.now()) / 60_000;

    expect(minutes).toBeGreaterThan(4.5);
    expect(minutes).toBeLessThanOrEqual(5);
  });
});

it('leaves the table consistent', async () => {
  expect(violationsOf(await scanTable())).toEqual([]);
});

it('stores no assertion, and only the public part of keys', async () => {
  const items = await scanTable();
  const text = JSON.stringify(items);
  expect(text).not.toMatch(/eyJ[\w-]+\.[\w-]+\./);
  expect(items.filter(({ kind }) => kind === 'issuerKeys').length).toBeGreaterThan(5);
  const privateKey = await exportJWK(issuer.keys[0]?.privateKey as never);
  expect(text).not.toContain(privateKey.d);
  expect(await signToken(issuer, issuer.keys[0] as SigningKey, randomUUID())).toMatch(/^eyJ/);
});
