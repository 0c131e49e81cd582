import { afterEach, describe, expect, it, vi } from 'vitest';
import { at } from '#lib/table/read.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, type Caller, codeOf, createProject, createToken } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { handOffToken } from '#test/support/hand-off.ts';
import { type Person, seedPerson, seedSession } from '#test/support/people.ts';
import { expectStatus, invite, join, memberIdOf } from '#test/support/sample-requests.ts';
import {
  addApp,
  addPasskey,
  ageSession,
  forgetUsedCodes,
  logInWithApp,
  settleFactors,
} from '#test/support/second-factors.ts';
import { openBrowser } from '#test/support/sign-in/browser.ts';
import { type Account, startOpenIdProvider } from '#test/support/sign-in/open-id-provider.ts';
import { type Company, hire, seedColleague, useOpenIdProvider } from '#test/support/sign-in/scene.ts';
import {
  goToProvider,
  logInIn,
  openCompany,
  redirectUriOf,
  requestIn,
  sessionIn,
  sessionThrough,
  settingsOf,
  settingsPath,
  signIn,
  takeCallback,
} from '#test/support/sign-in/sign-in.ts';

/* What a session through the provider is worth: `required`, `trustFactor`, step-up, and how long it lasts. */

const { api, names, provider } = useOpenIdProvider({ alwaysAuthTime: true });

afterEach(() => {
  vi.useRealTimers();
});

const open = (changes: Record<string, unknown> = {}) => openCompany(api, names, provider, changes);
const newcomer = ({ domain }: Company, changes: Partial<Account> = {}) => hire(provider, domain, changes);
const sessionOfNewcomer = (company: Company, changes: Partial<Account> = {}) =>
  sessionThrough(api, company.slug, { account: newcomer(company, changes) });

const me = async (as: Caller) => (await expectStatus(api.get('/auth/me', as), 200)).body;
const projectsOf = ({ owner }: Company) => `/projects/${owner.organization.id}`;
const required = '403 provider_required';
const read = async (company: Company, as: Caller) => codeOf(await api.get(projectsOf(company), as));
/** A token for the company, the only kind that a session through the provider makes. */
const makeToken = ({ owner }: Company, as: Caller) =>
  api.post('/auth/token', { name: 't', organizationId: owner.organization.id }, as);
const tokenOf = async (company: Company, session: Caller): Promise<{ token: string }> =>
  (await expectStatus(makeToken(company, session), 201)).body;

/** Changes the settings. The client's secret is kept. */
async function set({ owner, domain }: Company, changes: object, as: Caller = owner.session): Promise<Answer> {
  const { clientSecret: _, ...settings } = settingsOf(provider, domain);
  return api.put(settingsPath(owner), { ...settings, ...changes }, as);
}

/** Gives the owner an app that is not new, and a session with it. */
async function withSettledApp({ owner }: Company) {
  const app = await addApp(api, owner);
  await settleFactors(owner.user.id);
  return { app, session: await logInWithApp(api, owner, app) };
}

async function openStrictCompany() {
  const company = await open();
  const { app, session } = await withSettledApp(company);
  const strict = { ...company, owner: { ...company.owner, session }, app };
  await expectStatus(set(strict, { required: true }), 200);
  return strict;
}

const memberPathOf = async ({ owner }: Company, person: Pick<Person, 'user'>) =>
  `/members/${owner.organization.id}/${await memberIdOf(api, owner, person)}`;

async function invitePerson(company: Company, role = 'developer'): Promise<Person> {
  const person = await seedPerson({ emailVerified: true });
  await join(api, company.owner, person, role);
  return person;
}

