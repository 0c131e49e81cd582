import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { exportSPKI, importJWK, type JWTPayload, SignJWT } from 'jose';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { signInErrors } from '#lib/contracts/auth/sign-in.ts';
import { at } from '#lib/table/read.ts';
import { issuerKeysRecord } from '#lib/table/records/identity.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { remove, transact, update } from '#lib/table/write.ts';
import { nowSeconds } from '#test/support/api.ts';
import { makeSigningKey, type SigningKey } from '../support/issuer.ts';
import { seedSession } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { openBrowser } from '../support/sign-in/browser.ts';
import type { Script } from '../support/sign-in/hostile-provider.ts';
import { type Company, openOwnCompany, useSignIn } from '../support/sign-in/scene.ts';
import {
  goToProvider,
  newDomain,
  openCompany,
  settingsOf,
  settingsPath,
  signIn,
  startUrl,
} from '../support/sign-in/sign-in.ts';
import { changesBetween, snapshotOf } from '../support/table-diff.ts';
import { words } from '../support/words.ts';

/* Wrong answers of a provider are refused, create nothing, and leave an entry only if the provider signed them. */

const domain = newDomain();
const email = `mallory@${domain}`;
const scene = useSignIn({ sub: 'mallory', email, email_verified: true }, { LOG_LEVEL: 'SILENT' });
const { api, names, provider } = scene;
let company: Company;

beforeAll(async () => {
  company = await openCompany(api, names, provider, { domain });
});
afterEach(() => {
  provider.script = {};
});

/** Whatever comes of it, a sign-in writes these: what it has started, what it has counted, keys, and entries. */
const passing = words('startedSignIn rate issuerKeys audit auditCount auditPartitions session credentialKey');
/** A session of the owner is used by the test. Another one would be created. */
const sessionCount = async () => [...(await snapshotOf([])).keys()].filter(key => key.startsWith('session ')).length;

const entries = async () => {
  const path = `/audit/${company.owner.organization.id}?action=sign_in.refused&limit=500`;
  return (await expectStatus(api.get(path, company.owner.session), 200)).body.entries;
};

/** As if the keys had never been fetched: they are fetched at most once a minute. */
const forgetKeys = (url = provider.url) => transact([remove(at(issuerKeysRecord, url))]);

/** @returns how the sign-in ended, and how many entries the owners got */
async function attempt(script: Script): Promise<{ error: string | undefined; entries: number }> {
  const [items, sessions, reported] = [await snapshotOf(passing), await sessionCount(), (await entries()).length];
  provider.script = script;
  const { error, session, landed } = await signIn(api, openBrowser(), company.slug);
  provider.script = {};

  expect(session).toBeUndefined();
  expect(changesBetween(items, await snapshotOf(passing))).toEqual([]);
  expect(await sessionCount()).toBe(sessions);
  expect(Object.keys(signInErrors)).toContain(error);
  expect(`${landed.origin}${landed.pathname}`).toBe(`${new URL(api.url).origin}/log-in`);
  return { error, entries: (await entries()).length - reported };
}

