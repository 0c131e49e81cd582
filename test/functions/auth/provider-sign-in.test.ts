import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readCredential } from '#lib/crypto/credentials.ts';
import { profileOf, requireVerifiedDomain } from '#lib/providers/profile.ts';
import { at, find } from '#lib/table/read.ts';
import { sessionRecord } from '#lib/table/records/session.ts';
import { emailRecord, userRecord } from '#lib/table/records/user.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { type Answer, type Api, type Caller, sessionOf, startApi } from '#test/support/api.ts';
import { makeSigningKey } from '#test/support/issuer.ts';
import { type NameServer, startNameServer } from '#test/support/name-server.ts';
import { type Person, seedPerson, seedSession, testPassword } from '#test/support/people.ts';
import { expectStatus, mailedToken } from '#test/support/sample-requests.ts';
import { addApp, addPasskey, forgetUsedCodes, logInWithApp, settleFactors } from '#test/support/second-factors.ts';
import {
  client,
  type Ended,
  endIn,
  type SignInProvider,
  type Started,
  startIn,
  startSignInProvider,
} from '#test/support/sign-in-provider.ts';

let api: Api;
let names: NameServer;
let provider: SignInProvider;

beforeAll(async () => {
  [names, provider] = await Promise.all([startNameServer(), startSignInProvider()]);
  api = await startApi({ DNS_SERVERS: names.address });
});
afterAll(async () => {
  await api?.stop();
  await Promise.all([names?.stop(), provider?.stop()]);
});

const codeOf = ({ status, body }: Answer) => `${status} ${body?.error?.code ?? 'ok'}`;

interface Company {
  owner: Person;
  domain: string;
  path: string;
}

const configuration = (domain: string, changes: Record<string, unknown> = {}) => ({
  issuer: provider.url,
  clientId: client.id,
  clientSecret: client.secret,
  domains: [domain],
  defaultRole: 'viewer',
  ...changes,
});

/** An organization whose provider is set up and whose domain is verified. */
async function company(changes: Record<string, unknown> = {}): Promise<Company> {
  const owner = await seedPerson({ emailVerified: true });
  const domain = `${randomUUID().slice(0, 8)}.example.com`;
  const path = `/orgs/${owner.organization.id}/sign-in`;
  const { body } = await expectStatus(api.put(path, configuration(domain, changes), owner.session), 200);
  names.set(domain, [['v=spf1 -all'], [body.signIn.domains[0].txtRecord]]);
  await expectStatus(api.post(`${path}/domains/verify`, { domain }, owner.session), 200);
  return { owner, domain, path };
}

const personAt = (domain: string, changes: Record<string, unknown> = {}) => ({
  sub: randomUUID(),
  email: `${randomUUID().slice(0, 8)}@${domain}`,
  email_verified: true,
  ...changes,
});

async function answerWith(started: Started, claims: Record<string, unknown>, more = {}): Promise<Ended> {
  const code = provider.codeFor({ nonce: started.nonce, ...claims }, more);
  return endIn(api, started, { state: started.state, code });
}

async function signIn({ owner }: Company, claims: Record<string, unknown>, query = ''): Promise<Ended> {
  return answerWith(await startIn(api, owner.organization.slug, query), claims);
}

const entriesOf = async ({ owner }: Company, action: string) =>
  (await expectStatus(api.get(`/audit/${owner.organization.id}?action=${action}`, owner.session), 200)).body.entries;

const membersOf = async ({ owner }: Company) =>
  (await expectStatus(api.get(`/members/${owner.organization.id}`, owner.session), 200)).body.members;