describe('an organization that requires its provider', () => {
  it('can’t be one without an owner who has a factor', async () => {
    const company = await open();

    expect(codeOf(await set(company, { required: true }))).toBe('403 second_factor_required');
    expect((await api.get(settingsPath(company.owner), company.owner.session)).body.signIn.required).toBe(false);
    const app = await addApp(api, company.owner);
    const session = await logInWithApp(api, company.owner, app);
    expect(codeOf(await set(company, { required: true }, session))).toBe('200 ok');
  });

  it('shuts the password’s way at once, for earlier and later sessions and the tokens made from them', async () => {
    const company = await open();
    const member = await invitePerson(company);
    const project = await createProject(api, company.owner);
    const wide = await createToken(api, member);
    const narrow = await tokenOf(company, member.session);
    const { session } = await withSettledApp(company);
    const withoutFactor = await invitePerson(company, 'owner');
    const callers: Caller[] = [member.session, wide, narrow, withoutFactor.session];
    for (const caller of callers) expect(await read(company, caller)).toBe('200 ok');

    await expectStatus(set(company, { required: true }, session), 200);

    const browser = openBrowser();
    await expectStatus(logInIn(api, browser, member.email), 200);
    const dev = `/secrets/${company.slug}/${project.slug}/dev`;
    for (const caller of [...callers, sessionIn(api, browser)]) {
      expect(await read(company, caller)).toBe(required);
      expect(codeOf(await api.get(dev, caller))).toBe(required);
      expect(codeOf(await api.put(dev, { key: 'A', value: 'a' }, caller))).toBe(required);
      // The person's own organization is not the company's.
      const own = await api.get(`/projects/${member.organization.id}`, caller);
      if (caller === member.session || caller === wide) expect(codeOf(own)).toBe('200 ok');
    }
    await expectStatus(set(company, { required: false }, session), 200);
    for (const caller of callers) expect(await read(company, caller)).toBe('200 ok');
  });

  it('admits who came through the provider, and their tokens', async () => {
    const company = await openStrictCompany();
    const session = await sessionOfNewcomer(company);

    for (const as of [session, await tokenOf(company, session)]) expect(await read(company, as)).toBe('200 ok');
  });

  it('admits a token that the command line was handed by a session through the provider, and by no other', async () => {
    const company = await openStrictCompany();
    const member = await invitePerson(company);
    const { organization } = company.owner;
    const handOff = (as: { cookie: string }) => handOffToken(api, as, { organizationId: organization.id });

    expect(await read(company, await handOff(await sessionOfNewcomer(company)))).toBe('200 ok');
    expect(await read(company, await handOff(member.session))).toBe(required);
  });

  it('does not admit a session through another organization’s provider', async () => {
    const [company, other] = [await openStrictCompany(), await open()];
    const account = newcomer(other);
    const session = await sessionThrough(api, other.slug, { account });
    const { token } = await invite(api, company.owner, (await me(session)).user.email);
    await api.post(`/members/invite/${token}/accept`, undefined, session);

    const again = await sessionThrough(api, other.slug, { account });
    expect((await api.get(projectsOf(company), again)).status).toBeGreaterThanOrEqual(403);
  });

  it('admits owners with a factor as before, and mails every such log-in to all owners', async () => {
    const company = await openStrictCompany();
    const [second, developer] = [await invitePerson(company, 'owner'), await invitePerson(company)];
    const owners = [company.owner.email, second.email];
    const mailed = async (to: string) => (await api.mails()).filter(mail => mail.to === to).length;
    const countsBefore = await Promise.all([...owners, developer.email].map(mailed));

    const session = await logInWithApp(api, company.owner, company.app);

    expect(await read(company, session)).toBe('200 ok');
    const expectedCounts = countsBefore.slice(0, 2).map(count => count + 1);
    await eventually(async () => expect(await Promise.all(owners.map(mailed))).toEqual(expectedCounts));
    const subjects = (await api.mails()).filter(({ to }) => to === company.owner.email).map(({ subject }) => subject);
    expect(subjects).toContain('A log-in without your company’s sign-in provider');
    // An owner without a factor has no other way than the provider, and neither has a developer with one.
    expect(await read(company, second.session)).toBe(required);
    const app = await addApp(api, developer);
    expect(await read(company, await logInWithApp(api, developer, app))).toBe(required);
    expect(await mailed(developer.email)).toBeLessThanOrEqual((countsBefore[2] ?? 0) + 2);
  });

  it('keeps its last owner with a factor: the factor stays, the role stays, the membership stays', async () => {
    const company = await openStrictCompany();
    const { owner } = company;
    const second = await invitePerson(company, 'owner');
    const path = await memberPathOf(company, owner);

    const refused = [
      await api.delete('/auth/totp', owner.session),
      await api.patch(path, { role: 'admin' }, owner.session),
      await api.delete(path, owner.session),
    ];

    for (const answer of refused) expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await read(company, owner.session)).toBe('200 ok');
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
    const session = await sessionOfNewcomer(company);
    const callers = [session, await tokenOf(company, session)];
    await expectStatus(set(company, { required: true, domains: [company.domain, 'other.example'] }), 200);
    for (const as of callers) expect(await read(company, as)).toBe('200 ok');

    await expectStatus(set(company, { required: true, clientId: 'another-client' }), 200);

    for (const as of callers) expect(await read(company, as)).toBe(required);
    expect(await read(company, company.owner.session)).toBe('200 ok');
  });

  it('is an ordinary one again when the provider is removed', async () => {
    const company = await openStrictCompany();
    const member = await invitePerson(company);
    const through = await sessionOfNewcomer(company);
    expect(await read(company, member.session)).toBe(required);

    await expectStatus(api.delete(settingsPath(company.owner), company.owner.session), 200);

    for (const session of [member.session, through, company.owner.session]) {
      expect(await read(company, session)).toBe('200 ok');
    }
  });
});