async function expectRefused(script: Script, ...errors: string[]): Promise<void> {
  const outcome = await attempt(script);
  expect(errors).toContain(outcome.error);
  expect(outcome.entries).toBe(0);
}
const [invalid, unavailable, refused] = ['invalid_answer', 'provider_unavailable', 'provider_refused'] as const;
const encoded = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');
const hmac = (claims: JWTPayload, secret: string | Uint8Array, kid?: string) => {
  const content = `${encoded({ alg: 'HS256', typ: 'JWT', ...(kid === undefined ? {} : { kid }) })}.${encoded(claims)}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
};
const send =
  (body: string | Buffer, status = 200) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);

const huge = Buffer.alloc(10_000_000, 0x20);
const redirect =
  (location: string, status = 302) =>
  (response: ServerResponse) =>
    response.writeHead(status, { location }).end();
const withoutAddress = { email: undefined, email_verified: undefined };

describe('an honest answer of the same provider', () => {
  it('signs its person in, so that the refusals below are refusals', async () => {
    provider.script = { person: { sub: 'honest', email: `honest@${company.domain}` } };
    const { error, session } = await signIn(api, openBrowser(), company.slug);
    expect([error, session === undefined]).toEqual([undefined, false]);
  });

  it('may have several audiences if it names the authorized party', async () => {
    const person = { sub: 'honest-too', email: `honest-too@${company.domain}` };
    const { clientId } = provider.client;
    provider.script = { person, claims: { aud: [clientId, 'another-api'], azp: clientId } };
    expect((await signIn(api, openBrowser(), company.slug)).error).toBeUndefined();
    provider.script = { person, claims: { aud: [clientId] } };
    expect((await signIn(api, openBrowser(), company.slug)).error).toBeUndefined();
  });
});

describe('an id token that the provider signed', () => {
  type Claims = NonNullable<Script['claims']>;
  const [unverified, elsewhere] = ['email_not_verified', 'domain_not_verified'];
  const signed: readonly [string, Claims | (() => Claims), code?: string, userinfo?: Script['userinfo']][] = [
    ['of another issuer', { iss: 'https://login.example.com' }, invalid],
    ['of the same issuer with a slash', () => ({ iss: `${provider.url}/` })],
    ['without an issuer', { iss: undefined }],
    ['with a list of issuers', () => ({ iss: [provider.url] })],
    ['for another audience', { aud: 'another-client' }, invalid],
    ['for no audience', { aud: undefined }],
    ['for an empty list of audiences', { aud: [] }],
    ['for audiences without this one', () => ({ aud: ['one', 'two'], azp: provider.client.clientId })],
    ['for several audiences without azp', () => ({ aud: [provider.client.clientId, 'another'] }), invalid],
    ['for several audiences and another azp', () => ({ aud: [provider.client.clientId, 'b'], azp: 'b' })],
    ['for this audience and another azp', { azp: 'another-client' }, invalid],
    ['for the audience in upper case', () => ({ aud: provider.client.clientId.toUpperCase() })],
    ['without a nonce', { nonce: undefined }, invalid],
    ['with another nonce', { nonce: 'another' }, invalid],
    ['with an empty nonce', { nonce: '' }],
    ['with the nonce in a list', () => ({ nonce: [provider.granted()?.nonce] })],
    ['issued in the future', () => ({ iat: nowSeconds() + 3600, exp: nowSeconds() + 7200 }), invalid],
    ['without iat', { iat: undefined }],
    ['with iat as a text', () => ({ iat: String(nowSeconds()) })],
    ['that has expired', () => ({ iat: nowSeconds() - 7200, exp: nowSeconds() - 3600 }), invalid],
    ['without exp', { exp: undefined }],
    ['with exp as a text', () => ({ exp: String(nowSeconds() + 300) })],
    ['that is not valid yet', () => ({ nbf: nowSeconds() + 3600 })],
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['with a number as its subject', { sub: 4711 }],
    ['with a subject that is an object', { sub: { id: 'mallory' } }],
    ['with a huge subject', { sub: 'a'.repeat(30_000) }],
    ['with an address that is not verified', { email_verified: false }, unverified],
    [
      'with an address it doesn’t call verified',
      { email_verified: undefined },
      unverified,
      { email_verified: undefined },
    ],
    ['with an address verified by the text "true"', { email_verified: 'true' }, unverified],
    ['with an address verified by a number', { email_verified: 1 }, unverified],
    ['with an address verified by a list', { email_verified: [true] }, unverified],
    ['with an address of another domain', { email: 'mallory@elsewhere.example' }, elsewhere],
    ['with an address of a subdomain', { email: `mallory@mail.${domain}` }, elsewhere],
    ['with an address of a domain that ends like it', { email: `mallory@not-${domain}` }, elsewhere],
    ['with an address of a domain that begins like it', { email: `mallory@${domain}.elsewhere.example` }, elsewhere],
    ['with two addresses in one', { email: `mallory@elsewhere.example,a@${domain}` }],
    ['with two at signs', { email: `mallory@elsewhere.example@${domain}` }],
    ['with a quoted address', { email: `"mallory@elsewhere.example"@${domain}` }],
    ['with a line break in the address', { email: `mallory\r\nBcc: a@${domain}` }],
    ['with a null character in the address', { email: `mallory\0@${domain}` }],
    ['with an address and a space', { email: `mallory @${domain}` }],
    ['with a list of addresses', { email: [`mallory@${domain}`] }],
    ['with a huge address', { email: `${'m'.repeat(5000)}@${domain}` }],
    ['with only the domain', { email: `@${domain}` }],
  ];

  it.each(signed)('%s is refused, and the owners are told once', async (_, claims, code, userinfo = {}) => {
    const script = { claims: typeof claims === 'function' ? claims() : claims, userinfo };
    const { error, entries: reported } = await attempt(script);
    expect(reported).toBeLessThanOrEqual(1);
    if (code !== undefined) expect([error, reported]).toEqual([code, 1]);
    expect([invalid, 'email_missing', unverified, elsewhere]).toContain(error);
    if (reported === 0) return;
    const [entry] = await entries();
    expect(entry.details.reason).toBe(error);
    expect(JSON.stringify(entry)).not.toMatch(/eyJ[\w-]+\./);
    expect(JSON.stringify(entry).length).toBeLessThan(3000);
  });

  it('with an address that neither it nor userinfo has is refused', async () => {
    expect((await attempt({ claims: withoutAddress, userinfo: withoutAddress })).error).toBe('email_missing');
  });

  it('is refused like the others if the provider says more than once that it was verified', async () => {
    // The address of the one and the verification of the other must not be put together.
    const userinfo = { email: `somebody-else@${domain}`, email_verified: true };
    expect((await attempt({ claims: { email_verified: undefined }, userinfo })).error).toBeDefined();
  });
});

it.each<[string, Script]>([
  ['about somebody else', { userinfo: { sub: 'somebody-else' } }],
  ['about nobody', { userinfo: { sub: undefined } }],
  ['that is not verified', { userinfo: { email_verified: false } }],
  ['that is verified by a text', { userinfo: { email_verified: 'true' } }],
  ['that is a list', { parts: { userinfo: send('[]') } }],
  ['that is null', { parts: { userinfo: send('null') } }],
  ['that is no JSON', { parts: { userinfo: send('<html>') } }],
  ['that is an error', { parts: { userinfo: send('{}', 500) } }],
  ['that redirects', { parts: { userinfo: redirect('/keys') } }],
  ['of 10 MB', { parts: { userinfo: send(huge) } }],
])('a userinfo response %s is refused', async (_, script) => {
  const { error } = await attempt({ claims: withoutAddress, ...script });
  expect([invalid, 'email_missing', 'email_not_verified']).toContain(error);
});

describe('an id token that the provider did not sign', () => {
  const publicPem = async ({ publicJwk, alg }: SigningKey) =>
    exportSPKI((await importJWK({ ...publicJwk }, alg, { extractable: true })) as SigningKey['privateKey']);

  const unsigned: readonly [string, NonNullable<Script['sign']>][] = [
    ['with alg none', claims => `${encoded({ alg: 'none' })}.${encoded(claims)}.`],
    ['with alg None', claims => `${encoded({ alg: 'None' })}.${encoded(claims)}.`],
    ['with alg none and a signature', claims => `${encoded({ alg: 'none' })}.${encoded(claims)}.c2lnbmVk`],
    ['with no signature under the right key', (claims, { alg, kid }) => `${encoded({ alg, kid })}.${encoded(claims)}.`],
    ['signed with the client’s secret (HS256)', claims => hmac(claims, provider.client.clientSecret)],
    ['signed with the public key (HS256)', async (claims, key) => hmac(claims, await publicPem(key), key.kid)],
    ['signed with the modulus (HS256)', (claims, { publicJwk, kid }) => hmac(claims, publicJwk.n ?? '', kid)],
    [
      'signed with another key of the same name',
      async (claims, { kid, alg }) => sign(claims, await makeSigningKey(alg, kid)),
    ],
    ['signed with a key that only its header has', signWithEmbeddedKey],
    ['that is no token', () => 'no token'],
    ['that is empty', () => ''],
    ['with four parts', async (claims, key) => `${await sign(claims, key)}.x`],
    ['of 10 MB', () => `${encoded({ alg: 'RS256' })}.${'e'.repeat(10_000_000)}.x`],
    ['with claims that are no object', () => `${encoded({ alg: 'RS256' })}.${encoded([])}.x`],
  ];

  it.each(unsigned)('%s is refused, without an entry', (_, forge) =>
    expectRefused({ sign: forge }, invalid, unavailable),
  );

  it.each([undefined, null, 42, ['a.b.c'], {}])('that is %j is refused', idToken =>
    expectRefused({ tokens: { id_token: idToken } }, invalid, unavailable),
  );

  it.each(['RS384', 'RS512', 'PS256', 'ES512'])('that is signed with %s is refused', async alg => {
    provider.keys.push(await makeSigningKey(alg));
    await forgetKeys();
    onTestFinished(async () => {
      provider.keys.pop();
      await forgetKeys();
    });
    expect([invalid, unavailable]).toContain((await attempt({})).error);
  });

  function sign(claims: JWTPayload, key: SigningKey, header: object = {}): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey);
  }

  async function signWithEmbeddedKey(claims: JWTPayload): Promise<string> {
    const key = await makeSigningKey('RS256');
    return sign(claims, key, { jwk: key.publicJwk, jku: `${provider.url}/keys` });
  }
});

describe('a token endpoint', () => {
  it.each<[string, NonNullable<Script['parts']>['token']]>([
    ['that is down', response => response.destroy()],
    ['that fails', send('{"error":"server_error"}', 500)],
    ['that rejects the client', send('{"error":"invalid_client"}', 401)],
    ['that answers no JSON', send('<html></html>')],
    ['that answers a list', send('[]')],
    ['that answers 10 MB', send(huge)],
    ['that answers 10 MB slowly, without a length', drip],
    ['that redirects', redirect('/token2', 307)],
    ['that redirects by 302', redirect('/keys')],
  ])('%s is refused, without an entry', async (_, token) => {
    await expectRefused({ parts: { token: token as NonNullable<typeof token> } }, invalid, unavailable, refused);
    expect(provider.received.filter(({ path }) => path.startsWith('/token2'))).toEqual([]);
  });

  it('that is silent is given up', async () => {
    expect((await attempt({ parts: { token: () => undefined } })).error).toBe(unavailable);
  });

  it('gets a code once: a callback that is repeated doesn’t reach it', async () => {
    provider.script = { person: { sub: 'once', email: `once@${company.domain}` } };
    const asked = provider.requests('token');
    const browser = openBrowser();
    const callback = await goToProvider(api, browser, company.slug);

    const ends = await Promise.all(Array.from({ length: 8 }, () => browser.open(callback)));
    await browser.open(callback);

    const errors = ends.map(({ location }) => new URLSearchParams(location?.hash.slice(1)).get('error') ?? 'ok');
    expect(errors.toSorted()).toEqual(['ok', ...Array(7).fill('sign_in_expired')]);
    expect(provider.requests('token') - asked).toBe(1);
  });

  function drip(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(Buffer.alloc(20_000, 0x20)), 5);
    response.on('close', () => clearInterval(timer));
  }
});

describe('a discovery document', () => {
  /** A provider of its own, because what a discovery document says is kept. */
  async function attemptAt(scriptOf: (url: string) => Script): Promise<{ error: string | undefined; landed: URL }> {
    const other = await openOwnCompany(scene, 'ada');
    other.provider.script = scriptOf(other.provider.url);
    const items = await snapshotOf(passing);
    const page = await openBrowser().open(startUrl(api, other.slug));
    const isLeft = page.location?.origin === other.provider.url;
    const outcome = isLeft ? await signIn(api, openBrowser(), other.slug) : undefined;
    expect(changesBetween(items, await snapshotOf(passing))).toEqual([]);
    const landed = outcome?.landed ?? (page.location as URL);
    return { error: new URLSearchParams(landed.hash.slice(1)).get('error') ?? undefined, landed };
  }
  const authorization = (authorization_endpoint: unknown) => ({ discovery: { authorization_endpoint } });

  it.each<[string, (url: string) => Script]>([
    ['of another issuer', () => ({ discovery: { issuer: 'https://login.example.com' } })],
    ['of the issuer with a slash', url => ({ discovery: { issuer: `${url}/` } })],
    ['without an issuer', () => ({ discovery: { issuer: undefined } })],
    ['without an authorization endpoint', () => authorization(undefined)],
    ['without a token endpoint', () => ({ discovery: { token_endpoint: undefined } })],
    ['without keys', () => ({ discovery: { jwks_uri: undefined } })],
    ['that is down', () => ({ parts: { discovery: response => response.destroy() } })],
    ['that is missing', () => ({ parts: { discovery: send('{}', 404) } })],
    ['that is no JSON', () => ({ parts: { discovery: send('<html>') } })],
    ['that is null', () => ({ parts: { discovery: send('null') } })],
    ['of 10 MB', () => ({ parts: { discovery: send(huge) } })],
    ['that redirects', () => ({ parts: { discovery: redirect('/other') } })],
    ['with keys of 10 MB', () => ({ parts: { jwks: send(huge) } })],
    ['with keys that are no keys', () => ({ parts: { jwks: send('{"keys": "none"}') } })],
    ['with a script for an authorization endpoint', () => authorization('javascript:alert(1)')],
    ['with data for an authorization endpoint', () => authorization('data:text/html,a')],
    ['with a header in its authorization endpoint', url => authorization(`${url}/a\r\nSet-Cookie: a=b`)],
    ['with a path for an authorization endpoint', () => authorization('/authorize')],
    ['with a list of authorization endpoints', url => authorization([url])],
  ])('%s ends the sign-in before the browser leaves', async (_, scriptOf) => {
    const { error, landed } = await attemptAt(scriptOf);
    expect(error).toBe(unavailable);
    expect(landed.origin).toBe(new URL(api.url).origin);
  });

  // Addresses that the service must never connect to, whatever a discovery document says.
  it.each(words('10.0.0.1 169.254.169.254 192.168.1.1 [fd00:ec2::254] 0.0.0.0 100.64.0.1 [::ffff:10.0.0.1]'))(
    'with endpoints at %s is refused',
    async host => {
      for (const member of ['token_endpoint', 'jwks_uri', 'userinfo_endpoint', 'authorization_endpoint']) {
        // The endpoint for userinfo is only used if the address is there.
        const script = { discovery: { [member]: `http://${host}/x` }, claims: withoutAddress };
        expect((await attemptAt(() => script)).error, member).toBe(unavailable);
      }
    },
  );

  it('with a token endpoint that is not HTTP never gets the secret', async () => {
    const sockets: Socket[] = [];
    const received: Buffer[] = [];
    const plain = createServer(socket => {
      sockets.push(socket);
      socket.on('data', chunk => received.push(chunk)).on('error', () => undefined);
      socket.end('220 mail.example ESMTP\r\n');
    });
    await new Promise<void>(resolve => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as { port: number };
    for (const scheme of ['ftp', 'gopher', 'file', 'smtp']) {
      const { error } = await attemptAt(() => ({ discovery: { token_endpoint: `${scheme}://127.0.0.1:${port}/` } }));
      expect(error).toBe(unavailable);
    }
    expect(received).toEqual([]);
    for (const socket of sockets) socket.destroy();
    plain.close();
  });
});