describe('the settings', () => {
  it('keep the client secret out of every response, and its ciphertext out of the log', async () => {
    const { owner, path, domain } = await company();
    const { body } = await expectStatus(api.get(path, owner.session), 200);
    expect(body).toMatchObject({
      redirectUri: expect.stringContaining(`/v1/auth/provider/${owner.organization.slug}/callback`),
      signIn: { hasClientSecret: true, domains: [{ domain, verified: true }], required: false, defaultRole: 'viewer' },
    });
    expect(JSON.stringify(body)).not.toContain(client.secret);
    const [entry] = await entriesOf({ owner, path, domain }, 'sign_in.configured');
    expect(entry).toMatchObject({ details: { clientSecret: 'changed', issuer: { from: null, to: provider.url } } });
  });

  it('keep the stored secret and the proof of the domain unless the issuer or the client changes', async () => {
    const { owner, path, domain } = await company();
    const put = async (changes: Record<string, unknown>) =>
      (
        await expectStatus(
          api.put(path, { ...configuration(domain), clientSecret: undefined, ...changes }, owner.session),
          200,
        )
      ).body.signIn;
    expect(await put({ defaultRole: null })).toMatchObject({ hasClientSecret: true, defaultRole: null });
    expect(await put({ clientId: 'another' })).toMatchObject({
      hasClientSecret: false,
      domains: [{ verified: false }],
    });
  });

  it('verify a domain for one organization only, until it is dropped', async () => {
    const first = await company();
    const second = await seedPerson({ emailVerified: true });
    const path = `/orgs/${second.organization.id}/sign-in`;
    const { body } = await expectStatus(api.put(path, configuration(first.domain), second.session), 200);
    const verify = () => api.post(`${path}/domains/verify`, { domain: first.domain }, second.session);
    expect(codeOf(await verify())).toBe('409 domain_not_verified');
    const held = (await expectStatus(api.get(first.path, first.owner.session), 200)).body.signIn.domains[0].txtRecord;
    names.set(first.domain, [[held], [body.signIn.domains[0].txtRecord]]);
    expect(codeOf(await verify())).toBe('409 domain_taken');
    await expectStatus(api.put(first.path, configuration('other.example.com'), first.owner.session), 200);
    expect(codeOf(await verify())).toBe('200 ok');
  });

  it('refuse an issuer that the service must not contact, and a domain that is not one', async () => {
    const { owner, path } = await company();
    const refused = await api.put(path, configuration('example.com', { issuer: 'https://10.0.0.1' }), owner.session);
    expect(codeOf(refused)).toBe('400 invalid_request');
    expect(codeOf(await api.put(path, configuration('localhost'), owner.session))).toBe('400 invalid_request');
  });
});

describe('the methods of an address', () => {
  it('name the provider of a verified domain, whether or not there is an account, and of no other domain', async () => {
    const { owner, domain, path } = await company();
    const ask = async (email: string) => (await expectStatus(api.get(`/auth/sign-in?email=${email}`), 200)).body;
    const provided = { methods: ['password', 'passkey', 'provider'], organization: { slug: owner.organization.slug } };
    expect(await ask(`nobody@${domain.toUpperCase()}`)).toMatchObject(provided);
    const { methods } = await ask(owner.email);
    expect(methods).toEqual(['password', 'passkey']);
    expect(await ask('nobody@unknown.example')).toEqual({ methods: ['password', 'passkey'] });
    await expectStatus(api.delete(path, owner.session), 200);
    expect(await ask(`nobody@${domain}`)).toEqual({ methods: ['password', 'passkey'] });
  });
});

