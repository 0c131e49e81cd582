import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { newLink, newPendingLink } from '#lib/accounts/account-link.ts';
import { newChallenge } from '#lib/accounts/factors/challenge.ts';
import { requestOptions } from '#lib/accounts/factors/passkey-options.ts';
import { factorCookie } from '#lib/contracts/auth/sign-in-cookies.ts';
import { maximumLiveTokens } from '#lib/contracts/fields/identity-limits.ts';
import { verificationKeys } from '#lib/contracts/fields/verification-keys.ts';
import { routes } from '#lib/contracts/routes.ts';
import { totpCode, totpStep } from '#lib/crypto/totp.ts';
import { at, find } from '#lib/table/read.ts';
import { liveTokensRecord } from '#lib/table/records/identity.ts';
import { issuerKeysRecord } from '#lib/table/records/issuer-keys.ts';
import { personOf } from '#lib/table/records/provider-link.ts';
import { domainRecord, signInRecord } from '#lib/table/records/sign-in.ts';
import { emailRecord, userRecord } from '#lib/table/records/user.ts';
import { put, transact } from '#lib/table/write.ts';
import { type Answer, type Api, type Caller, sessionOf } from './api.ts';
import { createAuthenticator } from './authenticator.ts';
import { identityOf, makeSigningKey, type SigningKey, signToken } from './issuer.ts';
import { sharedNameServer } from './name-server.ts';
import { currentName, type Person, seedPerson, testPassword, testPasswordHash } from './people.ts';
import { addApp, addPasskey, fromBase32 } from './second-factors.ts';
import { client, type SignInProvider, startIn, startSignInProvider } from './sign-in-provider.ts';

