import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { exportSPKI, importJWK, type JWTPayload, SignJWT } from 'jose';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
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
import { type Script, startHostileProvider } from '../support/sign-in/hostile-provider.ts';
import { type Company, useSignIn } from '../support/sign-in/scene.ts';
import { newDomain, openCompany, settingsOf, settingsPath, signIn, startUrl } from '../support/sign-in/sign-in.ts';
import { changesBetween, snapshotOf } from '../support/table-diff.ts';

/*
 * A provider that answers what no provider should, on behalf of whoever manages it, of somebody on the way to it, or of a
 * person who tampers with their own browser. Every answer is refused, nothing is created, the person gets one code, and
 * the owners one entry if the provider itself signed the answer.
 */

const domain = newDomain();
const { api, names, provider } = useSignIn(
  { sub: 'mallory', email: `mallory@${domain}`, email_verified: true },
  { LOG_LEVEL: 'SILENT' },
);
let company: Company;

beforeAll(async () => {
  company = await openCompany(api, names, provider, { domain });
});
afterEach(() => {
  provider.script = {};
});

/** Whatever comes of it, a sign-in writes these: what it has started, what it has counted, keys, and entries. */
const passing = [
  'startedSignIn',
  'rate',
  'issuerKeys',
  'audit',
  'auditCount',
  'auditPartitions',
  'session',
  'credentialKey',
];
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
  const before = {
    items: await snapshotOf(passing),
    sessions: await sessionCount(),
    entries: (await entries()).length,
  };
  provider.script = script;
  const browser = openBrowser();
  const { error, session, landed } = await signIn(api, browser, company.slug);
  provider.script = {};

  expect(session).toBeUndefined();
  expect(changesBetween(before.items, await snapshotOf(passing))).toEqual([]);
  expect(await sessionCount()).toBe(before.sessions);
  expect(Object.keys(signInErrors)).toContain(error);
  expect(`${landed.origin}${landed.pathname}`).toBe(`${new URL(api.url).origin}/log-in`);
  return { error, entries: (await entries()).length - before.entries };
}