describe('a first sign-in', () => {
  it('makes an account without a password, a member with the default role, and a session of twelve hours', async () => {
    const acme = await company();
    const claims = personAt(acme.domain, { name: 'Grace' });
    const ended = await signIn(acme, claims, '?to=%2Fprojects');
    expect(ended.to).toBe('/projects');
    const session = ended.session as { cookie: string };
    const { body } = await expectStatus(api.get('/auth/me', session), 200);
    expect(body).toMatchObject({
      user: { email: claims.email, name: 'Grace', emailVerified: false },
      confinedTo: { id: acme.owner.organization.id, slug: acme.owner.organization.slug },
      organizations: [{ id: acme.owner.organization.id, role: 'viewer' }],
      authentication: { secondFactor: false, provider: { orgSlug: acme.owner.organization.slug } },
    });
    const [{ expiresAt, createdAt }] = (await expectStatus(api.get('/auth/sessions', session), 200)).body.sessions;
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBeLessThanOrEqual(12 * 60 * 60 * 1000);
    expect(await entriesOf(acme, 'member.joined')).toMatchObject([{ details: { role: 'viewer', via: 'provider' } }]);
    const login = await api.post('/auth/login', { email: claims.email, password: testPassword });
    expect(codeOf(login)).toBe('401 invalid_credentials');
  });

  it('sends the client’s secret, the code and the PKCE verifier to the token endpoint, and nowhere else', async () => {
    const acme = await company();
    const started = await startIn(api, acme.owner.organization.slug);
    const { searchParams } = started.location;
    expect(Object.fromEntries(searchParams)).toMatchObject({
      tenant: 'acme',
      response_type: 'code',
      client_id: client.id,
      code_challenge_method: 'S256',
    });
    await answerWith(started, personAt(acme.domain));
    const sent = provider.received.findLast(({ path }) => path === '/token');
    const credentials = Buffer.from((sent?.headers.authorization ?? '').slice('Basic '.length), 'base64').toString();
    expect(credentials).toBe(`${client.id}:not+a+secret%2Fof%2Bthe+service`);
    expect(new URLSearchParams(sent?.body.toString()).get('code_verifier')).toMatch(/^[\w-]{43}$/);
  });

  it('follows the subject when the address changes, and gives nobody else the account with it', async () => {
    const acme = await company();
    const claims = personAt(acme.domain);
    const first = await signIn(acme, claims);
    const { user } = (await expectStatus(api.get('/auth/me', first.session), 200)).body;
    const renamed = await signIn(acme, { ...claims, email: 'elsewhere@other.example', email_verified: false });
    expect((await expectStatus(api.get('/auth/me', renamed.session), 200)).body.user.id).toBe(user.id);
    const heir = await signIn(acme, { ...claims, sub: randomUUID() });
    expect(heir).toMatchObject({ to: '/log-in#error=link_required', session: undefined });
  });

  it('reads an address that only userinfo has, and believes it only about the same person', async () => {
    const acme = await company();
    const { email, sub } = personAt(acme.domain);
    onTestFinished(() => {
      provider.userinfo = undefined;
    });
    provider.userinfo = { sub: 'somebody-else', email, email_verified: true };
    expect((await signIn(acme, { sub })).to).toBe('/log-in#error=invalid_answer');
    provider.userinfo = { sub, email, email_verified: true };
    expect((await signIn(acme, { sub })).session).toBeDefined();
  });

  it('needs an invitation without a default role, and takes the role of the invitation', async () => {
    const acme = await company({ defaultRole: null });
    const claims = personAt(acme.domain);
    expect((await signIn(acme, claims)).to).toBe('/log-in#error=invitation_required');
    expect(await find(at(emailRecord, claims.email))).toBeUndefined();
    const invite = { email: claims.email, role: 'developer' };
    await expectStatus(api.post(`/members/${acme.owner.organization.id}/invite`, invite, acme.owner.session), 201);
    expect((await signIn(acme, claims)).session).toBeDefined();
    expect(await membersOf(acme)).toMatchObject([{ role: 'owner' }, { email: claims.email, role: 'developer' }]);
  });

  it('does not bring a removed member back, whom an invitation brings back in a session of their own', async () => {
    const acme = await company();
    const claims = personAt(acme.domain);
    await signIn(acme, claims);
    const { id } = (await membersOf(acme)).find(({ email }: { email: string }) => email === claims.email);
    await expectStatus(api.delete(`/members/${acme.owner.organization.id}/${id}`, acme.owner.session), 200);
    expect((await signIn(acme, claims)).to).toBe('/log-in#error=invitation_required');
    const invite = { email: claims.email, role: 'viewer' };
    const path = `/members/${acme.owner.organization.id}/invite`;
    const { token } = (await expectStatus(api.post(path, invite, acme.owner.session), 201)).body;
    expect((await signIn(acme, claims)).to).toBe('/log-in#error=invitation_required');
    await api.post('/auth/forgot-password', { email: claims.email });
    const newPassword = 'a sentence of my own';
    await api.post('/auth/reset-password', { token: await mailedToken(api, claims.email, 'Reset'), newPassword });
    const own = sessionOf(
      await expectStatus(api.post('/auth/login', { email: claims.email, password: newPassword }), 200),
    );
    await expectStatus(api.post(`/members/invite/${token}/accept`, undefined, own), 200);
    expect(await membersOf(acme)).toMatchObject([{ role: 'owner' }, { email: claims.email, role: 'viewer' }]);
  });

  it('creates nothing if the plan has no room for another member', async () => {
    const acme = await company();
    for (let count = 1; count < 10; count += 1) await signIn(acme, personAt(acme.domain));
    const claims = personAt(acme.domain);
    expect((await signIn(acme, claims)).to).toBe('/log-in#error=plan_limit_exceeded');
    expect(await find(at(emailRecord, claims.email))).toBeUndefined();
  });

  it('makes one account when it happens twice at once', async () => {
    const acme = await company();
    const claims = personAt(acme.domain);
    const ended = await Promise.all([signIn(acme, claims), signIn(acme, claims)]);
    expect(ended.map(({ to }) => to)).toEqual(['/', '/']);
    expect(await membersOf(acme)).toHaveLength(2);
  });
});