describe('a second factor', () => {
  /** A company whose members have to have one, with a linked person who has an app. */
  async function linkedPerson(trustFactor: boolean) {
    const company = await open({ trustFactor });
    const person = await seedColleague(company);
    const { email } = person;
    const app = await addApp(api, person);
    const account = newcomer(company, { email, amr: ['pwd', 'mfa'] });
    const browser = openBrowser();
    expect((await signIn(api, browser, company.slug, { account })).error).toBe('link_required');
    const { challenge } = (await logInIn(api, browser, email)).body.error.details;
    await expectStatus(requestIn(api, browser, '/auth/login/verify', { challenge, totp: app.code() }), 200);
    await forgetUsedCodes(person.user.id);
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
    const ofPerson = await api.get(`/projects/${person.organization.id}`, sessionIn(api, browser));
    expect(codeOf(ofPerson)).toBe('404 organization_not_found');
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
    const company = await open();
    const session = await sessionOfNewcomer(company, { amr: ['mfa', 'otp'] });
    const lacking = '403 second_factor_required';

    expect((await me(session)).authentication.secondFactor).toBe(false);
    const app = await addApp(api, company.owner);
    const owner = await logInWithApp(api, company.owner, app);
    const path = `/orgs/${company.owner.organization.id}`;
    await expectStatus(api.patch(path, { requireSecondFactor: true }, owner), 200);
    expect(await read(company, session)).toBe(lacking);
    await expectStatus(set(company, { trustFactor: true }, owner), 200);
    // Earlier sessions were not verified by it.
    expect(await read(company, session)).toBe(lacking);
    const trusted = await sessionOfNewcomer(company, { amr: ['mfa'] });
    const callers = [trusted, await tokenOf(company, trusted)];
    for (const as of callers) expect(await read(company, as)).toBe('200 ok');
    // Nor are sessions trusted any longer once the organization stops trusting.
    await expectStatus(set(company, { trustFactor: false }, owner), 200);
    callers.push(await sessionOfNewcomer(company, { amr: ['mfa'] }));
    for (const as of callers) expect(await read(company, as)).toBe(lacking);
  });
});