const encoded = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');
const hmac = (claims: JWTPayload, secret: string | Uint8Array, kid?: string) => {
  const content = `${encoded({ alg: 'HS256', typ: 'JWT', ...(kid === undefined ? {} : { kid }) })}.${encoded(claims)}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
};
const send =
  (body: string | Buffer, status = 200) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);

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
  const signed: readonly [string, () => Script, code?: string][] = [
    ['of another issuer', () => ({ claims: { iss: 'https://login.example.com' } }), 'invalid_answer'],
    ['of the same issuer with a slash', () => ({ claims: { iss: `${provider.url}/` } })],
    ['without an issuer', () => ({ claims: { iss: undefined } })],
    ['with a list of issuers', () => ({ claims: { iss: [provider.url] } })],
    ['for another audience', () => ({ claims: { aud: 'another-client' } }), 'invalid_answer'],
    ['for no audience', () => ({ claims: { aud: undefined } })],
    ['for an empty list of audiences', () => ({ claims: { aud: [] } })],
    ['for audiences without this one', () => ({ claims: { aud: ['one', 'two'], azp: provider.client.clientId } })],
    [
      'for several audiences without azp',
      () => ({ claims: { aud: [provider.client.clientId, 'another'] } }),
      'invalid_answer',
    ],
    ['for several audiences and another azp', () => ({ claims: { aud: [provider.client.clientId, 'b'], azp: 'b' } })],
    ['for this audience and another azp', () => ({ claims: { azp: 'another-client' } }), 'invalid_answer'],
    ['for the audience in upper case', () => ({ claims: { aud: provider.client.clientId.toUpperCase() } })],
    ['without a nonce', () => ({ claims: { nonce: undefined } }), 'invalid_answer'],
    ['with another nonce', () => ({ claims: { nonce: 'another' } }), 'invalid_answer'],
    ['with an empty nonce', () => ({ claims: { nonce: '' } })],
    ['with the nonce in a list', () => ({ claims: { nonce: [provider.granted()?.nonce] } })],
    [
      'issued in the future',
      () => ({ claims: { iat: nowSeconds() + 3600, exp: nowSeconds() + 7200 } }),
      'invalid_answer',
    ],
    ['without iat', () => ({ claims: { iat: undefined } })],
    ['with iat as a text', () => ({ claims: { iat: String(nowSeconds()) } })],
    ['that has expired', () => ({ claims: { iat: nowSeconds() - 7200, exp: nowSeconds() - 3600 } }), 'invalid_answer'],
    ['without exp', () => ({ claims: { exp: undefined } })],
    ['with exp as a text', () => ({ claims: { exp: String(nowSeconds() + 300) } })],
    ['that is not valid yet', () => ({ claims: { nbf: nowSeconds() + 3600 } })],
    ['without a subject', () => ({ claims: { sub: undefined } })],
    ['with an empty subject', () => ({ claims: { sub: '' } })],
    ['with a number as its subject', () => ({ claims: { sub: 4711 } })],
    ['with a subject that is an object', () => ({ claims: { sub: { id: 'mallory' } } })],
    ['with a huge subject', () => ({ claims: { sub: 'a'.repeat(30_000) } })],
    ['with an address that is not verified', () => ({ claims: { email_verified: false } }), 'email_not_verified'],
    [
      'with an address that it doesn’t call verified',
      () => ({ claims: { email_verified: undefined }, userinfo: { email_verified: undefined } }),
      'email_not_verified',
    ],
    [
      'with an address verified by the text "true"',
      () => ({ claims: { email_verified: 'true' } }),
      'email_not_verified',
    ],
    ['with an address verified by a number', () => ({ claims: { email_verified: 1 } }), 'email_not_verified'],
    ['with an address verified by a list', () => ({ claims: { email_verified: [true] } }), 'email_not_verified'],
    [
      'with an address of another domain',
      () => ({ claims: { email: 'mallory@elsewhere.example' } }),
      'domain_not_verified',
    ],
    [
      'with an address of a subdomain',
      () => ({ claims: { email: `mallory@mail.${company.domain}` } }),
      'domain_not_verified',
    ],
    [
      'with an address of a domain that ends like it',
      () => ({ claims: { email: `mallory@not-${company.domain}` } }),
      'domain_not_verified',
    ],
    [
      'with an address of a domain that begins like it',
      () => ({ claims: { email: `mallory@${company.domain}.elsewhere.example` } }),
      'domain_not_verified',
    ],
    ['with two addresses in one', () => ({ claims: { email: `mallory@elsewhere.example,a@${company.domain}` } })],
    ['with two at signs', () => ({ claims: { email: `mallory@elsewhere.example@${company.domain}` } })],
    ['with a quoted address', () => ({ claims: { email: `"mallory@elsewhere.example"@${company.domain}` } })],
    ['with a line break in the address', () => ({ claims: { email: `mallory\r\nBcc: a@${company.domain}` } })],
    ['with a null character in the address', () => ({ claims: { email: `mallory\0@${company.domain}` } })],
    ['with an address and a space', () => ({ claims: { email: `mallory @${company.domain}` } })],
    ['with a list of addresses', () => ({ claims: { email: [`mallory@${company.domain}`] } })],
    ['with a huge address', () => ({ claims: { email: `${'m'.repeat(5000)}@${company.domain}` } })],
    ['with only the domain', () => ({ claims: { email: `@${company.domain}` } })],
  ];

  it.each(signed)('%s is refused, and the owners are told once', async (_, script, code) => {
    const { error, entries: told } = await attempt(script());
    expect(told).toBeLessThanOrEqual(1);
    if (code !== undefined) {
      expect(error).toBe(code);
      expect(told).toBe(1);
    }
    expect(['invalid_answer', 'email_missing', 'email_not_verified', 'domain_not_verified']).toContain(error);
    if (told === 1) {
      const [entry] = await entries();
      expect(entry.details.reason).toBe(error);
      expect(JSON.stringify(entry)).not.toMatch(/eyJ[\w-]+\./);
      expect(JSON.stringify(entry).length).toBeLessThan(3000);
    }
  });

  it('with an address that neither it nor userinfo has is refused', async () => {
    const { error } = await attempt({
      claims: { email: undefined, email_verified: undefined },
      userinfo: { email: undefined, email_verified: undefined },
    });
    expect(error).toBe('email_missing');
  });

  it('is refused like the others if the provider says more than once that it was verified', async () => {
    // The address of the one and the verification of the other must not be put together.
    const { error } = await attempt({
      claims: { email_verified: undefined },
      userinfo: { email: `somebody-else@${company.domain}`, email_verified: true },
    });
    expect(error).toBeDefined();
  });
});

describe('a userinfo response', () => {
  const absent = { email: undefined, email_verified: undefined };

  it.each<[string, Script]>([
    ['about somebody else', { claims: absent, userinfo: { sub: 'somebody-else' } }],
    ['about nobody', { claims: absent, userinfo: { sub: undefined } }],
    ['that is not verified', { claims: absent, userinfo: { email_verified: false } }],
    ['that is verified by a text', { claims: absent, userinfo: { email_verified: 'true' } }],
    ['that is a list', { claims: absent, parts: { userinfo: send('[]') } }],
    ['that is null', { claims: absent, parts: { userinfo: send('null') } }],
    ['that is no JSON', { claims: absent, parts: { userinfo: send('<html>') } }],
    ['that is an error', { claims: absent, parts: { userinfo: send('{}', 500) } }],
    [
      'that redirects',
      { claims: absent, parts: { userinfo: response => response.writeHead(302, { location: '/keys' }).end() } },
    ],
    ['of 10 MB', { claims: absent, parts: { userinfo: send(Buffer.alloc(10_000_000, 0x20)) } }],
  ])('%s is refused', async (_, script) => {
    const { error } = await attempt(script);
    expect(['invalid_answer', 'email_missing', 'email_not_verified']).toContain(error);
  });
});

describe('an id token that the provider did not sign', () => {
  const publicPem = async ({ publicJwk, alg }: SigningKey) =>
    exportSPKI((await importJWK({ ...publicJwk }, alg, { extractable: true })) as SigningKey['privateKey']);

  const unsigned: readonly [string, Script['sign']][] = [
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
    ['signed with a key that only its header has', async claims => signWithEmbeddedKey(claims)],
    ['that is no token', () => 'no token'],
    ['that is empty', () => ''],
    ['with four parts', async (claims, key) => `${await sign(claims, key)}.x`],
    ['of 10 MB', () => `${encoded({ alg: 'RS256' })}.${'e'.repeat(10_000_000)}.x`],
    ['with claims that are no object', async () => `${encoded({ alg: 'RS256' })}.${encoded([])}.x`],
  ];

  it.each(unsigned)('%s is refused, without an entry', async (_, forged) => {
    const { error, entries: told } = await attempt({ sign: forged as NonNullable<Script['sign']> });
    expect(['invalid_answer', 'provider_unavailable']).toContain(error);
    expect(told).toBe(0);
  });

  it.each([undefined, null, 42, ['a.b.c'], {}])('that is %j is refused', async idToken => {
    const { error, entries: told } = await attempt({ tokens: { id_token: idToken } });
    expect(['invalid_answer', 'provider_unavailable']).toContain(error);
    expect(told).toBe(0);
  });

  it.each(['RS384', 'RS512', 'PS256', 'ES512'])('that is signed with %s is refused', async alg => {
    provider.keys.push(await makeSigningKey(alg));
    await forgetKeys();
    try {
      const { error } = await attempt({});
      expect(['invalid_answer', 'provider_unavailable']).toContain(error);
    } finally {
      provider.keys.pop();
      await forgetKeys();
    }
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
  it.each<[string, NonNullable<Script['parts']>]>([
    ['that is down', { token: response => response.destroy() }],
    ['that fails', { token: send('{"error":"server_error"}', 500) }],
    ['that rejects the client', { token: send('{"error":"invalid_client"}', 401) }],
    ['that answers no JSON', { token: send('<html></html>') }],
    ['that answers a list', { token: send('[]') }],
    ['that answers 10 MB', { token: send(Buffer.alloc(10_000_000, 0x20)) }],
    ['that answers 10 MB slowly, without a length', { token: response => drip(response) }],
    ['that redirects', { token: response => response.writeHead(307, { location: `${provider.url}/token2` }).end() }],
    ['that redirects by 302', { token: response => response.writeHead(302, { location: '/keys' }).end() }],
  ])('%s is refused, without an entry', async (_, parts) => {
    const { error, entries: told } = await attempt({ parts });
    expect(['invalid_answer', 'provider_unavailable', 'provider_refused']).toContain(error);
    expect(told).toBe(0);
    expect(provider.received.filter(({ path }) => path.startsWith('/token2'))).toEqual([]);
  });

  it('that is silent is given up', async () => {
    const { error } = await attempt({ parts: { token: () => undefined } });
    expect(error).toBe('provider_unavailable');
  });

  it('gets a code once: a callback that is repeated doesn’t reach it', async () => {
    provider.script = { person: { sub: 'once', email: `once@${company.domain}` } };
    const before = provider.requests('token');
    const browser = openBrowser();
    const isCallback = (url: URL) => url.pathname.endsWith('/callback');
    const page = await browser.follow(await browser.open(startUrl(api, company.slug)), isCallback);
    const callback = page.location as URL;

    const ends = await Promise.all(Array.from({ length: 8 }, () => browser.open(callback)));
    await browser.open(callback);

    const errors = ends.map(({ location }) => new URLSearchParams(location?.hash.slice(1)).get('error') ?? 'ok');
    expect(errors.filter(error => error === 'ok')).toHaveLength(1);
    expect(errors.filter(error => error === 'sign_in_expired')).toHaveLength(7);
    expect(provider.requests('token') - before).toBe(1);
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
    const domain = newDomain();
    const fresh = await startHostileProvider({ sub: 'ada', email: `ada@${domain}`, email_verified: true });
    fresh.script = scriptOf(fresh.url);
    const other = await openCompany(api, names, fresh, { domain });
    const before = await snapshotOf(passing);
    const page = await openBrowser().open(startUrl(api, other.slug));
    const isLeft = page.location?.origin === fresh.url;
    const outcome = isLeft ? await signIn(api, openBrowser(), other.slug) : undefined;
    expect(changesBetween(before, await snapshotOf(passing))).toEqual([]);
    await fresh.stop();
    const landed = outcome?.landed ?? (page.location as URL);
    return { error: new URLSearchParams(landed.hash.slice(1)).get('error') ?? undefined, landed };
  }
  const ours = () => new URL(api.url).origin;

  it.each<[string, (url: string) => Script]>([
    ['of another issuer', () => ({ discovery: { issuer: 'https://login.example.com' } })],
    ['of the issuer with a slash', url => ({ discovery: { issuer: `${url}/` } })],
    ['without an issuer', () => ({ discovery: { issuer: undefined } })],
    ['without an authorization endpoint', () => ({ discovery: { authorization_endpoint: undefined } })],
    ['without a token endpoint', () => ({ discovery: { token_endpoint: undefined } })],
    ['without keys', () => ({ discovery: { jwks_uri: undefined } })],
    ['that is down', () => ({ parts: { discovery: response => response.destroy() } })],
    ['that is missing', () => ({ parts: { discovery: send('{}', 404) } })],
    ['that is no JSON', () => ({ parts: { discovery: send('<html>') } })],
    ['that is null', () => ({ parts: { discovery: send('null') } })],
    ['of 10 MB', () => ({ parts: { discovery: send(Buffer.alloc(10_000_000, 0x20)) } })],
    [
      'that redirects',
      () => ({ parts: { discovery: response => response.writeHead(302, { location: '/other' }).end() } }),
    ],
    ['with keys of 10 MB', () => ({ parts: { jwks: send(Buffer.alloc(10_000_000, 0x20)) } })],
    ['with keys that are no keys', () => ({ parts: { jwks: send('{"keys": "none"}') } })],
    [
      'with a script for an authorization endpoint',
      () => ({ discovery: { authorization_endpoint: 'javascript:alert(1)' } }),
    ],
    ['with data for an authorization endpoint', () => ({ discovery: { authorization_endpoint: 'data:text/html,a' } })],
    [
      'with a header in its authorization endpoint',
      url => ({ discovery: { authorization_endpoint: `${url}/a\r\nSet-Cookie: a=b` } }),
    ],
    ['with a path for an authorization endpoint', () => ({ discovery: { authorization_endpoint: '/authorize' } })],
    ['with a list of authorization endpoints', url => ({ discovery: { authorization_endpoint: [url] } })],
  ])('%s ends the sign-in before the browser leaves', async (_, scriptOf) => {
    const { error, landed } = await attemptAt(scriptOf);
    expect(error).toBe('provider_unavailable');
    expect(landed.origin).toBe(ours());
  });

  // Addresses that the service must never connect to, whatever a discovery document says.
  it.each([
    '10.0.0.1',
    '169.254.169.254',
    '192.168.1.1',
    '[fd00:ec2::254]',
    '0.0.0.0',
    '100.64.0.1',
    '[::ffff:10.0.0.1]',
  ])('with endpoints at %s is refused', async host => {
    for (const member of ['token_endpoint', 'jwks_uri', 'userinfo_endpoint', 'authorization_endpoint']) {
      const { error } = await attemptAt(() => ({
        discovery: { [member]: `http://${host}/x` },
        // The endpoint for userinfo is only used if the address is there.
        claims: { email: undefined, email_verified: undefined },
      }));
      expect(error, member).toBe('provider_unavailable');
    }
  });

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
      const { error } = await attemptAt(() => ({
        discovery: { token_endpoint: `${scheme}://127.0.0.1:${port}/` },
      }));
      expect(error).toBe('provider_unavailable');
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
      const { error, entries: told } = await attempt({ callback: { iss } });
      expect([error, told], String(iss)).toEqual(['invalid_answer', 0]);
      // The code is not sent anywhere: it may be another provider's.
      expect(provider.requests('token')).toBe(tokens);
    }
  });

  it.each(['access_denied', 'login_required', 'server_error', 'temporarily_unavailable', '<script>', 'a'.repeat(5000)])(
    'with the error %.30s ends at the log-in page with a code of ours',
    async error => {
      const ended = await attempt({ callback: { error, code: undefined, error_description: '<b>Call 555</b>' } });
      expect(ended.entries).toBe(0);
      expect(['provider_refused', 'provider_unavailable']).toContain(ended.error);
    },
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
  ])('%s is refused', async (_, callback) => {
    const { error, entries: told } = await attempt({ callback });
    expect(['sign_in_expired', 'invalid_answer', 'provider_refused', 'provider_unavailable']).toContain(error);
    expect(told).toBe(0);
  });
});