describe('an existing account', () => {
  it('is linked by its next log-in in the same browser, and by no other account’s', async () => {
    const acme = await company();
    const [ada, bob] = await Promise.all([seedPerson(), seedPerson()]);
    const claims = personAt(acme.domain);
    await moveTo(ada, claims.email);
    const refused = await signIn(acme, claims);
    expect(refused).toMatchObject({ to: '/log-in#error=link_required', session: undefined });
    const cookie = refused.cookie('__service_link') as string;
    const logIn = (email: string, kept?: string) =>
      expectStatus(
        api.post(
          '/auth/login',
          { email, password: testPassword },
          undefined,
          kept === undefined ? {} : { cookie: kept },
        ),
        200,
      );
    await logIn(bob.email, cookie);
    await logIn(claims.email);
    expect((await signIn(acme, claims)).to).toBe('/log-in#error=link_required');
    await logIn(claims.email, cookie);
    const ended = await signIn(acme, claims);
    const { user } = (await expectStatus(api.get('/auth/me', ended.session), 200)).body;
    expect(user.id).toBe(ada.user.id);
  });

  it('is asked for its own second factor, unless the provider’s is trusted', async () => {
    const acme = await company();
    const { ada, claims, app } = await linkedWithApp(acme);
    const asked = await signIn(acme, claims);
    expect(asked).toMatchObject({ to: '/log-in#error=second_factor_required', session: undefined });
    const cookie = asked.cookie('__service_factor') as string;
    const { body } = await expectStatus(api.post('/auth/provider/factor', {}, undefined, { cookie }), 200);
    expect(body.methods).toEqual(['totp', 'recovery_code']);
    const verified = await api.post('/auth/login/verify', { challenge: body.challenge, totp: app.code() });
    const session = sessionOf(await expectStatus(Promise.resolve(verified), 200));
    const me = (await expectStatus(api.get('/auth/me', session), 200)).body;
    expect(me.authentication).toMatchObject({
      secondFactor: true,
      provider: { orgSlug: acme.owner.organization.slug },
    });

    await expectStatus(api.put(acme.path, configuration(acme.domain, { trustFactor: true }), acme.owner.session), 200);
    expect((await signIn(acme, claims)).to).toBe('/log-in#error=second_factor_required');
    const trusted = await signIn(acme, { ...claims, amr: ['pwd', 'mfa'] });
    const there = (await expectStatus(api.get('/auth/me', trusted.session), 200)).body;
    expect(there.authentication.secondFactor).toBe(true);
    expect(there.organizations).toMatchObject([{ id: acme.owner.organization.id }]);
    expect(codeOf(await api.get(`/projects/${ada.organization.id}`, trusted.session))).toBe(
      '404 organization_not_found',
    );
    expect(codeOf(await api.delete('/auth/totp', trusted.session))).toBe('403 session_confined');
  });
});

/** Gives an account another address, as no request can. */
async function moveTo({ user }: Person, email: string): Promise<void> {
  await transact([
    update(at(userRecord, user.id), { set: { email } }),
    put(at(emailRecord, email), { userId: user.id }),
  ]);
}

async function linkedWithApp(acme: Company) {
  const ada = await seedPerson({ emailVerified: true });
  const claims = personAt(acme.domain);
  await moveTo(ada, claims.email);
  const cookie = (await signIn(acme, claims)).cookie('__service_link') as string;
  await expectStatus(
    api.post('/auth/login', { email: claims.email, password: testPassword }, undefined, { cookie }),
    200,
  );
  const app = await addApp(api, ada);
  return { ada, claims, app };
}

describe('a provider that doesn’t say whether addresses are verified', () => {
  it('is believed if its organization trusts it, but never against its word', async () => {
    const acme = await company({ trustEmail: true });
    const ended = async (changes: Record<string, unknown>) =>
      (await signIn(acme, { ...personAt(acme.domain, { email_verified: undefined }), ...changes })).to;

    expect(await ended({})).toBe('/');
    for (const email_verified of [false, 'true', 'false', null, 1, {}]) {
      expect(await ended({ email_verified })).toBe('/log-in#error=email_not_verified');
    }
    expect(await ended({ email: 'eve@other.example' })).toBe('/log-in#error=domain_not_verified');
    expect(await ended({ email: undefined })).toBe('/log-in#error=email_missing');
  });

  it.each([
    'https://login.microsoftonline.com/common/v2.0',
    'https://login.microsoftonline.com/organizations/v2.0',
    'https://login.microsoftonline.com/consumers/v2.0',
    'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
    'https://login.microsoftonline.com/acme.example/v2.0',
    'https://LOGIN.microsoftonline.com./common/v2.0/',
    'https://accounts.google.com',
    'https://gitlab.com',
  ])('can’t be %s, which is not one company’s', async issuer => {
    const acme = await company();
    const refused = await api.put(
      acme.path,
      configuration(acme.domain, { issuer, trustEmail: true }),
      acme.owner.session,
    );
    expect(codeOf(refused)).toBe('400 invalid_request');
    expect(refused.body.error.details).toMatchObject([{ path: expect.stringMatching(/^(trustEmail|issuer)$/) }]);
  });

  it('can be a tenant of Entra ID, whose tokens must be of that tenant', async () => {
    const tenant = '72f988bf-86f1-41af-91ab-2d7cd011db47';
    const issuer = `https://login.microsoftonline.com/${tenant}/v2.0`;
    const acme = await company();
    const put = api.put(acme.path, configuration(acme.domain, { issuer, trustEmail: true }), acme.owner.session);
    expect((await expectStatus(put, 200)).body.signIn.trustEmail).toBe(true);

    const domains = [{ domain: acme.domain, token: 't', verifiedAt: new Date().toISOString() }];
    const attempt = (tid: unknown) => () =>
      requireVerifiedDomain(
        { issuer, domains, trustEmail: true },
        { claims: { sub: 'ada', tid }, profile: profileOf({ email: `ada@${acme.domain}` }) },
      );
    expect(attempt(tenant)).not.toThrow();
    for (const tid of [undefined, '9188040d-6c67-4c5b-b112-36a304b66dad', [tenant]]) {
      expect(attempt(tid)).toThrow('email_not_verified');
    }
  });
});