/** A request as a client sends it. */
export interface SampleRequest {
  method: string;
  path: string;
  as?: Caller;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A request that succeeds: what it needs exists, and no other request interferes. */
export interface Prepared {
  request: SampleRequest;
  /** The expected statuses of the response. */
  works: readonly number[];
  /** Statuses of the same request after it has taken effect, if they differ. */
  repeats?: readonly number[];
  /** The request that its sender makes after a failure, where the same one works only once whatever becomes of it. */
  again?(): Promise<SampleRequest>;
  /** Whether the request has taken effect. Always true for reads. */
  isDone(): Promise<boolean>;
}

export interface Sample {
  /** The operation's id, followed by a word if the operation has several forms. */
  name: string;
  operationId: string;
  prepare(api: Api): Promise<Prepared>;
}

/** @throws Error naming the request if its response has none of the expected statuses. */
export async function expectStatus(answer: Promise<Answer>, ...statuses: number[]): Promise<Answer> {
  const got = await answer;
  if (!statuses.includes(got.status)) {
    throw new Error(`Expected ${statuses.join(' or ')}, got ${got.status}: ${JSON.stringify(got.body)}`);
  }
  return got;
}

/** The token in the newest e-mail to the address with such a subject; the background may still be sending it. */
export async function mailedToken(
  api: Api,
  email: string,
  subject: 'Verify' | 'Reset' | 'Your log-in',
): Promise<string> {
  return vi.waitFor(
    async () => {
      const mails = (await api.mails()).filter(mail => mail.to === email && mail.subject.includes(subject));
      const token = /#token=(\w+)/.exec(mails.at(-1)?.text ?? '')?.[1];
      if (token === undefined) throw new Error(`There is no mail with a link to ${email}.`);
      return token;
    },
    { timeout: 10_000, interval: 20 },
  );
}

export interface Place extends Person {
  slug: string;
  project: { id: string; slug: string };
  /** Path of the project's secrets. */
  secrets: string;
}

async function place(api: Api): Promise<Place> {
  const person = await seedPerson();
  const { id, slug } = person.organization;
  const created = await expectStatus(api.post(`/projects/${id}`, { name: 'Shop', slug: 'shop' }, person.session), 201);
  const there = { ...person, slug, project: created.body.project, secrets: `/secrets/${slug}/shop` };
  places.set(currentName() ?? '', there);
  return there;
}

const places = new Map<string, Place>();

/** The project created under a name; see `named`. */
export function placeOf(name: string): Place | undefined {
  return places.get(name);
}

async function placeWithSecrets(api: Api, count = 3): Promise<Place> {
  const there = await place(api);
  const secrets = Array.from({ length: count }, (_, index) => ({ key: `KEY_${index}`, value: `value ${index}` }));
  await expectStatus(api.post(`${there.secrets}/dev/bulk`, { secrets }, there.session), 200);
  return there;
}

/** Two revisions in `dev`. */
async function placeWithHistory(api: Api): Promise<Place> {
  const there = await placeWithSecrets(api);
  await expectStatus(api.put(`${there.secrets}/dev`, { key: 'KEY_1', value: 'changed' }, there.session), 200);
  return there;
}

export async function valuesIn(api: Api, { secrets, session }: Place, env = 'dev'): Promise<Record<string, string>> {
  const answer = await expectStatus(api.get(`${secrets}/${env}`, session), 200);
  return Object.fromEntries(answer.body.secrets.map((one: { key: string; value: string }) => [one.key, one.value]));
}

async function invite(api: Api, person: Person, email: string, role = 'developer') {
  const answer = await expectStatus(
    api.post(`/members/${person.organization.id}/invite`, { email, role }, person.session),
    201,
  );
  return answer.body as { invitation: { id: string }; token: string };
}

async function join(api: Api, person: Person, guest: Person, role = 'developer'): Promise<{ id: string }> {
  const { token } = await invite(api, person, guest.email, role);
  const answer = await expectStatus(api.post(`/members/invite/${token}/accept`, undefined, guest.session), 200);
  return answer.body.member;
}

/** The log has a delivery once it was made or has failed. */
async function untilLogged(api: Api, webhook: string, { session }: Person): Promise<void> {
  await vi.waitFor(async () => {
    if ((await api.get(webhook, session)).body.deliveries.length === 0)
      throw new Error('The delivery is not logged yet.');
  }, 10_000);
}

async function makeWebhook(api: Api, person: Person, url = 'http://127.0.0.1:9/') {
  const body = { url, events: ['secret.created'] };
  const answer = await expectStatus(api.post(`/webhooks/${person.organization.id}`, body, person.session), 201);
  return answer.body.webhook as { id: string };
}

/** Its keys are given, so nothing is fetched. */
const sampleIssuer = { url: 'https://issuer.example.com' };
let madeKey: Promise<SigningKey> | undefined;

function sampleKey(): Promise<SigningKey> {
  madeKey ??= makeSigningKey();
  return madeKey;
}

async function sampleKeys() {
  return { jwks: { keys: [(await sampleKey()).publicJwk] } };
}

async function makeIdentity(api: Api, { organization, session }: Person): Promise<{ id: string }> {
  const body = identityOf(sampleIssuer, await sampleKeys());
  return (await expectStatus(api.post(`/identities/${organization.id}`, body, session), 201)).body.identity;
}

/** An exchange of an identity's first assertion. */
async function exchanges(
  api: Api,
  person: Person,
  before: (identityId: string) => Promise<void> = async () => undefined,
): Promise<Prepared> {
  const { organization, session } = person;
  const { id } = await makeIdentity(api, person);
  await before(id);
  const subjectToken = await signToken(sampleIssuer, await sampleKey(), id);
  const body = { identityId: id, organizationSlug: organization.slug, subjectToken };
  return {
    request: { method: 'POST', path: '/auth/exchange', body },
    works: [201],
    repeats: [409],
    isDone: async () => {
      const path = `/audit/${organization.id}?action=identity.token_issued`;
      return (await expectStatus(api.get(path, session), 200)).body.entries.length > 0;
    },
  };
}

let sampleProvider: Promise<SignInProvider> | undefined;

interface PlaceWithProvider extends Person {
  slug: string;
  domain: string;
  signInPath: string;
  provider: SignInProvider;
}

/** An organization with a sign-in provider, whose keys the service knows already. */
async function placeWithProvider({ isVerified = true } = {}): Promise<PlaceWithProvider> {
  sampleProvider ??= startSignInProvider({ isShared: true });
  const [provider, person] = await Promise.all([sampleProvider, seedPerson({ emailVerified: true })]);
  const { id, slug } = person.organization;
  const domain = `d${randomBytes(6).toString('hex')}.example`;
  const now = Date.now();
  const verifiedAt = isVerified ? new Date(now).toISOString() : null;
  await transact([
    put(at(signInRecord, slug), {
      organizationId: id,
      version: randomUUID(),
      clientVersion: randomUUID(),
      issuer: provider.url,
      clientId: client.id,
      domains: [{ domain, token: randomBytes(20).toString('hex'), verifiedAt }],
      defaultRole: 'viewer',
      required: false,
      trustFactor: false,
      updatedAt: new Date(now).toISOString(),
    }),
    ...(verifiedAt === null ? [] : [put(at(domainRecord, domain), { organizationId: id, orgSlug: slug, verifiedAt })]),
  ]);
  const { publicJwk } = provider.key;
  await transact([
    put(at(issuerKeysRecord, provider.url), {
      issuer: provider.url,
      keys: verificationKeys({ keys: [publicJwk] }),
      endpoints: {
        authorization: `${provider.url}/authorize`,
        token: `${provider.url}/token`,
        sendsIssuer: false,
        clientAuthentication: 'client_secret_basic',
      },
      fetchedAtMs: now,
      triedAtMs: now,
      endedAtMs: now,
      fetchId: randomUUID(),
      expiresAt: Math.ceil(now / 1000) + 86_400,
    }),
  ]);
  return { ...person, slug, domain, signInPath: `/orgs/${id}/sign-in`, provider };
}

/** What a link of the organization’s provider refers to. */
async function pendingOf({ organization, slug, domain }: PlaceWithProvider) {
  const signIn = await find(at(signInRecord, slug));
  if (signIn === undefined) throw new Error('The place has no provider.');
  const { issuer, clientVersion } = signIn;
  return {
    organizationId: organization.id,
    orgSlug: slug,
    domain,
    issuer,
    clientVersion,
    person: personOf(issuer, randomUUID()),
    epoch: 0,
  };
}

async function linkTo({ organization, slug, user, provider }: PlaceWithProvider, sub: string): Promise<void> {
  const target = {
    organizationId: organization.id,
    orgSlug: slug,
    issuer: provider.url,
    person: personOf(provider.url, sub),
  };
  await transact(newLink(user, target, { replaced: undefined }));
}

/** The request of a browser that comes back from the provider. */
async function comesBack(api: Api, { slug, provider }: PlaceWithProvider, claims: object): Promise<SampleRequest> {
  const { state, nonce, cookie } = await startIn(api, slug);
  const code = provider.codeFor({ nonce, ...claims });
  return {
    method: 'GET',
    path: `/auth/provider/${slug}/callback?${new URLSearchParams({ state, code })}`,
    headers: { cookie },
  };
}

/** A signed event of the payment provider: the organization's subscription is active. */
export function providerEvent(organizationId: string, plan: string, secret: string, id = `evt_${randomUUID()}`) {
  const created = Math.floor(Date.now() / 1000);
  const body = JSON.stringify({
    id,
    object: 'event',
    type: 'customer.subscription.updated',
    created,
    data: {
      object: {
        id: `sub_${organizationId}`,
        object: 'subscription',
        status: 'active',
        customer: `cus_${organizationId}`,
        metadata: { organizationId, plan },
        items: { data: [{ current_period_end: created + 2_592_000, price: { id: 'price_local_pro' } }] },
      },
    },
  });
  const signature = createHmac('sha256', secret).update(`${created}.${body}`).digest('hex');
  return { body, headers: { 'stripe-signature': `t=${created},v1=${signature}` } };
}

async function secondFactorsOf(api: Api, session: Person['session']): Promise<{ passkeys: number; totp: boolean }> {
  return (await expectStatus(api.get('/auth/me', session), 200)).body.user.secondFactors;
}

const always = async () => true;
const isGone = (answer: Promise<Answer>) => answer.then(({ status }) => status === 404);

/** A read request. */
function reads(request: SampleRequest, works: readonly number[] = [200]): Prepared {
  return { request, works, isDone: always };
}

/** One or more per operation. Each `prepare` creates its own data, so that any number can run at the same time. */
const prepared: Record<string, (api: Api) => Promise<Prepared>> = {
  register: async () => {
    const email = `${randomUUID()}@example.com`;
    return {
      request: { method: 'POST', path: '/auth/register', body: { email, password: testPassword } },
      works: [201],
      repeats: [409],
      isDone: async () => (await find(at(emailRecord, email))) !== undefined,
    };
  },
  'log-in': async () => {
    const { email } = await seedPerson();
    return reads({ method: 'POST', path: '/auth/login', body: { email, password: testPassword } });
  },
  'start-passkey-login': async () => reads({ method: 'POST', path: '/auth/login/options' }),
  'complete-login': async api => {
    const person = await seedPerson();
    const app = await addApp(api, person);
    const { challenge, write } = newChallenge('log-in', { id: person.user.id, sessionEpoch: 1 });
    await transact([write]);
    return {
      request: { method: 'POST', path: '/auth/login/verify', body: { challenge, totp: app.code(1) } },
      works: [200],
      repeats: [400, 401],
      isDone: async () => (await api.get('/auth/sessions', person.session)).body.sessions.length === 2,
    };
  },
  'complete-login with a passkey': async api => {
    const person = await seedPerson();
    const { authenticator } = await addPasskey(api, person);
    const { challenge, publicKey } = (await expectStatus(api.post('/auth/login/options', {}), 200)).body;
    const body = { challenge, passkey: authenticator.get(publicKey) };
    return {
      request: { method: 'POST', path: '/auth/login/verify', body },
      works: [200],
      repeats: [400, 401],
      isDone: async () => (await api.get('/auth/sessions', person.session)).body.sessions.length === 2,
    };
  },
  'find-sign-in-methods': async () => {
    const company = await placeWithProvider();
    return reads({ method: 'GET', path: `/auth/sign-in?email=nobody@${company.domain}` });
  },
  'start-provider-sign-in': async () => {
    const { slug } = await placeWithProvider();
    return reads({ method: 'GET', path: `/auth/provider/${slug}/start` }, [302]);
  },
  'complete-provider-sign-in': async api => {
    const company = await placeWithProvider();
    const email = `${randomUUID()}@${company.domain}`;
    const claims = { sub: randomUUID(), email, email_verified: true };
    return {
      request: await comesBack(api, company, claims),
      again: () => comesBack(api, company, claims),
      works: [302],
      repeats: [400],
      isDone: async () => (await find(at(emailRecord, email))) !== undefined,
    };
  },
  'complete-provider-sign-in of a linked account with a factor': async api => {
    const company = await placeWithProvider();
    const sub = randomUUID();
    await addApp(api, company);
    await linkTo(company, sub);
    return {
      request: await comesBack(api, company, { sub }),
      again: () => comesBack(api, company, { sub }),
      works: [401],
      repeats: [400],
      isDone: always,
    };
  },
  'continue-provider-sign-in': async api => {
    const company = await placeWithProvider();
    await addApp(api, company);
    const { challenge, write } = newChallenge('provider-log-in', { id: company.user.id, sessionEpoch: 1 });
    await transact([write]);
    const headers = { cookie: `${factorCookie}=${challenge}` };
    return reads({ method: 'POST', path: '/auth/provider/factor', headers });
  },
  'log-in that makes a link': async () => {
    const company = await placeWithProvider();
    const { cookie, write } = newPendingLink({ ...(await pendingOf(company)), userId: company.user.id });
    await transact([write]);
    const body = { email: company.email, password: testPassword };
    const headers = { cookie: cookie.split(';')[0] as string };
    return reads({ method: 'POST', path: '/auth/login', body, headers });
  },
  'step-up': async api => {
    const person = await seedPerson();
    const { authenticator } = await addPasskey(api, person);
    // A code would have expired by the time that a slow run sends it.
    const { challenge, write } = newChallenge('step-up', { id: person.user.id, sessionEpoch: 1 });
    await transact([write]);
    const body = { password: testPassword, challenge, passkey: authenticator.get(await requestOptions(challenge, [])) };
    return {
      request: { method: 'POST', path: '/auth/step-up', body, as: person.session },
      works: [200],
      // The old secret is gone.
      repeats: [400, 401],
      isDone: async () => (await api.get('/auth/me', person.session)).status === 401,
    };
  },
  'log-out': async api => {
    const { session } = await seedPerson();
    return {
      request: { method: 'POST', path: '/auth/logout', as: session },
      works: [200],
      repeats: [401],
      isDone: async () => (await api.get('/auth/me', session)).status === 401,
    };
  },
  'get-current-user': async () => reads({ method: 'GET', path: '/auth/me', as: (await seedPerson()).session }),
  'create-token': async api => {
    const { session, organization } = await seedPerson();
    const body = { name: `token ${randomUUID()}`, organizationId: organization.id };
    return {
      request: { method: 'POST', path: '/auth/token', body, as: session },
      works: [201],
      isDone: async () => {
        const { tokens } = (await expectStatus(api.get('/auth/tokens', session), 200)).body;
        return tokens.some(({ name }: { name: string }) => name === body.name);
      },
    };
  },
  'hand-off-token offering': async () => {
    const { session, organization } = await seedPerson();
    const codeChallenge = createHash('sha256').update('v'.repeat(43)).digest('base64url');
    const body = { codeChallenge, name: 'cli', organizationId: organization.id };
    return reads({ method: 'POST', path: '/auth/cli-auth', body, as: session }, [201]);
  },
  'hand-off-token taking': async api => {
    const { session, organization } = await seedPerson();
    const codeVerifier = 'v'.repeat(43);
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
    const name = `cli ${randomUUID()}`;
    const offer = { codeChallenge, name, organizationId: organization.id };
    const { code } = (await expectStatus(api.post('/auth/cli-auth', offer, session), 201)).body;
    return {
      request: { method: 'POST', path: '/auth/cli-auth', body: { code, codeVerifier } },
      works: [201],
      repeats: [400],
      isDone: async () => {
        const { tokens } = (await expectStatus(api.get('/auth/tokens', session), 200)).body;
        return tokens.some((token: { name: string }) => token.name === name);
      },
    };
  },
  'list-tokens': async () => reads({ method: 'GET', path: '/auth/tokens', as: (await seedPerson()).session }),
  'revoke-token': async api => {
    const { session, organization } = await seedPerson();
    const body = { name: 'cli', organizationId: organization.id };
    const { token, cliToken } = (await expectStatus(api.post('/auth/token', body, session), 201)).body;
    return {
      request: { method: 'DELETE', path: `/auth/tokens/${cliToken.id}`, as: session },
      works: [200],
      repeats: [404],
      isDone: async () => (await api.get('/auth/me', { token })).status === 401,
    };
  },
  'rename-user': async api => {
    const { session } = await seedPerson();
    const name = `Name ${randomUUID()}`;
    return {
      request: { method: 'PATCH', path: '/auth/me', body: { name }, as: session },
      works: [200],
      isDone: async () => (await expectStatus(api.get('/auth/me', session), 200)).body.user.name === name,
    };
  },
  'revoke-current-token': async api => {
    const { session, organization } = await seedPerson();
    const body = { name: 'cli', organizationId: organization.id };
    const { token } = (await expectStatus(api.post('/auth/token', body, session), 201)).body;
    return {
      request: { method: 'DELETE', path: '/auth/tokens/current', as: { token } },
      works: [200],
      // The token is gone, or a concurrent request with it got further.
      repeats: [401, 404],
      isDone: async () => (await api.get('/auth/me', { token })).status === 401,
    };
  },
  'revoke-current-token identity': async api => {
    const person = await seedPerson();
    const { id: organizationId, slug } = person.organization;
    const { id } = await makeIdentity(api, person);
    const subjectToken = await signToken(sampleIssuer, await sampleKey(), id);
    const body = { identityId: id, organizationSlug: slug, subjectToken };
    const { token } = (await expectStatus(api.post('/auth/exchange', body), 201)).body;
    return {
      request: { method: 'DELETE', path: '/auth/tokens/current', as: { token } },
      works: [200],
      repeats: [401, 404],
      isDone: async () => (await api.get(`/projects/${organizationId}`, { token })).status === 401,
    };
  },
  'list-sessions': async () => reads({ method: 'GET', path: '/auth/sessions', as: (await seedPerson()).session }),
  'list-provider-links': async () => {
    const company = await placeWithProvider();
    await linkTo(company, 'ada');
    return reads({ method: 'GET', path: '/auth/providers', as: company.session });
  },
  'end-provider-link': async api => {
    const company = await placeWithProvider();
    await linkTo(company, 'ada');
    const { links } = (await expectStatus(api.get('/auth/providers', company.session), 200)).body;
    return {
      request: { method: 'DELETE', path: `/auth/providers/${links[0].id}`, as: company.session },
      works: [200],
      repeats: [404],
      isDone: async () =>
        (await expectStatus(api.get('/auth/providers', company.session), 200)).body.links.length === 0,
    };
  },
  'end-session': async api => {
    const { session, email } = await seedPerson();
    const other = sessionOf(await expectStatus(api.post('/auth/login', { email, password: testPassword }), 200));
    const { sessions } = (await expectStatus(api.get('/auth/sessions', other), 200)).body;
    const { id } = sessions.find(({ current }: { current: boolean }) => current);
    return {
      request: { method: 'DELETE', path: `/auth/sessions/${id}`, as: session },
      works: [200],
      repeats: [404],
      isDone: async () => (await api.get('/auth/me', other)).status === 401,
    };
  },
  'start-passkey': async () =>
    reads({ method: 'POST', path: '/auth/passkeys/options', as: (await seedPerson()).session }),
  'add-passkey': async api => {
    const { session } = await seedPerson();
    const { challenge, publicKey } = (await expectStatus(api.post('/auth/passkeys/options', {}, session), 200)).body;
    const body = { challenge, name: 'laptop', passkey: createAuthenticator().create(publicKey) };
    return {
      request: { method: 'POST', path: '/auth/passkeys', body, as: session },
      works: [201],
      repeats: [400],
      isDone: async () => (await secondFactorsOf(api, session)).passkeys === 1,
    };
  },
  'list-passkeys': async api => {
    const person = await seedPerson();
    await addPasskey(api, person);
    return reads({ method: 'GET', path: '/auth/passkeys', as: person.session });
  },
  'remove-passkey': async api => {
    const person = await seedPerson();
    const { id } = await addPasskey(api, person);
    return {
      request: { method: 'DELETE', path: `/auth/passkeys/${id}`, as: person.session },
      works: [200],
      repeats: [404],
      isDone: async () => (await secondFactorsOf(api, person.session)).passkeys === 0,
    };
  },
  'start-totp': async () => reads({ method: 'POST', path: '/auth/totp', as: (await seedPerson()).session }),
  'confirm-totp': async api => {
    const { session } = await seedPerson();
    const { secret } = (await expectStatus(api.post('/auth/totp', {}, session), 200)).body;
    // The next step's code, which is valid for longer.
    const code = totpCode(fromBase32(secret), totpStep(Date.now()) + 1);
    return {
      request: { method: 'POST', path: '/auth/totp/confirm', body: { code }, as: session },
      works: [200],
      // Once its recovery codes were returned, the same code confirms nothing.
      repeats: [200, 400],
      isDone: async () => (await secondFactorsOf(api, session)).totp,
    };
  },
  'undo-factor': async api => {
    const person = await seedPerson();
    await addPasskey(api, person);
    return {
      request: {
        method: 'POST',
        path: '/auth/factors/undo',
        body: { token: await mailedToken(api, person.email, 'Your log-in') },
      },
      works: [200],
      repeats: [400],
      isDone: async () => (await find(at(userRecord, person.user.id)))?.passkeyCount === undefined,
    };
  },
  'remove-totp': async api => {
    const person = await seedPerson();
    await addApp(api, person);
    return {
      request: { method: 'DELETE', path: '/auth/totp', as: person.session },
      works: [200],
      isDone: async () => !(await secondFactorsOf(api, person.session)).totp,
    };
  },
  'renew-recovery-codes': async api => {
    const person = await seedPerson();
    await addApp(api, person);
    const codesNow = async () => [...((await find(at(userRecord, person.user.id)))?.recoveryCodes ?? [])].toSorted();
    const before = await codesNow();
    return {
      request: { method: 'POST', path: '/auth/recovery-codes', as: person.session },
      works: [200],
      isDone: async () => String(await codesNow()) !== String(before),
    };
  },
  'change-password': async () => {
    const { session, user } = await seedPerson();
    const newPassword = 'another fine battery';
    const body = { currentPassword: testPassword, newPassword };
    return {
      request: { method: 'POST', path: '/auth/change-password', body, as: session },
      works: [200],
      // By then the current password is the new one, or becomes it concurrently.
      repeats: [400, 401],
      isDone: async () => (await find(at(userRecord, user.id)))?.passwordHash !== testPasswordHash,
    };
  },
  'send-verification': async () =>
    reads({ method: 'POST', path: '/auth/send-verification', as: (await seedPerson()).session }),
  'verify-email': async api => {
    const { session, email } = await seedPerson();
    await expectStatus(api.post('/auth/send-verification', undefined, session), 200);
    return {
      request: { method: 'POST', path: '/auth/verify-email', body: { token: await mailedToken(api, email, 'Verify') } },
      works: [200],
      repeats: [400],
      isDone: async () => (await expectStatus(api.get('/auth/me', session), 200)).body.user.emailVerified,
    };
  },
  'request-password-reset': async () => {
    const { email } = await seedPerson();
    return reads({ method: 'POST', path: '/auth/forgot-password', body: { email } });
  },
  'reset-password': async api => {
    const { email, user } = await seedPerson();
    await expectStatus(api.post('/auth/forgot-password', { email }), 200);
    const newPassword = 'another fine battery';
    const body = { token: await mailedToken(api, email, 'Reset'), newPassword };
    return {
      request: { method: 'POST', path: '/auth/reset-password', body },
      works: [200],
      repeats: [400],
      isDone: async () => (await find(at(userRecord, user.id)))?.passwordHash !== testPasswordHash,
    };
  },

  'list-projects': async api => {
    const { organization, session } = await place(api);
    return reads({ method: 'GET', path: `/projects/${organization.id}`, as: session });
  },
  'create-project': async api => {
    const { organization, session } = await seedPerson();
    const path = `/projects/${organization.id}`;
    return {
      request: { method: 'POST', path, body: { name: 'Shop', slug: 'shop' }, as: session },
      works: [201],
      repeats: [409],
      isDone: async () => (await api.get(`${path}/shop`, session)).status === 200,
    };
  },
  'get-project': async api => {
    const { organization, session } = await place(api);
    return reads({ method: 'GET', path: `/projects/${organization.id}/shop`, as: session });
  },
  'update-project': async api => {
    const { organization, session } = await place(api);
    const path = `/projects/${organization.id}/shop`;
    const body = { name: 'Renamed', description: 'changed with it' };
    return {
      request: { method: 'PATCH', path, body, as: session },
      works: [200],
      isDone: async () => {
        const { name, description } = (await expectStatus(api.get(path, session), 200)).body.project;
        if ((name === body.name) !== (description === body.description)) throw new Error('Half of a change is there.');
        return name === body.name;
      },
    };
  },
  'delete-project': async api => {
    const { organization, session } = await placeWithSecrets(api);
    const path = `/projects/${organization.id}/shop`;
    return {
      request: { method: 'DELETE', path, as: session },
      works: [200],
      repeats: [404],
      isDone: () => isGone(api.get(path, session)),
    };
  },
  'create-environment': async api => {
    const { organization, session } = await place(api);
    const path = `/projects/${organization.id}/shop`;
    return {
      request: { method: 'POST', path: `${path}/environments`, body: { name: 'QA', slug: 'qa' }, as: session },
      works: [201],
      repeats: [409],
      isDone: async () => {
        const { environments } = (await expectStatus(api.get(path, session), 200)).body.project;
        return environments.some(({ slug }: { slug: string }) => slug === 'qa');
      },
    };
  },
  'update-environment': async api => {
    const there = await placeWithSecrets(api);
    const { organization, session } = there;
    const guest = await seedPerson();
    await join(api, there, guest, 'viewer');
    const path = `/projects/${organization.id}/shop`;
    const body = { name: 'Renamed', type: 'production' };
    return {
      request: { method: 'PATCH', path: `${path}/environments/dev`, body, as: session },
      works: [200],
      isDone: async () => {
        const { environments } = (await expectStatus(api.get(path, session), 200)).body.project;
        const { name, type } = environments.find(({ slug }: { slug: string }) => slug === 'dev');
        const { status } = await api.get(`${there.secrets}/dev`, guest.session);
        const done = [name === body.name, type === body.type, status === 403];
        if (new Set(done).size > 1) throw new Error(`Half of a change is there: ${done.join()}.`);
        return done[0] === true;
      },
    };
  },
  'delete-environment': async api => {
    const there = await placeWithSecrets(api);
    const path = `/projects/${there.organization.id}/shop`;
    return {
      request: { method: 'DELETE', path: `${path}/environments/dev`, as: there.session },
      works: [200],
      repeats: [404],
      isDone: async () => {
        const { environments } = (await expectStatus(api.get(path, there.session), 200)).body.project;
        const isListed = environments.some(({ slug }: { slug: string }) => slug === 'dev');
        if (isListed === (await isGone(api.get(`${there.secrets}/dev`, there.session)))) {
          throw new Error('Half of a deletion is there.');
        }
        return !isListed;
      },
    };
  },
  'rotate-key': async api => {
    const there = await placeWithSecrets(api);
    const path = `/projects/${there.organization.id}/shop`;
    return {
      request: { method: 'POST', path: `${path}/rotate-key`, as: there.session },
      works: [200, 202],
      repeats: [200, 202, 409],
      isDone: async () => {
        await valuesIn(api, there);
        return (await expectStatus(api.get(path, there.session), 200)).body.project.keyVersion > 1;
      },
    };
  },
  'rotate-key unused': async api => {
    const there = await place(api);
    const path = `/projects/${there.organization.id}/shop`;
    return {
      request: { method: 'POST', path: `${path}/rotate-key`, as: there.session },
      works: [200],
      isDone: async () => (await expectStatus(api.get(path, there.session), 200)).body.project.keyVersion > 1,
    };
  },

  'pull-secrets': async api => {
    const { secrets, session } = await placeWithSecrets(api);
    return reads({ method: 'GET', path: `${secrets}/dev`, as: session });
  },
  'pull-secrets keys': async api => {
    const { secrets, session } = await placeWithSecrets(api);
    return reads({ method: 'GET', path: `${secrets}/dev?keys=KEY_1,KEY_2`, as: session });
  },
  'pull-secrets format': async api => {
    const { secrets, session } = await placeWithSecrets(api);
    return reads({ method: 'GET', path: `${secrets}/dev?format=json`, as: session });
  },
  'compare-environments': async api => {
    const { secrets, session } = await placeWithSecrets(api);
    return reads({ method: 'GET', path: `${secrets}/dev/compare?with=staging&values=true`, as: session });
  },
  'list-keys': async api => {
    const { secrets, session } = await placeWithSecrets(api);
    return reads({ method: 'GET', path: `${secrets}/dev/keys`, as: session });
  },
  'set-secret': async api => {
    const there = await placeWithSecrets(api);
    const value = `new ${randomUUID()}`;
    return {
      request: { method: 'PUT', path: `${there.secrets}/dev`, body: { key: 'KEY_1', value }, as: there.session },
      works: [200],
      isDone: async () => (await valuesIn(api, there)).KEY_1 === value,
    };
  },
  'set-secret webhook': async api => {
    const there = await placeWithSecrets(api);
    await makeWebhook(api, there);
    const body = { key: 'NEW', value: 'new' };
    return {
      request: { method: 'PUT', path: `${there.secrets}/dev`, body, as: there.session },
      works: [201],
      repeats: [200],
      isDone: async () => (await valuesIn(api, there)).NEW === 'new',
    };
  },
  'import-secrets': async api => {
    const there = await placeWithSecrets(api);
    const body = { secrets: { KEY_1: 'changed', OTHER: 'added' } };
    return {
      request: { method: 'POST', path: `${there.secrets}/dev/bulk`, body, as: there.session },
      works: [200],
      isDone: async () => {
        const values = await valuesIn(api, there);
        const done = [values.KEY_1 === 'changed', values.OTHER === 'added'];
        if (done[0] !== done[1]) throw new Error('Half of an import is there.');
        return done[0] === true;
      },
    };
  },
  'import-secrets large': async api => {
    const there = await placeWithSecrets(api);
    const names = Array.from({ length: 120 }, (_, index) => `KEY_${index}`);
    const secrets = Object.fromEntries(names.map(name => [name, `imported ${name}`]));
    return {
      request: { method: 'POST', path: `${there.secrets}/dev/bulk`, body: { secrets }, as: there.session },
      works: [200],
      isDone: async () => {
        const values = await valuesIn(api, there);
        const done = names.filter(name => values[name] === secrets[name]).length;
        if (done !== 0 && done !== names.length) throw new Error(`${done} keys of an import of 120 are there.`);
        return done > 0;
      },
    };
  },
  'apply-changes': async api => {
    const there = await placeWithSecrets(api);
    const body = { set: [{ key: 'KEY_1', value: 'changed' }], delete: ['KEY_2'], message: 'a mixture' };
    return {
      request: { method: 'POST', path: `${there.secrets}/dev/changes`, body, as: there.session },
      works: [200],
      repeats: [404],
      isDone: async () => {
        const values = await valuesIn(api, there);
        const done = [values.KEY_1 === 'changed', values.KEY_2 === undefined];
        if (done[0] !== done[1]) throw new Error('Half of a change is there.');
        return done[0] === true;
      },
    };
  },
  'list-versions': async api => {
    const { secrets, session } = await placeWithSecrets(api);
    return reads({ method: 'GET', path: `${secrets}/dev/versions/KEY_1`, as: session });
  },
  'list-versions values': async api => {
    const { secrets, session } = await placeWithSecrets(api);
    return reads({ method: 'GET', path: `${secrets}/dev/versions/KEY_1?values=true`, as: session });
  },
  'pull-secrets past': async api => {
    const { secrets, session } = await placeWithHistory(api);
    return reads({ method: 'GET', path: `${secrets}/dev?revision=1`, as: session });
  },
  'list-revisions': async api => {
    const { secrets, session } = await placeWithHistory(api);
    return reads({ method: 'GET', path: `${secrets}/dev/revisions`, as: session });
  },
  'diff-revisions': async api => {
    const { secrets, session } = await placeWithHistory(api);
    return reads({ method: 'GET', path: `${secrets}/dev/diff?from=1&values=true`, as: session });
  },
  'restore-secrets': async api => {
    const there = await placeWithHistory(api);
    return {
      request: { method: 'POST', path: `${there.secrets}/dev/restore`, body: { revision: 1 }, as: there.session },
      works: [200],
      isDone: async () => (await valuesIn(api, there)).KEY_1 === 'value 1',
    };
  },
  'destroy-versions': async api => {
    const there = await placeWithHistory(api);
    const path = `${there.secrets}/dev/versions/KEY_1`;
    return {
      request: { method: 'POST', path: `${path}/destroy`, body: { versions: [1] }, as: there.session },
      works: [200],
      isDone: async () => {
        const { versions } = (await expectStatus(api.get(path, there.session), 200)).body;
        return versions.at(-1).destroyed;
      },
    };
  },
  'promote-secrets': async api => {
    const there = await placeWithSecrets(api);
    const body = { from: 'dev', to: 'staging' };
    return {
      request: { method: 'POST', path: `${there.secrets}/promote`, body, as: there.session },
      works: [200],
      isDone: async () => (await valuesIn(api, there, 'staging')).KEY_2 === 'value 2',
    };
  },
  'bulk-delete-secrets': async api => {
    const there = await placeWithSecrets(api);
    const body = { keys: ['KEY_1', 'KEY_2'] };
    return {
      request: { method: 'POST', path: `${there.secrets}/dev/bulk-delete`, body, as: there.session },
      works: [200],
      isDone: async () => Object.keys(await valuesIn(api, there)).join() === 'KEY_0',
    };
  },
  'bulk-delete-secrets large': async api => {
    const there = await placeWithSecrets(api);
    const keys = Array.from({ length: 60 }, (_, index) => `OLD_${index}`);
    const secrets = Object.fromEntries(keys.map(key => [key, 'old']));
    await expectStatus(api.post(`${there.secrets}/dev/bulk`, { secrets }, there.session), 200);
    return {
      request: { method: 'POST', path: `${there.secrets}/dev/bulk-delete`, body: { keys }, as: there.session },
      works: [200],
      isDone: async () => {
        const values = await valuesIn(api, there);
        const left = keys.filter(key => values[key] !== undefined).length;
        if (left !== 0 && left !== keys.length) throw new Error(`${left} keys of a deletion of 60 are there.`);
        return left === 0;
      },
    };
  },
  'delete-secret': async api => {
    const there = await placeWithSecrets(api);
    return {
      request: { method: 'DELETE', path: `${there.secrets}/dev/KEY_1`, as: there.session },
      works: [200],
      repeats: [404],
      isDone: async () => (await valuesIn(api, there)).KEY_1 === undefined,
    };
  },

  'create-organization': async api => {
    const { session } = await seedPerson();
    const slug = `org-${randomBytes(8).toString('hex')}`;
    return {
      request: { method: 'POST', path: '/orgs', body: { name: 'Second', slug }, as: session },
      works: [201],
      repeats: [409],
      isDone: async () => {
        const { organizations } = (await expectStatus(api.get('/auth/me', session), 200)).body;
        return organizations.some((one: { slug: string }) => one.slug === slug);
      },
    };
  },
  'rename-organization': async api => {
    const { session, organization } = await place(api);
    const name = `renamed ${randomUUID()}`;
    return {
      request: { method: 'PATCH', path: `/orgs/${organization.id}`, body: { name }, as: session },
      works: [200],
      isDone: async () => {
        const { organizations } = (await expectStatus(api.get('/auth/me', session), 200)).body;
        return organizations.some((one: { name: string }) => one.name === name);
      },
    };
  },
  'get-sign-in': async () => {
    const { session, signInPath } = await placeWithProvider();
    return reads({ method: 'GET', path: signInPath, as: session });
  },
  'set-sign-in': async api => {
    const { session, signInPath, domain } = await placeWithProvider();
    const url = 'https://login.example.com';
    const body = { issuer: url, clientId: 'holdfast', clientSecret: 'not one', domains: [domain, 'example.com'] };
    return {
      request: { method: 'PUT', path: signInPath, body, as: session },
      works: [200],
      isDone: async () => (await expectStatus(api.get(signInPath, session), 200)).body.signIn.issuer === url,
    };
  },
  'verify-domain': async api => {
    const { session, signInPath, domain } = await placeWithProvider({ isVerified: false });
    const { signIn } = (await expectStatus(api.get(signInPath, session), 200)).body;
    (await sharedNameServer()).set(domain, [[signIn.domains[0].txtRecord]]);
    return {
      request: { method: 'POST', path: `${signInPath}/domains/verify`, body: { domain }, as: session },
      works: [200],
      isDone: async () => (await find(at(domainRecord, domain))) !== undefined,
    };
  },
  'delete-sign-in': async api => {
    const { session, signInPath, domain } = await placeWithProvider();
    return {
      request: { method: 'DELETE', path: signInPath, as: session },
      works: [200],
      isDone: async () => {
        const { signIn } = (await expectStatus(api.get(signInPath, session), 200)).body;
        return signIn === null && (await find(at(domainRecord, domain))) === undefined;
      },
    };
  },
  'delete-organization': async api => {
    const { session, organization } = await placeWithSecrets(api);
    return {
      request: { method: 'DELETE', path: `/orgs/${organization.id}`, as: session },
      works: [200],
      repeats: [404],
      isDone: () => isGone(api.get(`/projects/${organization.id}`, session)),
    };
  },

  'list-template-keys': async api => {
    const { slug, session } = await place(api);
    return reads({ method: 'GET', path: `/templates/${slug}/shop`, as: session });
  },
  'add-template-key': async api => {
    const { slug, session } = await place(api);
    const path = `/templates/${slug}/shop`;
    return {
      request: { method: 'POST', path, body: { key: 'NEEDED', pattern: '[a-z]+' }, as: session },
      works: [201],
      repeats: [409],
      isDone: async () => (await expectStatus(api.get(path, session), 200)).body.keys.length === 1,
    };
  },
  'update-template-key': async api => {
    const { slug, session } = await place(api);
    const path = `/templates/${slug}/shop`;
    await expectStatus(api.post(path, { key: 'NEEDED', pattern: '[a-z]+' }, session), 201);
    const body = { required: false, pattern: null };
    return {
      request: { method: 'PATCH', path: `${path}/NEEDED`, body, as: session },
      works: [200],
      isDone: async () => {
        const [one] = (await expectStatus(api.get(path, session), 200)).body.keys;
        if (one.required !== (one.pattern !== undefined)) throw new Error('Half of a change is there.');
        return !one.required;
      },
    };
  },
  'remove-template-key': async api => {
    const { slug, session } = await place(api);
    const path = `/templates/${slug}/shop`;
    await expectStatus(api.post(path, { key: 'NEEDED' }, session), 201);
    return {
      request: { method: 'DELETE', path: `${path}/NEEDED`, as: session },
      works: [200],
      repeats: [404],
      isDone: async () => (await expectStatus(api.get(path, session), 200)).body.keys.length === 0,
    };
  },
  'validate-environment': async api => {
    const { slug, session } = await placeWithSecrets(api);
    await expectStatus(api.post(`/templates/${slug}/shop`, { key: 'KEY_1', pattern: 'v.*' }, session), 201);
    return reads({ method: 'GET', path: `/templates/${slug}/shop/validate/dev`, as: session });
  },

  'list-webhooks': async () => {
    const { organization, session } = await seedPerson();
    return reads({ method: 'GET', path: `/webhooks/${organization.id}`, as: session });
  },
  'create-webhook': async api => {
    const { organization, session, project } = await place(api);
    const path = `/webhooks/${organization.id}`;
    const url = `http://127.0.0.1:9/${randomUUID()}`;
    return {
      request: { method: 'POST', path, body: { url, events: ['secret.created'], projectId: project.id }, as: session },
      works: [201],
      isDone: async () => {
        const { webhooks } = (await expectStatus(api.get(path, session), 200)).body;
        return webhooks.some((one: { url: string }) => one.url === url);
      },
    };
  },
  'get-webhook': async api => {
    const person = await seedPerson();
    const { id } = await makeWebhook(api, person);
    return reads({ method: 'GET', path: `/webhooks/${person.organization.id}/${id}`, as: person.session });
  },
  'update-webhook': async api => {
    const person = await seedPerson();
    const { id } = await makeWebhook(api, person);
    const path = `/webhooks/${person.organization.id}/${id}`;
    return {
      request: { method: 'PATCH', path, body: { active: false }, as: person.session },
      works: [200],
      isDone: async () => !(await expectStatus(api.get(path, person.session), 200)).body.webhook.active,
    };
  },
  'delete-webhook': async api => {
    const person = await seedPerson();
    const { id } = await makeWebhook(api, person);
    const path = `/webhooks/${person.organization.id}/${id}`;
    return {
      request: { method: 'DELETE', path, as: person.session },
      works: [200],
      repeats: [404],
      isDone: () => isGone(api.get(path, person.session)),
    };
  },
  'test-webhook': async api => {
    const person = await seedPerson();
    const { id } = await makeWebhook(api, person);
    const path = `/webhooks/${person.organization.id}/${id}/test`;
    return reads({ method: 'POST', path, as: person.session }, [202]);
  },
  'redeliver-webhook': async api => {
    const person = await seedPerson();
    const { id } = await makeWebhook(api, person);
    const webhook = `/webhooks/${person.organization.id}/${id}`;
    const { deliveryId } = (await expectStatus(api.post(`${webhook}/test`, {}, person.session), 202)).body;
    await untilLogged(api, webhook, person);
    const path = `${webhook}/deliveries/${deliveryId}/redeliver`;
    return reads({ method: 'POST', path, as: person.session }, [202]);
  },

  'list-identities': async api => {
    const person = await seedPerson();
    await makeIdentity(api, person);
    return reads({ method: 'GET', path: `/identities/${person.organization.id}`, as: person.session });
  },
  'create-identity': async api => {
    const { organization, session, project } = await place(api);
    const path = `/identities/${organization.id}`;
    const body = { ...identityOf(sampleIssuer, await sampleKeys()), projectId: project.id };
    return {
      request: { method: 'POST', path, body, as: session },
      works: [201],
      isDone: async () => (await expectStatus(api.get(path, session), 200)).body.identities.length > 0,
    };
  },
  'get-identity': async api => {
    const person = await seedPerson();
    const { id } = await makeIdentity(api, person);
    return reads({ method: 'GET', path: `/identities/${person.organization.id}/${id}`, as: person.session });
  },
  'update-identity': async api => {
    const person = await seedPerson();
    const { id } = await makeIdentity(api, person);
    const path = `/identities/${person.organization.id}/${id}`;
    const body = { role: 'viewer', claims: { repository_id: '75' } };
    return {
      request: { method: 'PATCH', path, body, as: person.session },
      works: [200],
      isDone: async () => {
        const { role, claims } = (await expectStatus(api.get(path, person.session), 200)).body.identity;
        if ((role === 'viewer') !== (claims.repository_id === '75')) throw new Error('Half of a change is there.');
        return role === 'viewer';
      },
    };
  },
  'delete-identity': async api => {
    const person = await seedPerson();
    const { id } = await makeIdentity(api, person);
    const path = `/identities/${person.organization.id}/${id}`;
    return {
      request: { method: 'DELETE', path, as: person.session },
      works: [200],
      repeats: [404],
      isDone: () => isGone(api.get(path, person.session)),
    };
  },
  'exchange-assertion': async api => exchanges(api, await seedPerson()),
  'exchange-assertion limit': async api => {
    const person = await seedPerson();
    return exchanges(api, person, async identityId => {
      const issuedAtMs = Date.now() - 60_000;
      const hashes = Array.from({ length: maximumLiveTokens }, () => randomBytes(32).toString('base64url'));
      const tokens = Object.fromEntries(
        hashes.map((hash, index): [string, [number, number]] => [hash, [issuedAtMs + index, issuedAtMs + 600_000]]),
      );
      const record = { tokens, count: maximumLiveTokens, expiresAt: Math.ceil(issuedAtMs / 1000) + 3600 };
      await transact([put(at(liveTokensRecord, identityId), record)]);
    });
  },

  'list-members': async () => {
    const { organization, session } = await seedPerson();
    return reads({ method: 'GET', path: `/members/${organization.id}`, as: session });
  },
  'invite-member': async api => {
    const { organization, session } = await seedPerson();
    const email = `${randomUUID()}@example.com`;
    const path = `/members/${organization.id}`;
    return {
      request: { method: 'POST', path: `${path}/invite`, body: { email, role: 'developer' }, as: session },
      works: [201],
      isDone: async () => {
        const { invitations } = (await expectStatus(api.get(path, session), 200)).body;
        return invitations.some((one: { email: string }) => one.email === email);
      },
    };
  },
  'accept-invitation': async api => {
    const [person, guest] = [await seedPerson(), await seedPerson()];
    const { token } = await invite(api, person, guest.email);
    return {
      request: { method: 'POST', path: `/members/invite/${token}/accept`, as: guest.session },
      works: [200],
      repeats: [400, 409],
      isDone: async () => (await api.get(`/members/${person.organization.id}`, guest.session)).status === 200,
    };
  },
  'change-role': async api => {
    const [person, guest] = [await seedPerson(), await seedPerson()];
    const { id } = await join(api, person, guest);
    const path = `/members/${person.organization.id}`;
    return {
      request: { method: 'PATCH', path: `${path}/${id}`, body: { role: 'owner' }, as: person.session },
      works: [200],
      isDone: async () => {
        const { members } = (await expectStatus(api.get(path, person.session), 200)).body;
        return members.some((one: { id: string; role: string }) => one.id === id && one.role === 'owner');
      },
    };
  },
  'remove-member': async api => {
    const [person, guest] = [await seedPerson(), await seedPerson()];
    const { id } = await join(api, person, guest);
    const body = { name: 'cli', organizationId: person.organization.id };
    await expectStatus(api.post('/auth/token', body, guest.session), 201);
    return {
      request: { method: 'DELETE', path: `/members/${person.organization.id}/${id}`, as: person.session },
      works: [200],
      repeats: [404],
      isDone: () => isGone(api.get(`/members/${person.organization.id}`, guest.session)),
    };
  },
  'leave-organization': async api => {
    const [person, guest] = [await seedPerson(), await seedPerson()];
    await join(api, person, guest);
    const path = `/members/${person.organization.id}`;
    return {
      request: { method: 'DELETE', path: `${path}/me`, as: guest.session },
      works: [200],
      repeats: [404],
      isDone: () => isGone(api.get(path, guest.session)),
    };
  },
  'remove-member invitation': async api => {
    const person = await seedPerson();
    const { invitation } = await invite(api, person, `${randomUUID()}@example.com`);
    const path = `/members/${person.organization.id}`;
    return {
      request: { method: 'DELETE', path: `${path}/${invitation.id}`, as: person.session },
      works: [200],
      repeats: [404],
      isDone: async () => (await expectStatus(api.get(path, person.session), 200)).body.invitations.length === 0,
    };
  },

  'list-audit-entries': async () => {
    const { organization, session } = await seedPerson();
    return reads({ method: 'GET', path: `/audit/${organization.id}`, as: session });
  },

  'feed-audit-entries': async api => {
    const { organization, session } = await place(api);
    return reads({ method: 'GET', path: `/audit/${organization.id}/feed`, as: session });
  },
  'get-exposure': async () => {
    const { organization, session, user } = await seedPerson();
    return reads({ method: 'GET', path: `/audit/${organization.id}/exposure?userId=${user.id}`, as: session });
  },

  'get-billing': async api => {
    const { organization, session } = await place(api);
    return reads({ method: 'GET', path: `/billing/${organization.id}`, as: session });
  },
  'start-checkout': async () => {
    const { organization, session } = await seedPerson();
    const path = `/billing/${organization.id}/checkout`;
    return reads({ method: 'POST', path, body: { plan: 'pro' }, as: session });
  },
  'open-portal': async () => {
    const { organization, session } = await seedPerson();
    return reads({ method: 'POST', path: `/billing/${organization.id}/portal`, as: session });
  },
  'receive-provider-event': async api => {
    const { organization, session } = await seedPerson();
    return {
      request: {
        method: 'POST',
        path: '/billing/webhook',
        ...providerEvent(organization.id, 'pro', process.env.STRIPE_WEBHOOK_SECRET ?? ''),
      },
      works: [200],
      isDone: async () =>
        (await expectStatus(api.get(`/billing/${organization.id}`, session), 200)).body.plan === 'pro',
    };
  },

  'get-statistics': async () =>
    reads({ method: 'GET', path: '/admin/stats', as: (await seedPerson({ isAdmin: true })).session }),
  'list-organizations': async () => {
    const { session, organization } = await seedPerson({ isAdmin: true });
    return reads({ method: 'GET', path: `/admin/orgs?search=${organization.slug}`, as: session });
  },
  'inspect-organization': async () => {
    const { session, organization } = await seedPerson({ isAdmin: true });
    return reads({ method: 'GET', path: `/admin/orgs/${organization.id}`, as: session });
  },
  'update-organization': async api => {
    const { session, organization } = await seedPerson({ isAdmin: true });
    const path = `/admin/orgs/${organization.id}`;
    return {
      request: { method: 'PATCH', path, body: { plan: 'pro', limitOverrides: { maxProjects: 7 } }, as: session },
      works: [200],
      isDone: async () => {
        const { plan, limitOverrides } = (await expectStatus(api.get(path, session), 200)).body.organization;
        if ((plan === 'pro') !== (limitOverrides.maxProjects === 7)) throw new Error('Half of a change is there.');
        return plan === 'pro';
      },
    };
  },
  'list-plans': async () =>
    reads({ method: 'GET', path: '/admin/plans', as: (await seedPerson({ isAdmin: true })).session }),
  'update-plan': async api => {
    const { session } = await seedPerson({ isAdmin: true });
    // Always the same value, because concurrent samples share the one item of all plans.
    const request = {
      method: 'PUT',
      path: '/admin/plans/enterprise',
      body: { limits: { maxProjects: -1 } },
      as: session,
    };
    return {
      request,
      works: [200],
      isDone: async () => (await api.get('/admin/plans', session)).status === 200,
    };
  },
  // 25 hours touch two days at any time of day, so the counts do not depend on the clock.
  'summarize-metrics': async () =>
    reads({
      method: 'GET',
      path: '/admin/metrics/summary?hours=25',
      as: (await seedPerson({ isAdmin: true })).session,
    }),
};

export const samples: readonly Sample[] = Object.entries(prepared).map(([name, prepare]) => ({
  name,
  operationId: name.split(' ')[0] as string,
  prepare,
}));

/** Operations without a sample. A test checks that there are none. */
export function operationsWithoutSample(): string[] {
  const covered = new Set(samples.map(({ operationId }) => operationId));
  return routes.map(({ operationId }) => operationId).filter(operationId => !covered.has(operationId));
}

export async function send(api: Api, { method, path, as, body, headers }: SampleRequest): Promise<Answer> {
  const answer = await api.call(method, path, {
    as,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  });
  return { ...answer, status: statusOf(answer) };
}

/** The status that a failed sign-in of a browser would have if it were not sent to the log-in page. */
function statusOf({ status, headers }: Answer): number {
  const [, code] = /\/log-in#error=(\w+)$/.exec(headers.get('location') ?? '') ?? [];
  if (status !== 302 || code === undefined) return status;
  if (code === 'temporarily_unavailable' || code === 'provider_unavailable') return 503;
  return code === 'second_factor_required' ? 401 : 400;
}