describe('a step-up through the provider', () => {
  async function signedIn(changes: Partial<Account> = {}, settings: Record<string, unknown> = {}) {
    const company = await open(settings);
    const account = newcomer(company, changes);
    const browser = openBrowser();
    const { session } = await signIn(api, browser, company.slug, { account });
    const { user } = await me(session);
    return {
      company,
      account,
      browser,
      user,
      grow: () => ageSession({ session: sessionIn(api, browser), user } as Person, 601),
      tokenCode: async () => codeOf(await makeToken(company, sessionIn(api, browser))),
      stepUp: (query: Record<string, string> = {}) =>
        signIn(api, browser, company.slug, { account, stepUp: 'true', ...query }),
    };
  }

  it('makes the session fresh: the provider is asked to log its person in again', async () => {
    const { browser, grow, tokenCode, stepUp } = await signedIn();
    await grow();
    expect(await tokenCode()).toBe('403 step_up_required');
    const old = sessionIn(api, browser);
    const asked = provider.asked.length;

    const { error, landed } = await stepUp({ to: '/settings' });

    expect([error, landed.pathname]).toEqual([undefined, '/settings']);
    expect(provider.asked.slice(asked).map(parameters => parameters.get('max_age'))).toEqual(['0']);
    expect(await tokenCode()).toBe('201 ok');
    // Like any step-up, it renews the session's secret.
    expect(sessionIn(api, browser)?.cookie).not.toBe(old?.cookie);
    expect(codeOf(await api.get('/auth/me', old))).toBe('401 unauthenticated');
  });

  it('is refused if the provider did not ask: `auth_time` is old', async () => {
    const { grow, tokenCode, stepUp } = await signedIn({ secondsAgo: 300 });
    await grow();

    expect((await stepUp()).error).toBe('not_fresh');
    expect(await tokenCode()).toBe('403 step_up_required');
  });

  it('is refused if somebody else logs in at the provider, and the session stays as it was', async () => {
    const { company, browser, user, grow, tokenCode, stepUp } = await signedIn();
    await grow();
    const [stranger, colleague] = [newcomer(company), newcomer(company)];
    await sessionThrough(api, company.slug, { account: colleague });

    for (const account of [stranger, colleague]) {
      // Another person's log-in at the provider replaces the one that the browser has there.
      browser.forget(provider.url);
      expect((await stepUp({ account })).error).toBe('other_person');
    }

    expect(await tokenCode()).toBe('403 step_up_required');
    expect((await me(sessionIn(api, browser))).user.id).toBe(user.id);
    const { members } = (await api.get(`/members/${company.owner.organization.id}`, company.owner.session)).body;
    expect(members).toHaveLength(3);
  });

  it('needs a session: without one nothing starts, and one that ended meanwhile is not brought back', async () => {
    const { company, account, browser } = await signedIn();
    const withoutSession = await signIn(api, openBrowser(), company.slug, { account, stepUp: 'true' });
    expect(withoutSession.error).toBe('session_required');
    const callback = await goToProvider(api, browser, company.slug, { account, stepUp: 'true' });
    await expectStatus(api.post('/auth/logout', {}, sessionIn(api, browser)), 200);

    expect((await takeCallback(api, browser, callback)).error).toBeDefined();
    expect((await api.get('/auth/me', sessionIn(api, browser))).status).toBe(401);
  });

  it('can be a passkey instead, and keeps the session what it is', async () => {
    const { company, account, browser, user, grow, tokenCode } = await signedIn(
      { amr: ['mfa'] },
      { trustFactor: true },
    );
    await transact([update(at(userRecord, user.id), { set: { emailVerified: true } })]);
    const { authenticator } = await addPasskey(api, { session: await seedSession({ user }) });
    await signIn(api, browser, company.slug, { account });
    const expiresAtMs = async () => {
      const { sessions } = (await expectStatus(api.get('/auth/sessions', sessionIn(api, browser)), 200)).body;
      return Date.parse(sessions.find(({ current }: { current: boolean }) => current).expiresAt);
    };
    const expiredBefore = await expiresAtMs();
    await grow();
    const asked = await requestIn(api, browser, '/auth/step-up', {});
    const { challenge, publicKey } = asked.body.error?.details ?? asked.body;
    const body = { challenge, passkey: authenticator.get(publicKey) };
    await expectStatus(requestIn(api, browser, '/auth/step-up', body), 200);

    expect(await tokenCode()).toBe('201 ok');
    expect(await expiresAtMs()).toBeLessThanOrEqual(expiredBefore + 1000);
    expect((await me(sessionIn(api, browser))).user.id).toBe(user.id);
    expect(await read(company, sessionIn(api, browser))).toBe('200 ok');
    expect(codeOf(await api.post('/auth/step-up', {}, company.owner.session))).toBe('400 invalid_request');
    // A passkey of the account opens the rest of it.
    expect(codeOf(await api.post('/auth/token', { name: 'all' }, sessionIn(api, browser)))).toBe('201 ok');
  });
});