it('no token sets, reads or removes a provider, however much it may do', async () => {
  const acme = await company();
  const made = await expectStatus(api.post('/auth/token', { name: 'full' }, acme.owner.session), 201);
  const thief = { token: made.body.token };
  const answers = [
    await api.get(acme.path, thief),
    await api.put(acme.path, configuration(acme.domain, { issuer: 'https://login.evil.example' }), thief),
    await api.post(`${acme.path}/domains/verify`, { domain: acme.domain }, thief),
    await api.delete(acme.path, thief),
  ];
  expect(answers.map(codeOf)).toEqual(Array.from({ length: 4 }, () => '403 insufficient_scope'));
  expect((await api.get(acme.path, acme.owner.session)).body.signIn.issuer).toBe(provider.url);
});

describe('a hostile answer creates nothing', () => {
  const start = async () => {
    const acme = await company();
    return { acme, claims: personAt(acme.domain), started: await startIn(api, acme.owner.organization.slug) };
  };

  it.each<[string, string, Record<string, unknown>]>([
    ['of another issuer', 'invalid_answer', { iss: 'https://other.example' }],
    ['for another audience', 'invalid_answer', { aud: 'somebody-else' }],
    ['for a further audience', 'invalid_answer', { aud: [client.id, 'other'] }],
    ['authorized for another party', 'invalid_answer', { azp: 'other' }],
    ['that has expired', 'invalid_answer', { exp: Math.floor(Date.now() / 1000) - 120 }],
    ['of the future', 'invalid_answer', { iat: Math.floor(Date.now() / 1000) + 3600 }],
    ['with the nonce of another browser', 'invalid_answer', { nonce: 'A'.repeat(43) }],
    ['without a nonce', 'invalid_answer', { nonce: undefined }],
    ['about an address that is not verified', 'email_not_verified', { email_verified: false }],
    ['that calls the address verified in a string', 'email_not_verified', { email_verified: 'true' }],
    ['without an address', 'email_missing', { email: undefined }],
    ['about an address that it doesn’t call verified', 'email_not_verified', { email_verified: undefined }],
    ['about an address of another domain', 'domain_not_verified', { email: 'eve@other.example' }],
  ])('if it is one %s; the owner sees it', async (_, code, changes) => {
    const { acme, claims, started } = await start();
    const ended = await answerWith(started, { ...claims, ...changes });
    expect(ended).toMatchObject({ to: `/log-in#error=${code}`, session: undefined });
    expect(await find(at(emailRecord, claims.email))).toBeUndefined();
    expect(await entriesOf(acme, 'sign_in.refused')).toMatchObject([{ details: { reason: code } }]);
  });

  it('if the provider did not sign it, and then it fills no log', async () => {
    const { acme, claims, started } = await start();
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const now = Math.floor(Date.now() / 1000);
    const payload = { iss: provider.url, aud: client.id, iat: now, exp: now + 60, nonce: started.nonce, ...claims };
    const token = `${encode({ alg: 'none' })}.${encode(payload)}.`;
    expect((await answerWith(started, claims, { token })).to).toBe('/log-in#error=invalid_answer');
    const forged = await startIn(api, acme.owner.organization.slug);
    const key = { ...(await makeSigningKey()), kid: provider.key.kid };
    expect((await answerWith(forged, claims, { key })).to).toBe('/log-in#error=invalid_answer');
    expect(await entriesOf(acme, 'sign_in.refused')).toEqual([]);
  });

  it('if its state was used, belongs to another browser, or is of another organization', async () => {
    const { claims, started, acme } = await start();
    const other = await startIn(api, acme.owner.organization.slug);
    const code = provider.codeFor({ nonce: started.nonce, ...claims });
    const stolen = await endIn(api, other, { state: started.state, code });
    expect(stolen.to).toBe('/log-in#error=sign_in_expired');
    expect((await endIn(api, started, { state: started.state, code })).session).toBeDefined();
    expect((await answerWith(started, claims)).to).toBe('/log-in#error=sign_in_expired');
  });

  it('if it names another issuer, or none although the provider announces it', async () => {
    const { claims, started } = await start();
    const code = provider.codeFor({ nonce: started.nonce, ...claims });
    const mixed = await endIn(api, started, { state: started.state, code, iss: 'https://other.example' });
    expect(mixed.to).toBe('/log-in#error=invalid_answer');
    const announcing = await startSignInProvider();
    onTestFinished(() => announcing.stop());
    announcing.discovery = { authorization_response_iss_parameter_supported: true };
    const acme = await company({ issuer: announcing.url });
    const [silent, named] = [
      await startIn(api, acme.owner.organization.slug),
      await startIn(api, acme.owner.organization.slug),
    ];
    const codeOfPerson = ({ nonce }: Started) => announcing.codeFor({ nonce, ...personAt(acme.domain) });
    const { state } = silent;
    expect((await endIn(api, silent, { state, code: codeOfPerson(silent) })).to).toBe('/log-in#error=invalid_answer');
    const honest = { state: named.state, code: codeOfPerson(named), iss: announcing.url };
    expect((await endIn(api, named, honest)).session).toBeDefined();
  });

  it('if another organization’s provider sends the browser here with its own state', async () => {
    const { acme, claims } = await start();
    const evil = await startSignInProvider();
    onTestFinished(() => evil.stop());
    const other = await company({ issuer: evil.url });
    // The attacker's provider forwards the browser to the honest one, which returns it to the honest organization.
    const there = await startIn(api, other.owner.organization.slug);
    const code = provider.codeFor({ nonce: there.nonce, ...claims });
    const before = provider.received.length + evil.received.length;
    const returned = { ...there, orgSlug: acme.owner.organization.slug };
    expect((await endIn(api, returned, { state: there.state, code })).to).toBe('/log-in#error=sign_in_expired');
    expect(provider.received.length + evil.received.length).toBe(before);
  });

  it('if it comes from the provider of another organization', async () => {
    const { acme, claims } = await start();
    const evil = await startSignInProvider();
    onTestFinished(() => evil.stop());
    const other = await company({ issuer: evil.url });
    const [here, there] = [
      await startIn(api, acme.owner.organization.slug),
      await startIn(api, other.owner.organization.slug),
    ];
    // The other provider passes on a code of the honest one, and signs the honest one's addresses itself.
    const passedOn = provider.codeFor({ nonce: here.nonce, ...claims });
    expect((await endIn(api, there, { state: there.state, code: passedOn })).session).toBeUndefined();
    const again = await startIn(api, other.owner.organization.slug);
    const forged = evil.codeFor({ nonce: again.nonce, ...claims });
    expect((await endIn(api, again, { state: again.state, code: forged })).to).toBe(
      '/log-in#error=domain_not_verified',
    );
  });

  it('if the provider refuses, is down, or answers ten megabytes', async () => {
    const { acme, claims, started } = await start();
    const refused = await endIn(api, started, { state: started.state, error: 'access_denied', session_state: 'x' });
    expect(refused.to).toBe('/log-in#error=provider_refused');
    onTestFinished(() => {
      provider.answerToken = undefined;
    });
    provider.answerToken = response => response.writeHead(200).end(`"${'a'.repeat(10_000_000)}"`);
    expect((await signIn(acme, claims)).to).toBe('/log-in#error=provider_unavailable');
    provider.answerToken = response => response.destroy();
    expect((await signIn(acme, claims)).to).toBe('/log-in#error=provider_unavailable');
  });

  it('and no start leads anywhere but to a path of the dashboard', async () => {
    const { acme } = await start();
    for (const to of ['//evil.example', '/\\evil.example', 'https://evil.example', '/%2Fevil.example', '/a%0d%0ab']) {
      const path = `/auth/provider/${acme.owner.organization.slug}/start?to=${encodeURIComponent(to)}`;
      expect(codeOf(await api.get(path)), to).toBe('400 invalid_request');
    }
  });
});