describe('a callback', () => {
  it('with another issuer, or without one where the provider announces it, is refused (RFC 9207)', async () => {
    for (const iss of ['https://login.example.com', `${provider.url}/`, '', undefined]) {
      const tokens = provider.requests('token');
      const { error, entries: reported } = await attempt({ callback: { iss } });
      expect([error, reported], String(iss)).toEqual([invalid, 0]);
      // The code is not sent anywhere: it may be another provider's.
      expect(provider.requests('token')).toBe(tokens);
    }
  });

  it.each(['access_denied', 'login_required', 'server_error', 'temporarily_unavailable', '<script>', 'a'.repeat(5000)])(
    'with the error %.30s ends at the log-in page with a code of ours',
    error =>
      expectRefused(
        { callback: { error, code: undefined, error_description: '<b>Call 555</b>' } },
        refused,
        unavailable,
      ),
  );

  it.each<[string, Record<string, string | undefined>]>([
    ['without a state', { state: undefined }],
    ['with another state', { state: 'another' }],
    ['with an empty state', { state: '' }],
    ['with a huge state', { state: 's'.repeat(4000) }],
    ['without a code', { code: undefined }],
    ['with an unknown code', { code: 'unknown' }],
    ['with an empty code', { code: '' }],
    ['with a line break in the code', { code: 'a\r\nb' }],
  ])('%s is refused', (_, callback) => expectRefused({ callback }, 'sign_in_expired', invalid, refused, unavailable));
});