describe('a provider that does not say when its person logged in', () => {
  const withoutTime = shared(() => startOpenIdProvider({ redirectUri: redirectUriOf(api), accounts: {} }));

  it('gives sessions that are not fresh', async () => {
    const company = await openCompany(api, names, withoutTime);
    const session = await sessionThrough(api, company.slug, { account: hire(withoutTime, company.domain) });
    expect(codeOf(await api.post('/auth/token', { name: 't' }, session))).toBe('403 step_up_required');
    expect(await read(company, session)).toBe('200 ok');
  });

  it('that says it was long ago, likewise', async () => {
    const session = await sessionOfNewcomer(await open(), { secondsAgo: 700 });
    expect(codeOf(await api.post('/auth/token', { name: 't' }, session))).toBe('403 step_up_required');
  });

  it('that says it will be later gains nothing by it', async () => {
    const company = await open();
    const account = newcomer(company, { secondsAgo: -3600 });
    const { session } = await signIn(api, openBrowser(), company.slug, { account });
    if (session === undefined) return;
    const { freshUntil } = (await me(session)).authentication;
    expect(Date.parse(freshUntil ?? new Date(0).toISOString())).toBeLessThanOrEqual(Date.now() + 600_000);
  });
});

describe('a session through the provider', () => {
  const hour = 3_600_000;

  it('ends after twelve hours, however often it is used and confirmed', async () => {
    const company = await open();
    const browser = openBrowser();
    await signIn(api, browser, company.slug, { account: newcomer(company) });
    const startedAt = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: startedAt });
    for (let hours = 1; hours < 12; hours += 2) {
      vi.setSystemTime(startedAt + hours * hour);
      expect(await read(company, sessionIn(api, browser)), `${hours} hours`).toBe('200 ok');
    }
    vi.setSystemTime(startedAt + 12 * hour + 5000);

    expect(await read(company, sessionIn(api, browser))).toBe('401 unauthenticated');
  });

  it('is listed with its end, and its cookie ends with it', async () => {
    const company = await open();
    const browser = openBrowser();
    const { session } = await signIn(api, browser, company.slug, { account: newcomer(company) });
    const { sessions } = (await expectStatus(api.get('/auth/sessions', session), 200)).body;
    const line = browser.cookies(api.url).find(({ name }) => name === '__service_session')?.line ?? '';

    const remainingMs = Date.parse(sessions[0].expiresAt) - Date.now();
    expect(remainingMs).toBeLessThanOrEqual(12 * hour);
    expect(remainingMs).toBeGreaterThan(11.9 * hour);
    expect(Number(/Max-Age=(\d+)/i.exec(line)?.[1])).toBeLessThanOrEqual(12 * 3600);
    expect(line).toMatch(/HttpOnly/i);
    expect(line).toMatch(/SameSite=Lax/i);
  });

  it('makes no token that outlives it in its powers: a removed member’s tokens end with the membership', async () => {
    const company = await openStrictCompany();
    const session = await sessionOfNewcomer(company);
    const token = await tokenOf(company, session);

    const path = await memberPathOf(company, await me(session));
    await expectStatus(api.delete(path, company.owner.session), 200);

    for (const as of [session, token]) {
      expect((await api.get(projectsOf(company), as)).status).toBeGreaterThanOrEqual(401);
    }
  });
});