describe('an organization that requires its provider', () => {
  it('needs an owner with a second factor, and admits only them without the provider', async () => {
    const acme = await company();
    const require = () => api.put(acme.path, configuration(acme.domain, { required: true }), acme.owner.session);
    expect(codeOf(await require())).toBe('403 second_factor_required');
    const projects = `/projects/${acme.owner.organization.id}`;
    const app = await addApp(api, acme.owner);
    await settleFactors(acme.owner.user.id);
    const colleague = await seedPerson();
    await addMember(acme, colleague);
    await expectStatus(require(), 200);

    expect(codeOf(await api.get(projects, colleague.session))).toBe('403 provider_required');
    // The session that requires it has proved a settled factor before.
    expect(codeOf(await api.get(projects, acme.owner.session))).toBe('200 ok');
    const owner = await logInWithApp(api, acme.owner, app);
    expect(codeOf(await api.get(projects, owner))).toBe('200 ok');
    const token = (await expectStatus(api.post('/auth/token', { name: 't' }, owner), 201)).body.token;
    expect(codeOf(await api.get(projects, { token }))).toBe('403 provider_required');
    const provided = await signIn(acme, personAt(acme.domain));
    expect(codeOf(await api.get(projects, provided.session))).toBe('200 ok');

    const mails = (await api.mails()).filter(({ to }) => to === acme.owner.email);
    expect(mails.at(-1)?.subject).toBe('A log-in without your company’s sign-in provider');

    expect(codeOf(await api.delete('/auth/totp', owner))).toBe('409 last_owner');
    await expectStatus(api.delete(acme.path, owner), 200);
    expect(codeOf(await api.get(projects, colleague.session))).toBe('200 ok');
    expect(codeOf(await api.delete('/auth/totp', owner))).toBe('200 ok');
  });
});