it('the owners’ entries about refused answers are at most 100 an hour; sign-ins are refused all the same', async () => {
  const { slug, owner } = await openOwnCompany(scene, 'ada', { claims: { email_verified: false } });
  await transact([update(at(organizationRecord, slug), { set: { limitOverrides: { maxMembers: -1 } } })]);
  // Only one of several first ones at once reads the discovery document.
  await signIn(api, openBrowser(), slug);
  for (let batch = 0; batch < 11; batch += 1) {
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => signIn(api, openBrowser(), slug)));
    for (const { error, session } of outcomes) {
      expect(session).toBeUndefined();
      expect(['email_not_verified', 'rate_limited']).toContain(error);
    }
  }
  const path = `/audit/${owner.organization.id}?action=sign_in.refused&limit=500`;
  expect((await api.get(path, owner.session)).body.entries).toHaveLength(100);
});

it('a provider that was replaced can’t complete what it started', async () => {
  // The tests before may have taken longer than a session is fresh.
  const owner = await seedSession(company.owner);
  const browser = openBrowser();
  provider.script = { person: { sub: 'late', email: `late@${domain}` } };
  const callback = await goToProvider(api, browser, company.slug);
  const changed = settingsOf(provider, domain, { clientId: 'another-client' });
  await expectStatus(api.put(settingsPath(company.owner), changed, owner), 200);
  const before = await snapshotOf(passing);

  const end = await browser.open(callback);

  expect(end.location?.hash).toMatch(/^#error=(sign_in_expired|provider_not_configured)/);
  expect(changesBetween(before, await snapshotOf(passing))).toEqual([]);
  const restored = settingsOf(provider, domain);
  await expectStatus(api.put(settingsPath(company.owner), restored, owner), 200);
});
