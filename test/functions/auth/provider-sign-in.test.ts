import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { profileOf, requireVerifiedDomain } from '#lib/providers/profile.ts';
import { at, find } from '#lib/table/read.ts';
import { emailRecord, userRecord } from '#lib/table/records/user.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { codeOf, entriesOf, membersOf } from '#test/support/answers.ts';
import { type Caller, sessionOf, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { startNameServer } from '#test/support/name-server.ts';
import { type Person, seedPerson, seedSession, testPassword } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { addApp, addPasskey, forgetUsedCodes } from '#test/support/second-factors.ts';
import {
  client,
  type Ended,
  endIn,
  type Started,
  startIn,
  startSignInProvider,
} from '#test/support/sign-in-provider.ts';

const names = shared(startNameServer);
const provider = shared(startSignInProvider);
const api = shared(() => startApi({ DNS_SERVERS: names.address }));

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

const signIn = async ({ owner }: Company, claims: Record<string, unknown>, query = ''): Promise<Ended> =>
  answerWith(await startIn(api, owner.organization.slug, query), claims);

describe('a first sign-in', () => {
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

  it('makes one account when it happens twice at once', async () => {
    const acme = await company();
    const claims = personAt(acme.domain);
    const ended = await Promise.all([signIn(acme, claims), signIn(acme, claims)]);
    expect(ended.map(({ to }) => to)).toEqual(['/', '/']);
    expect(await membersOf(api, acme.owner)).toHaveLength(2);
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

describe('a hostile answer creates nothing', () => {
  const start = async () => {
    const acme = await company();
    return { acme, claims: personAt(acme.domain), started: await startIn(api, acme.owner.organization.slug) };
  };

  it.each<[string, string, Record<string, unknown>]>([
    ['of another issuer', 'invalid_answer', { iss: 'https://other.example' }],
    ['for another audience', 'invalid_answer', { aud: 'somebody-else' }],
    ['that has expired', 'invalid_answer', { exp: Math.floor(Date.now() / 1000) - 120 }],
    ['with the nonce of another browser', 'invalid_answer', { nonce: 'A'.repeat(43) }],
    ['without an address', 'email_missing', { email: undefined }],
    ['about an address that it doesn’t call verified', 'email_not_verified', { email_verified: undefined }],
    ['about an address of another domain', 'domain_not_verified', { email: 'eve@other.example' }],
  ])('if it is one %s; the owner sees it', async (_, code, changes) => {
    const { acme, claims, started } = await start();
    const ended = await answerWith(started, { ...claims, ...changes });
    expect(ended).toMatchObject({ to: `/log-in#error=${code}`, session: undefined });
    expect(await find(at(emailRecord, claims.email))).toBeUndefined();
    expect(await entriesOf(api, acme.owner, 'action=sign_in.refused')).toMatchObject([{ details: { reason: code } }]);
  });
});

describe('stepping up', () => {
  const nowSeconds = () => Math.floor(Date.now() / 1000);
  const currentId = async (session: Caller): Promise<string> => {
    const { sessions } = (await expectStatus(api.get('/auth/sessions', session), 200)).body;
    return sessions.find(({ current }: { current: boolean }) => current).id;
  };

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

it('a test by the owner checks everything, and changes nothing', async () => {
  const acme = await company();
  const started = await startIn(api, acme.owner.organization.slug, '?test=true&to=%2Fsettings', acme.owner.session);
  const claims = personAt(acme.domain);
  const ended = await answerWith(started, claims);
  expect(ended).toMatchObject({ to: '/settings#tested', session: undefined });
  expect(await find(at(emailRecord, claims.email))).toBeUndefined();
  const stranger = await startIn(api, acme.owner.organization.slug, '?test=true');
  expect(stranger.location.hash).toBe('#error=session_required');
});