/** Makes somebody a member by an invitation. */
async function addMember({ owner }: Company, person: Person): Promise<void> {
  const invite = { email: person.email, role: 'viewer' };
  const { body } = await expectStatus(api.post(`/members/${owner.organization.id}/invite`, invite, owner.session), 201);
  await expectStatus(api.post(`/members/invite/${body.token}/accept`, {}, person.session), 200, 201);
}

describe('stepping up', () => {
  const nowSeconds = () => Math.floor(Date.now() / 1000);
  const currentId = async (session: Caller): Promise<string> => {
    const { sessions } = (await expectStatus(api.get('/auth/sessions', session), 200)).body;
    return sessions.find(({ current }: { current: boolean }) => current).id;
  };

  it('sends its user to the provider again, and takes only the same person who has just signed in', async () => {
    const acme = await company();
    const claims = personAt(acme.domain);
    const session = (await signIn(acme, claims)).session as { cookie: string };
    const inAcme = { name: 't', organizationId: acme.owner.organization.id };
    expect(codeOf(await api.post('/auth/token', inAcme, session))).toBe('403 step_up_required');
    const stepUp = async (changes: Record<string, unknown>) => {
      const started = await startIn(api, acme.owner.organization.slug, '?stepUp=true', session);
      expect(started.location.searchParams.get('max_age')).toBe('0');
      return answerWith(started, { ...claims, ...changes });
    };
    expect((await stepUp({})).to).toBe('/log-in#error=not_fresh');
    expect((await stepUp({ auth_time: nowSeconds() - 3600 })).to).toBe('/log-in#error=not_fresh');
    const other = personAt(acme.domain);
    expect((await stepUp({ ...other, auth_time: nowSeconds() })).to).toBe('/log-in#error=other_person');
    const id = await currentId(session);
    const renewed = await stepUp({ auth_time: nowSeconds() });
    expect(renewed.to).toBe('/');
    expect(await currentId(renewed.session as Caller)).toBe(id);
    expect(codeOf(await api.get('/auth/me', session))).toBe('401 unauthenticated');
    expect(codeOf(await api.post('/auth/token', inAcme, renewed.session))).toBe('201 ok');
  });

  it('asks for the account’s own factor, and keeps the session’s id through any number of times', async () => {
    const acme = await company();
    const { ada, claims, app } = await linkedWithApp(acme);
    const withFactor = async (asked: Awaited<ReturnType<typeof signIn>>): Promise<Caller> => {
      expect(asked.to).toBe('/log-in#error=second_factor_required');
      const cookie = asked.cookie('__service_factor') as string;
      const { challenge } = (await expectStatus(api.post('/auth/provider/factor', {}, undefined, { cookie }), 200))
        .body;
      const verified = await expectStatus(api.post('/auth/login/verify', { challenge, totp: app.code() }), 200);
      await forgetUsedCodes(ada.user.id);
      return sessionOf(verified);
    };
    let session = await withFactor(await signIn(acme, claims));
    const id = await currentId(session);
    for (let times = 0; times < 2; times += 1) {
      const started = await startIn(api, acme.owner.organization.slug, '?stepUp=true', session);
      const before = session;
      session = await withFactor(await answerWith(started, { ...claims, auth_time: nowSeconds() }));
      expect(await currentId(session)).toBe(id);
      expect(codeOf(await api.get('/auth/me', before))).toBe('401 unauthenticated');
    }
  });

  it('accepts the round trip instead of a time that is never sent, if the organization does', async () => {
    const acme = await company({ acceptRoundTrip: true });
    const claims = personAt(acme.domain);
    const session = (await signIn(acme, claims)).session as { cookie: string };
    const inAcme = { name: 't', organizationId: acme.owner.organization.id };
    // A sign-in is no round trip that a session began.
    expect(codeOf(await api.post('/auth/token', inAcme, session))).toBe('403 step_up_required');
    const stepUp = async (changes: Record<string, unknown>) =>
      answerWith(await startIn(api, acme.owner.organization.slug, '?stepUp=true', session), { ...claims, ...changes });
    for (const auth_time of [null, 'now', nowSeconds() - 3600, nowSeconds() + 120, Date.now()]) {
      expect((await stepUp({ auth_time })).to).toBe('/log-in#error=not_fresh');
    }
    const renewed = await stepUp({});
    expect(codeOf(await api.post('/auth/token', inAcme, renewed.session))).toBe('201 ok');
    expect(codeOf(await api.post('/auth/token', { name: 'all' }, renewed.session))).toBe('403 session_confined');
  });

  it('takes a passkey without a password in such a session only', async () => {
    const acme = await company();
    const claims = personAt(acme.domain, { auth_time: nowSeconds() });
    const session = (await signIn(acme, claims)).session as { cookie: string };
    expect(codeOf(await api.post('/auth/step-up', {}, session))).toBe('400 invalid_request');
    const { user } = (await expectStatus(api.get('/auth/me', session), 200)).body;
    await transact([update(at(userRecord, user.id), { set: { emailVerified: true } })]);
    await expect(addPasskey(api, { session })).rejects.toThrow('session_confined');
    const { authenticator } = await addPasskey(api, { session: await seedSession({ user }) });
    await expectStatus(api.put(acme.path, configuration(acme.domain, { trustFactor: true }), acme.owner.session), 200);
    const again = (await signIn(acme, { ...claims, amr: ['mfa'] })).session as { cookie: string };
    const asked = await api.post('/auth/step-up', {}, again);
    expect(codeOf(asked)).toBe('401 second_factor_required');
    const { challenge, publicKey, methods } = asked.body.error.details;
    expect(methods).toEqual(['passkey']);
    const passkey = authenticator.get(publicKey);
    const stepped = await expectStatus(api.post('/auth/step-up', { challenge, passkey }, again), 200);
    expect(codeOf(await api.post('/auth/token', { name: 'all' }, sessionOf(stepped)))).toBe('201 ok');
    expect(codeOf(await api.post('/auth/step-up', {}, acme.owner.session))).toBe('400 invalid_request');
  });
});