describe('the owners’ entries about refused answers', () => {
  it('are at most 100 an hour, and sign-ins are refused all the same', async () => {
    const domain = newDomain();
    const flooding = await startHostileProvider({ sub: 'ada', email: `ada@${domain}`, email_verified: false });
    try {
      const other = await openCompany(api, names, flooding, { domain });
      await transact([update(at(organizationRecord, other.slug), { set: { limitOverrides: { maxMembers: -1 } } })]);
      const errors = new Set<string | undefined>();
      // Only one of several first ones at once reads the discovery document.
      await signIn(api, openBrowser(), other.slug);
      for (let batch = 0; batch < 11; batch += 1) {
        const outcomes = await Promise.all(Array.from({ length: 10 }, () => signIn(api, openBrowser(), other.slug)));
        for (const { error, session } of outcomes) {
          expect(session).toBeUndefined();
          errors.add(error);
        }
      }
      expect([...errors].filter(error => error !== 'email_not_verified' && error !== 'rate_limited')).toEqual([]);
      const path = `/audit/${other.owner.organization.id}?action=sign_in.refused&limit=500`;
      expect((await api.get(path, other.owner.session)).body.entries).toHaveLength(100);
    } finally {
      await flooding.stop();
    }
  });
});

it('a provider that was replaced can’t complete what it started', async () => {
  // The tests before may have taken longer than a session is fresh.
  const owner = await seedSession(company.owner);
  const browser = openBrowser();
  const isCallback = (url: URL) => url.pathname.endsWith('/callback');
  provider.script = { person: { sub: 'late', email: `late@${company.domain}` } };
  const { location } = await browser.follow(await browser.open(startUrl(api, company.slug)), isCallback);
  const changed = settingsOf(provider, company.domain, { clientId: 'another-client' });
  await expectStatus(api.put(settingsPath(company.owner), changed, owner), 200);
  const before = await snapshotOf(passing);

  const end = await browser.open(location as URL);

  expect(end.location?.hash).toMatch(/^#error=(sign_in_expired|provider_not_configured)/);
  expect(changesBetween(before, await snapshotOf(passing))).toEqual([]);
  const restored = settingsOf(provider, company.domain);
  await expectStatus(api.put(settingsPath(company.owner), restored, owner), 200);
});
