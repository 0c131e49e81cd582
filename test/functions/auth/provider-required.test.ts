import { createHash, randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { at } from '#lib/table/read.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, type Caller, codeOf, createProject } from '#test/support/api.ts';
import { type Person, seedPerson, seedSession } from '#test/support/people.ts';
import { expectStatus, join } from '#test/support/sample-requests.ts';
import { addApp, addPasskey, ageSession, logInWithApp, settleFactors } from '#test/support/second-factors.ts';
import { openBrowser } from '#test/support/sign-in/browser.ts';
import { type Account, startOpenIdProvider } from '#test/support/sign-in/open-id-provider.ts';
import { type Company, seedColleague, useOpenIdProvider } from '#test/support/sign-in/scene.ts';
import {
  logInIn,
  openCompany,
  redirectUriOf,
  requestIn,
  sessionIn,
  sessionThrough,
  settingsOf,
  settingsPath,
  signIn,
} from '#test/support/sign-in/sign-in.ts';

/* What a session through the provider is worth: `required`, `trustFactor`, step-up, and how long it lasts. */

const { api, names, provider } = useOpenIdProvider({ alwaysAuthTime: true });

afterEach(() => {
  vi.useRealTimers();
});

let hired = 0;
function hire({ domain }: Company, changes: Partial<Account> = {}): string {
  hired += 1;
  const name = `person-${hired}`;
  provider.accounts[name] = { sub: `sub-${hired}`, email: `${name}@${domain}`, email_verified: true, ...changes };
  return name;
}

const me = async (as: Caller) => (await expectStatus(api.get('/auth/me', as), 200)).body;
const projectsOf = ({ owner }: Company) => `/projects/${owner.organization.id}`;
const required = '403 provider_required';
/** The only kind of token that a session through the provider makes. */
const tokenIn = ({ owner }: Company) => ({ name: 't', organizationId: owner.organization.id });

/** Changes the settings. The client's secret is kept. */
async function set({ owner, domain }: Company, changes: object, as: Caller = owner.session): Promise<Answer> {
  const { clientSecret: _, ...settings } = settingsOf(provider, domain);
  return api.put(settingsPath(owner), { ...settings, ...changes }, as);
}

/** A company that requires its provider, with an owner who has an app, and that owner's session of before. */
async function openStrictCompany() {
  const company = await openCompany(api, names, provider);
  const app = await addApp(api, company.owner);
  await settleFactors(company.owner.user.id);
  const owner = { ...company.owner, session: await logInWithApp(api, company.owner, app) };
  const strict = { ...company, owner, app };
  await expectStatus(set(strict, { required: true }), 200);
  return strict;
}

/** A member of the company with a password. */
async function invitePerson(company: Company, role = 'developer'): Promise<Person> {
  const person = await seedPerson({ emailVerified: true });
  await join(api, company.owner, person, role);
  return person;
}

describe('an organization that requires its provider', () => {
  it('can’t be one without an owner who has a factor', async () => {
    const company = await openCompany(api, names, provider);

    expect(codeOf(await set(company, { required: true }))).toBe('403 second_factor_required');

    expect((await api.get(settingsPath(company.owner), company.owner.session)).body.signIn.required).toBe(false);
    const app = await addApp(api, company.owner);
    const session = await logInWithApp(api, company.owner, app);
    expect(codeOf(await set(company, { required: true }, session))).toBe('200 ok');
  });

  it('shuts the password’s way at once: sessions, and tokens made from them, of before and after', async () => {
    const company = await openCompany(api, names, provider);
    const member = await invitePerson(company);
    const project = await createProject(api, company.owner);
    const tokenOf = async (scope: object) =>
      (await expectStatus(api.post('/auth/token', { name: 't', ...scope }, member.session), 201)).body;
    const [wide, narrow] = [await tokenOf({}), await tokenOf({ organizationId: company.owner.organization.id })];
    const app = await addApp(api, company.owner);
    await settleFactors(company.owner.user.id);
    const session = await logInWithApp(api, company.owner, app);
    const callers: Caller[] = [member.session, { token: wide.token }, { token: narrow.token }];
    for (const caller of callers) expect(codeOf(await api.get(projectsOf(company), caller))).toBe('200 ok');

    await expectStatus(set(company, { required: true }, session), 200);

    const browser = openBrowser();
    await expectStatus(logInIn(api, browser, member.email), 200);
    for (const caller of [...callers, sessionIn(api, browser)]) {
      expect(codeOf(await api.get(projectsOf(company), caller))).toBe(required);
      expect(codeOf(await api.get(`/secrets/${company.slug}/${project.slug}/dev`, caller))).toBe(required);
      expect(
        codeOf(await api.put(`/secrets/${company.slug}/${project.slug}/dev`, { key: 'A', value: 'a' }, caller)),
      ).toBe(required);
      // The person's own organization is not the company's.
      const own = await api.get(`/projects/${member.organization.id}`, caller);
      if (caller !== callers[2]) expect(codeOf(own)).toBe('200 ok');
    }
    await expectStatus(set(company, { required: false }, session), 200);
    for (const caller of callers) expect(codeOf(await api.get(projectsOf(company), caller))).toBe('200 ok');
  });

  it('admits who came through the provider, and their tokens', async () => {
    const company = await openStrictCompany();
    const session = await sessionThrough(api, company.slug, { account: hire(company) });
    const scope = { organizationId: company.owner.organization.id, access: 'read' };
    const { token } = (await expectStatus(api.post('/auth/token', { name: 't', ...scope }, session), 201)).body;

    for (const caller of [session, { token }])
      expect(codeOf(await api.get(projectsOf(company), caller))).toBe('200 ok');
  });

  it('admits a token that the command line was handed by a session through the provider, and by no other', async () => {
    const company = await openStrictCompany();
    const member = await invitePerson(company);
    const throughProvider = await sessionThrough(api, company.slug, { account: hire(company) });
    const handOff = async (session: Caller) => {
      const codeVerifier = randomBytes(32).toString('base64url');
      const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
      const asked = { codeChallenge, name: 'cli', organizationId: company.owner.organization.id };
      const { code } = (await expectStatus(api.post('/auth/cli-auth', asked, session), 201)).body;
      return { token: (await expectStatus(api.post('/auth/cli-auth', { code, codeVerifier }), 201)).body.token };
    };

    expect(codeOf(await api.get(projectsOf(company), await handOff(throughProvider)))).toBe('200 ok');
    expect(codeOf(await api.get(projectsOf(company), await handOff(member.session)))).toBe(required);
  });

  it('does not admit a session through another organization’s provider', async () => {
    const [company, other] = [await openStrictCompany(), await openCompany(api, names, provider)];
    const browser = openBrowser();
    const account = hire(other);
    const session = await sessionThrough(api, other.slug, { account });
    const { user } = await me(session);
    const path = `/members/${company.owner.organization.id}/invite`;
    const invitation = { email: user.email, role: 'developer' };
    const { token } = (await expectStatus(api.post(path, invitation, company.owner.session), 201)).body;
    await api.post(`/members/invite/${token}/accept`, undefined, session);
    await signIn(api, browser, other.slug, { account });

    expect((await api.get(projectsOf(company), sessionIn(api, browser))).status).toBeGreaterThanOrEqual(403);
  });

  it('admits owners with a factor as before, and mails every such log-in to all owners', async () => {
    const company = await openStrictCompany();
    const [second, developer] = [await invitePerson(company, 'owner'), await invitePerson(company)];
    const owners = [company.owner.email, second.email];
    const mailed = async (to: string) => (await api.mails()).filter(mail => mail.to === to).length;
    const before = await Promise.all([...owners, developer.email].map(mailed));

    const session = await logInWithApp(api, company.owner, company.app);

    expect(codeOf(await api.get(projectsOf(company), session))).toBe('200 ok');
    await expect
      .poll(() => Promise.all(owners.map(mailed)), { timeout: 10_000 })
      .toEqual(before.slice(0, 2).map(count => count + 1));
    const subjects = (await api.mails()).filter(({ to }) => to === company.owner.email).map(({ subject }) => subject);
    expect(subjects).toContain('A log-in without your company’s sign-in provider');
    // An owner without a factor has no other way than the provider, and neither has a developer with one.
    expect(codeOf(await api.get(projectsOf(company), second.session))).toBe(required);
    const app = await addApp(api, developer);
    const withFactor = await logInWithApp(api, developer, app);
    expect(codeOf(await api.get(projectsOf(company), withFactor))).toBe(required);
    expect(await mailed(developer.email)).toBeLessThanOrEqual((before[2] ?? 0) + 2);
  });

  it('does not admit a session of an owner that was made without the factor', async () => {
    const company = await openCompany(api, names, provider);
    const second = await invitePerson(company, 'owner');
    const before = second.session;
    const app = await addApp(api, company.owner);
    const session = await logInWithApp(api, company.owner, app);
    await expectStatus(set(company, { required: true }, session), 200);

    expect(codeOf(await api.get(projectsOf(company), before))).toBe(required);
  });

  it('keeps its last owner with a factor: the factor stays, the role stays, the membership stays', async () => {
    const company = await openStrictCompany();
    const { owner } = company;
    const second = await invitePerson(company, 'owner');
    const { members } = (await expectStatus(api.get(`/members/${owner.organization.id}`, owner.session), 200)).body;
    const own = members.find(({ userId }: { userId: string }) => userId === owner.user.id);
    const path = `/members/${owner.organization.id}/${own.id}`;

    const refused = [
      await api.delete('/auth/totp', owner.session),
      await api.patch(path, { role: 'admin' }, owner.session),
      await api.delete(path, owner.session),
    ];

    for (const answer of refused) expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(codeOf(await api.get(projectsOf(company), owner.session))).toBe('200 ok');
    // With another such owner, the first may go; but a new factor lets nobody in for seven days.
    await addPasskey(api, second);
    expect(codeOf(await api.delete('/auth/totp', owner.session))).toBe('409 last_owner');
    await settleFactors(second.user.id);
    expect(codeOf(await api.delete('/auth/totp', owner.session))).toBe('200 ok');
  });

  it('keeps one of two owners with a factor who both remove theirs at once', async () => {
    const company = await openStrictCompany();
    const second = await invitePerson(company, 'owner');
    const app = await addApp(api, second);
    const session = await logInWithApp(api, second, app);

    const answers = await Promise.all([company.owner.session, session].map(as => api.delete('/auth/totp', as)));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('does not admit who came through a provider that it has replaced, nor their tokens', async () => {
    const company = await openStrictCompany();
    const session = await sessionThrough(api, company.slug, { account: hire(company) });
    const { token } = (await expectStatus(api.post('/auth/token', tokenIn(company), session), 201)).body;
    await expectStatus(set(company, { required: true, domains: [company.domain, 'other.example'] }), 200);
    for (const as of [session, { token }]) expect(codeOf(await api.get(projectsOf(company), as))).toBe('200 ok');

    await expectStatus(set(company, { required: true, clientId: 'another-client' }), 200);

    for (const as of [session, { token }]) expect(codeOf(await api.get(projectsOf(company), as))).toBe(required);
    expect(codeOf(await api.get(projectsOf(company), company.owner.session))).toBe('200 ok');
  });

  it('is an ordinary one again when the provider is removed', async () => {
    const company = await openStrictCompany();
    const member = await invitePerson(company);
    const through = await sessionThrough(api, company.slug, { account: hire(company) });
    expect(codeOf(await api.get(projectsOf(company), member.session))).toBe(required);

    await expectStatus(api.delete(settingsPath(company.owner), company.owner.session), 200);

    for (const session of [member.session, through, company.owner.session]) {
      expect(codeOf(await api.get(projectsOf(company), session))).toBe('200 ok');
    }
  });
});

describe('a second factor', () => {
  /** A company whose members have to have one, with a linked person who has an app. */
  async function linkedPerson(trustFactor: boolean) {
    const company = await openCompany(api, names, provider, { trustFactor });
    const person = await seedColleague(company);
    const { email } = person;
    const app = await addApp(api, person);
    const account = hire(company, { email, amr: ['pwd', 'mfa'] });
    const browser = openBrowser();
    expect((await signIn(api, browser, company.slug, { account })).error).toBe('link_required');
    const { challenge } = (await logInIn(api, browser, email)).body.error.details;
    await expectStatus(requestIn(api, browser, '/auth/login/verify', { challenge, totp: app.code() }), 200);
    await transact([update(at(userRecord, person.user.id), { set: { 'totp.lastStep': 0 } })]);
    return { company, person, app, account };
  }

  it('of a linked account is asked for, and completes the sign-in', async () => {
    const { company, person, app, account } = await linkedPerson(false);
    const browser = openBrowser();
    const { error, session } = await signIn(api, browser, company.slug, { account });
    expect([error, session]).toEqual(['second_factor_required', undefined]);

    const { challenge, methods } = (await expectStatus(requestIn(api, browser, '/auth/provider/factor', {}), 200)).body;
    expect(methods).toEqual(['totp', 'recovery_code']);
    expect(codeOf(await requestIn(api, browser, '/auth/login/verify', { challenge, totp: '000000' }))).toMatch(/^40/);
    await expectStatus(requestIn(api, browser, '/auth/login/verify', { challenge, totp: app.code() }), 200);

    const { user, authentication } = await me(sessionIn(api, browser));
    expect([user.id, authentication.secondFactor]).toEqual([person.user.id, true]);
    expect(authentication.provider).toMatchObject({ organizationId: company.owner.organization.id });
    expect(codeOf(await api.get(`/projects/${person.organization.id}`, sessionIn(api, browser)))).toBe(
      '404 organization_not_found',
    );
  });

  it('is not asked for if the organization trusts the provider’s, and the provider says there was one', async () => {
    const { company, account } = await linkedPerson(true);
    const { session, error } = await signIn(api, openBrowser(), company.slug, { account });

    expect(error).toBeUndefined();
    expect((await me(session)).authentication.secondFactor).toBe(true);
    const person = provider.accounts[account] as Account;
    for (const claims of [{ amr: ['pwd'] }, { amr: [] }, { amr: undefined }, { amr: ['notmfa'] }]) {
      provider.accounts[account] = { ...person, ...claims } as Account;
      expect((await signIn(api, openBrowser(), company.slug, { account })).error).toBe('second_factor_required');
    }
  });

  it('that the provider reports is worth nothing unless it is trusted', async () => {
    const company = await openCompany(api, names, provider);
    const session = await sessionThrough(api, company.slug, { account: hire(company, { amr: ['mfa', 'otp'] }) });

    expect((await me(session)).authentication.secondFactor).toBe(false);
    const app = await addApp(api, company.owner);
    const owner = await logInWithApp(api, company.owner, app);
    const path = `/orgs/${company.owner.organization.id}`;
    await expectStatus(api.patch(path, { requireSecondFactor: true }, owner), 200);
    expect(codeOf(await api.get(projectsOf(company), session))).toBe('403 second_factor_required');
    await expectStatus(set(company, { trustFactor: true }, owner), 200);
    // Sessions of before were not verified by it.
    expect(codeOf(await api.get(projectsOf(company), session))).toBe('403 second_factor_required');
    const trusted = await sessionThrough(api, company.slug, { account: hire(company, { amr: ['mfa'] }) });
    expect(codeOf(await api.get(projectsOf(company), trusted))).toBe('200 ok');
    const { token } = (await expectStatus(api.post('/auth/token', tokenIn(company), trusted), 201)).body;
    expect(codeOf(await api.get(projectsOf(company), { token }))).toBe('200 ok');
    // Nor are sessions trusted any longer once the organization stops trusting.
    await expectStatus(set(company, { trustFactor: false }, owner), 200);
    const plain = await sessionThrough(api, company.slug, { account: hire(company, { amr: ['mfa'] }) });
    expect(codeOf(await api.get(projectsOf(company), plain))).toBe('403 second_factor_required');
    for (const earlier of [trusted, { token }]) {
      expect(codeOf(await api.get(projectsOf(company), earlier))).toBe('403 second_factor_required');
    }
  });
});

describe('a step-up through the provider', () => {
  async function signedIn(changes: Partial<Account> = {}, settings: Record<string, unknown> = {}) {
    const company = await openCompany(api, names, provider, settings);
    const account = hire(company, changes);
    const browser = openBrowser();
    const { session } = await signIn(api, browser, company.slug, { account });
    const { user } = await me(session);
    const grow = async () => ageSession({ session: sessionIn(api, browser), user } as Person, 601);
    const makeToken = async () => codeOf(await api.post('/auth/token', tokenIn(company), sessionIn(api, browser)));
    return { company, account, browser, user, grow, makeToken };
  }

  it('makes the session fresh: the provider is asked to log its person in again', async () => {
    const { company, account, browser, grow, makeToken } = await signedIn();
    await grow();
    expect(await makeToken()).toBe('403 step_up_required');
    const old = sessionIn(api, browser);
    const asked = provider.asked.length;

    const { error, landed } = await signIn(api, browser, company.slug, { account, stepUp: 'true', to: '/settings' });

    expect([error, landed.pathname]).toEqual([undefined, '/settings']);
    expect(provider.asked.slice(asked).map(parameters => parameters.get('max_age'))).toEqual(['0']);
    expect(await makeToken()).toBe('201 ok');
    // Like any step-up, it renews the session's secret.
    expect(sessionIn(api, browser)?.cookie).not.toBe(old?.cookie);
    expect(codeOf(await api.get('/auth/me', old))).toBe('401 unauthenticated');
  });

  it('is refused if the provider did not ask: `auth_time` is old', async () => {
    const { company, account, browser, grow, makeToken } = await signedIn({ secondsAgo: 300 });
    await grow();

    const { error } = await signIn(api, browser, company.slug, { account, stepUp: 'true' });

    expect(error).toBe('not_fresh');
    expect(await makeToken()).toBe('403 step_up_required');
  });

  it('is refused if somebody else logs in at the provider, and the session stays as it was', async () => {
    const { company, browser, user, grow, makeToken } = await signedIn();
    await grow();
    const [stranger, colleague] = [hire(company), hire(company)];
    await sessionThrough(api, company.slug, { account: colleague });

    for (const account of [stranger, colleague]) {
      // Another person's log-in at the provider replaces the one that the browser has there.
      browser.forget(provider.url);
      const { error } = await signIn(api, browser, company.slug, { account, stepUp: 'true' });
      expect(error).toBe('other_person');
    }

    expect(await makeToken()).toBe('403 step_up_required');
    expect((await me(sessionIn(api, browser))).user.id).toBe(user.id);
    const { members } = (await api.get(`/members/${company.owner.organization.id}`, company.owner.session)).body;
    expect(members).toHaveLength(3);
  });

  it('needs a session: without one nothing starts, and one that ended meanwhile is not brought back', async () => {
    const { company, account, browser } = await signedIn();
    expect((await signIn(api, openBrowser(), company.slug, { account, stepUp: 'true' })).error).toBe(
      'session_required',
    );
    const path = `${api.url}/auth/provider/${company.slug}/start?stepUp=true`;
    const started = await browser.open(path);
    await expectStatus(api.post('/auth/logout', {}, sessionIn(api, browser)), 200);

    const isService = (url: URL) => url.origin === new URL(api.url).origin;
    let page = await browser.follow(started, isService);
    if (page.location === undefined) {
      page = await browser.follow(await browser.open(page.url, { form: { account } }), isService);
    }
    const end = await browser.open(page.location as URL);

    expect(end.location?.hash).toMatch(/^#error=\w+/);
    expect((await api.get('/auth/me', sessionIn(api, browser))).status).toBe(401);
  });

  it('can be a passkey instead, and keeps the session what it is', async () => {
    const { company, account, browser, user, grow, makeToken } = await signedIn(
      { amr: ['mfa'] },
      { trustFactor: true },
    );
    await transact([update(at(userRecord, user.id), { set: { emailVerified: true } })]);
    const { authenticator } = await addPasskey(api, { session: await seedSession({ user }) });
    await signIn(api, browser, company.slug, { account });
    const expires = async () => {
      const { sessions } = (await expectStatus(api.get('/auth/sessions', sessionIn(api, browser)), 200)).body;
      return sessions.find(({ current }: { current: boolean }) => current).expiresAt;
    };
    const before = await expires();
    await grow();
    const asked = await requestIn(api, browser, '/auth/step-up', {});
    const { challenge, publicKey } = asked.body.error?.details ?? asked.body;

    const body = { challenge, passkey: authenticator.get(publicKey) };
    await expectStatus(requestIn(api, browser, '/auth/step-up', body), 200);

    expect(await makeToken()).toBe('201 ok');
    expect(Date.parse(await expires())).toBeLessThanOrEqual(Date.parse(before) + 1000);
    expect((await me(sessionIn(api, browser))).user.id).toBe(user.id);
    expect(codeOf(await api.get(projectsOf(company), sessionIn(api, browser)))).toBe('200 ok');
    expect(codeOf(await api.post('/auth/step-up', {}, company.owner.session))).toBe('400 invalid_request');
    // A passkey of the account opens the rest of it.
    expect(codeOf(await api.post('/auth/token', { name: 'all' }, sessionIn(api, browser)))).toBe('201 ok');
  });
});

describe('a provider that does not say when its person logged in', () => {
  it('gives sessions that are not fresh', async () => {
    const silent = await startOpenIdProvider({ redirectUri: redirectUriOf(api), accounts: {} });
    try {
      const company = await openCompany(api, names, silent);
      silent.accounts.ada = { sub: 'ada', email: `ada@${company.domain}`, email_verified: true };
      const session = await sessionThrough(api, company.slug);
      expect(codeOf(await api.post('/auth/token', { name: 't' }, session))).toBe('403 step_up_required');
      expect(codeOf(await api.get(projectsOf(company), session))).toBe('200 ok');
    } finally {
      await silent.stop();
    }
  });

  it('that says it was long ago, likewise', async () => {
    const company = await openCompany(api, names, provider);
    const session = await sessionThrough(api, company.slug, { account: hire(company, { secondsAgo: 700 }) });
    expect(codeOf(await api.post('/auth/token', { name: 't' }, session))).toBe('403 step_up_required');
  });

  it('that says it will be later gains nothing by it', async () => {
    const company = await openCompany(api, names, provider);
    const account = hire(company, { secondsAgo: -3600 });
    const browser = openBrowser();
    const { session } = await signIn(api, browser, company.slug, { account });
    if (session === undefined) return;
    const { freshUntil } = (await me(session)).authentication;
    expect(Date.parse(freshUntil ?? new Date(0).toISOString())).toBeLessThanOrEqual(Date.now() + 600_000);
  });
});

describe('a session through the provider', () => {
  const hour = 3_600_000;

  it('ends after twelve hours, however often it is used and confirmed', async () => {
    const company = await openCompany(api, names, provider);
    const account = hire(company);
    const browser = openBrowser();
    await signIn(api, browser, company.slug, { account });
    const startedAt = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: startedAt });
    for (let hours = 1; hours < 12; hours += 2) {
      vi.setSystemTime(startedAt + hours * hour);
      expect(codeOf(await api.get(projectsOf(company), sessionIn(api, browser))), `${hours} hours`).toBe('200 ok');
    }
    vi.setSystemTime(startedAt + 12 * hour + 5000);

    expect(codeOf(await api.get(projectsOf(company), sessionIn(api, browser)))).toBe('401 unauthenticated');
  });

  it('is listed with its end, and its cookie ends with it', async () => {
    const company = await openCompany(api, names, provider);
    const browser = openBrowser();
    const { session } = await signIn(api, browser, company.slug, { account: hire(company) });
    const { sessions } = (await expectStatus(api.get('/auth/sessions', session), 200)).body;
    const line = browser.cookies(api.url).find(({ name }) => name === '__service_session')?.line ?? '';

    expect(Date.parse(sessions[0].expiresAt)).toBeLessThanOrEqual(Date.now() + 12 * hour);
    expect(Date.parse(sessions[0].expiresAt)).toBeGreaterThan(Date.now() + 11.9 * hour);
    expect(Number(/Max-Age=(\d+)/i.exec(line)?.[1])).toBeLessThanOrEqual(12 * 3600);
    expect(line).toMatch(/HttpOnly/i);
    expect(line).toMatch(/SameSite=Lax/i);
  });

  it('makes no token that outlives it in its powers: a removed member’s tokens end with the membership', async () => {
    const company = await openStrictCompany();
    const session = await sessionThrough(api, company.slug, { account: hire(company) });
    const { user } = await me(session);
    const { token } = (await expectStatus(api.post('/auth/token', tokenIn(company), session), 201)).body;
    const members = `/members/${company.owner.organization.id}`;
    const { members: all } = (await api.get(members, company.owner.session)).body;
    const { id } = all.find(({ userId }: { userId: string }) => userId === user.id);

    await expectStatus(api.delete(`${members}/${id}`, company.owner.session), 200);

    for (const caller of [session, { token }]) {
      expect((await api.get(projectsOf(company), caller)).status).toBeGreaterThanOrEqual(401);
    }
  });
});