describe('a test by the owner', () => {
  it('checks everything, and changes nothing', async () => {
    const acme = await company();
    const started = await startIn(api, acme.owner.organization.slug, '?test=true&to=%2Fsettings', acme.owner.session);
    const claims = personAt(acme.domain);
    const ended = await answerWith(started, claims);
    expect(ended).toMatchObject({ to: '/settings#tested', session: undefined });
    expect(await find(at(emailRecord, claims.email))).toBeUndefined();
    const stranger = await startIn(api, acme.owner.organization.slug, '?test=true');
    expect(stranger.location.hash).toBe('#error=session_required');
  });
});

describe('a provider session', () => {
  it('ends after twelve hours, however much it is used', async () => {
    const acme = await company();
    const session = (await signIn(acme, personAt(acme.domain))).session as { cookie: string };
    const { userId, hash } = readCredential(session.cookie.split('=')[1] as string) as { userId: string; hash: string };
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const age = (createdAt: string) =>
      transact([update(at(sessionRecord, userId, hash), { set: { createdAt, lastUsedAt: createdAt } })]);
    await age(hoursAgo(11.9));
    expect(codeOf(await api.get('/auth/me', session))).toBe('200 ok');
    await age(hoursAgo(12.1));
    expect(codeOf(await api.get('/auth/me', session))).toBe('401 unauthenticated');
  });
});
