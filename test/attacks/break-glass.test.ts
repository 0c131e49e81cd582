import { describe, expect, it, onTestFinished } from 'vitest';
import { readCredential } from '#lib/crypto/credentials.ts';
import { noPassword } from '#lib/crypto/passwords.ts';
import { count } from '#lib/limits/count.ts';
import { failedLoginsOfNetwork } from '#lib/limits/rate-limits.ts';
import { at, find } from '#lib/table/read.ts';
import { sessionRecord } from '#lib/table/records/credentials.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { put, remove, transact, update } from '#lib/table/write.ts';
import { type Caller, codeOf, nowSeconds, sessionOf, useSettings } from '../support/api.ts';
import { type Person, seedPerson, testPassword } from '../support/people.ts';
import { expectStatus, join } from '../support/sample-requests.ts';
import {
  type App,
  addApp,
  addPasskey,
  askedAtLogin,
  forgetUsedCodes,
  logInWithApp,
  settleFactors,
} from '../support/second-factors.ts';
import { openBrowser } from '../support/sign-in/browser.ts';
import { logInAs, seedColleague, useSignIn } from '../support/sign-in/scene.ts';
import {
  answerFactor,
  logInIn,
  newDomain,
  openCompany,
  sessionIn,
  settingsOf,
  settingsPath,
  signIn,
} from '../support/sign-in/sign-in.ts';

/* Ways past a required provider, and from a customer's provider to the whole platform. */

const { api, names, provider } = useSignIn({ sub: 'ada', email_verified: true });
const required = '403 provider_required';
const glassMails = async (to: Person) =>
  (await api.mails()).filter(mail => mail.to === to.email && JSON.stringify(mail).includes('without')).length;
const opens = async ({ owner }: { owner: Person }, session: Caller) =>
  codeOf(await api.get(settingsPath(owner), session));
const requireProvider = (owner: Person, domain: string) =>
  api.put(settingsPath(owner), settingsOf(provider, domain, { required: true }), owner.session);
const stepUp = async (app: App, session: Caller) =>
  sessionOf(await expectStatus(api.post('/auth/step-up', { password: testPassword, totp: app.code() }, session), 200));

type Strict = Awaited<ReturnType<typeof openStrict>>;

async function openStrict() {
  const company = await openCompany(api, names, provider);
  const app = await addApp(api, company.owner);
  await settleFactors(company.owner.user.id);
  const owner = { ...company.owner, session: await logInWithApp(api, company.owner, app) };
  await expectStatus(requireProvider(owner, company.domain), 200);
  return { ...company, owner, app };
}

async function addOwner({ owner }: Strict, person?: Person): Promise<Person> {
  const added = person ?? (await seedPerson({ emailVerified: true }));
  await join(api, owner, added, 'owner');
  return added;
}

/** Somebody whose account is linked to a provider that trusts its own factor or not, with an address of its domain. */
async function linkedTo(changes: { trustFactor: boolean }) {
  const { slug, domain } = await openCompany(api, names, provider, changes);
  const person = await seedColleague({ domain });
  const { email } = person;
  provider.script = {
    person: { sub: email, email, email_verified: true },
    claims: { auth_time: nowSeconds(), amr: ['mfa'] },
  };
  const browser = openBrowser();
  expect((await signIn(api, browser, slug)).error).toBe('link_required');
  await expectStatus(logInIn(api, browser, email), 200);
  return { person, slug };
}

/** The person's session through the provider, completed with the app if it asks for it. */
async function through(slug: string, app?: App) {
  const browser = openBrowser();
  const { error } = await signIn(api, browser, slug);
  if (app !== undefined && error === 'second_factor_required') await expectStatus(answerFactor(api, browser, app), 200);
  return sessionIn(api, browser) as { cookie: string };
}

describe('an owner’s way past the required provider', () => {
  it('is not opened by a stolen password and a factor that the thief adds', async () => {
    const company = await openStrict();
    const victim = await addOwner(company);
    const session = await logInAs(api, victim);
    expect(await opens(company, session)).toBe(required);
    const app = await addApp(api, { ...victim, session });

    expect(codeOf(await api.delete(settingsPath(company.owner), session))).toBe(required);
    // A step-up of that session with the thief's factor isn't a log-in either.
    const stepped = await stepUp(app, session);
    expect(codeOf(await api.delete(settingsPath(company.owner), stepped))).toBe(required);
    // Nor is a log-in with it, or with its recovery codes.
    await forgetUsedCodes(victim.user.id);
    const sent = await glassMails(company.owner);
    const loggedIn = await logInWithApp(api, victim, app);
    expect(await opens(company, loggedIn)).toBe(required);
    const { challenge } = await askedAtLogin(victim);
    const recovery = { challenge, recoveryCode: app.recoveryCodes[0] };
    const recovered = sessionOf(await expectStatus(api.post('/auth/login/verify', recovery), 200));
    expect(await opens(company, recovered)).toBe(required);
    expect(await glassMails(company.owner)).toBe(sent);
    // A requirement in an organization of the thief's own, or of the owner's, counts nowhere else.
    await expectStatus(requireProvider({ ...victim, session: loggedIn }, newDomain()), 200);
    const again = await logInWithApp(api, victim, app);
    for (const session of [loggedIn, again]) expect(await opens(company, session)).toBe(required);
    expect(await opens({ owner: victim }, again)).toBe('200 ok');
    // After seven days without an objection, the factor is the owner's. The others hear of the log-in.
    await settleFactors(victim.user.id);
    const settled = await logInWithApp(api, victim, app);
    await expect.poll(() => glassMails(company.owner), { timeout: 10_000 }).toBe(sent + 1);
    expect(await opens(company, settled)).toBe('200 ok');
    // That log-in is one of the personal organization too, and each of the others was mailed there.
    expect(await opens({ owner: victim }, settled)).toBe('200 ok');
  });

  it('takes a factor that was there before the requirement, in a log-in after it', async () => {
    const company = await openCompany(api, names, provider);
    const app = await addApp(api, company.owner);
    const earlier = await logInWithApp(api, company.owner, app);
    await expectStatus(requireProvider({ ...company.owner, session: earlier }, company.domain), 200);

    // The session that set it goes on only with a settled factor.
    expect(await opens(company, earlier)).toBe(required);
    const session = await logInWithApp(api, company.owner, app);
    expect(await opens(company, session)).toBe('200 ok');
    // Another change doesn't let in what was added meanwhile.
    const second = await addOwner({ ...company, owner: { ...company.owner, session }, app });
    const later = await addApp(api, second);
    const changed = settingsOf(provider, company.domain, { required: true, defaultRole: null });
    await expectStatus(api.put(settingsPath(company.owner), changed, session), 200);
    expect(await opens(company, await logInWithApp(api, second, later))).toBe(required);
  });

  it('is not taken by a session that an earlier release marked', async () => {
    const company = await openStrict();
    const session = await logInWithApp(api, company.owner, company.app);
    const { hash } = readCredential(session.cookie.split('=')[1] as string) as { hash: string };
    const item = at(sessionRecord, company.owner.user.id, hash);
    const { brokeGlassIn: _, ...stored } = { brokeGlassIn: [], ...(await find(item)) };
    await transact([put(item, { ...stored, loggedInWithFactor: true } as never)]);

    expect(await opens(company, session)).toBe(required);
  });

  it('stays open while others use up the network’s log-ins, and only to the right password', async () => {
    useSettings({ LOGIN_FAILURE_LIMIT: '10' });
    const company = await openStrict();
    const bystander = await seedPerson();
    await count(failedLoginsOfNetwork('127.0.0.1'));
    await transact([update(failedLoginsOfNetwork('127.0.0.1').item, { set: { tries: 100 } })]);
    onTestFinished(() => transact([remove(failedLoginsOfNetwork('127.0.0.1').item)]));
    const logIn = ({ email }: Person, password = testPassword) => api.post('/auth/login', { email, password });

    expect(codeOf(await logIn(bystander))).toBe('429 rate_limited');
    expect(codeOf(await logIn(company.owner, 'a wrong password'))).toBe('429 rate_limited');
    const asked = await logIn(company.owner);
    expect(codeOf(asked)).toBe('401 second_factor_required');
    const { challenge } = asked.body.error.details;
    const proof = { challenge, totp: company.app.code() };
    const session = sessionOf(await expectStatus(api.post('/auth/login/verify', proof), 200));
    expect(await opens(company, session)).toBe('200 ok');
  });

  it('stays open when there were too many mails about it', async () => {
    const company = await openStrict();
    for (let count = 0; count < 21; count += 1) await logInWithApp(api, company.owner, company.app);
    const session = await logInWithApp(api, company.owner, company.app);

    expect(await opens(company, session)).toBe('200 ok');
  });

  it('stays open over a step-up', async () => {
    const company = await openStrict();
    const stepped = await stepUp(company.app, company.owner.session);

    expect(codeOf(await api.delete(settingsPath(company.owner), stepped))).toBe('200 ok');
  });

  it.each([false, true])(
    'is not another organization’s provider with the owner’s own factor (trustFactor: %s)',
    async trustFactor => {
      const company = await openStrict();
      const { person, slug } = await linkedTo({ trustFactor });
      const app = await addApp(api, person);
      await addOwner(company, person);
      const session = await through(slug, app);
      await forgetUsedCodes(person.user.id);
      const stepped = await stepUp(app, session);

      expect(codeOf(await api.delete(settingsPath(company.owner), stepped))).toBe(required);
      // The step-up opened the rest of the account, but broke no glass.
      expect(codeOf(await api.get(`/projects/${person.organization.id}`, stepped))).toBe('200 ok');
    },
  );
});

const makeAdmin = ({ user: { id } }: Pick<Person, 'user'>) =>
  transact([update(at(userRecord, id), { set: { isAdmin: true } })]);

describe('a platform administrator’s session through a customer’s provider', () => {
  it('is not one of an administrator, and can’t become one by adding a factor', async () => {
    const { person, slug } = await linkedTo({ trustFactor: true });
    const session = await through(slug);
    await makeAdmin(person);

    expect(codeOf(await api.get('/admin/stats', session))).toBe('403 session_confined');
    const { confinedTo } = (await expectStatus(api.get('/auth/me', session), 200)).body;
    const limited = { name: 't', organizationId: confinedTo.id };
    const { token } = (await expectStatus(api.post('/auth/token', limited, session), 201)).body;
    expect(codeOf(await api.get('/admin/stats', { token }))).toBe('403 insufficient_scope');
    await expect(addApp(api, { ...person, session })).rejects.toThrow('session_confined');
    await expect(addPasskey(api, { session })).rejects.toThrow('session_confined');
    expect(codeOf(await api.get('/admin/stats', person.session))).toBe('200 ok');
  });

  it('does not begin any more, whatever factor the administrator has: the link has ended', async () => {
    const { person, slug } = await linkedTo({ trustFactor: false });
    const app = await addApp(api, person);
    await makeAdmin(person);

    expect((await signIn(api, openBrowser(), slug)).error).toBe('link_required');
    await forgetUsedCodes(person.user.id);
    const own = await logInWithApp(api, person, app);
    expect(codeOf(await api.get('/admin/stats', own))).toBe('200 ok');
    expect((await api.get('/auth/providers', own)).body.links).toEqual([]);
  });
});

describe('an owner who has no password', () => {
  const forgetPassword = ({ user }: Person) =>
    transact([update(at(userRecord, user.id), { set: { passwordHash: noPassword } })]);

  it('does not count with an app alone, which logs nobody in', async () => {
    const { owner, domain } = await openCompany(api, names, provider);
    await addApp(api, owner);
    await forgetPassword(owner);
    expect(codeOf(await requireProvider(owner, domain))).toBe('403 second_factor_required');
    await addPasskey(api, owner);
    expect(codeOf(await requireProvider(owner, domain))).toBe('200 ok');
  });

  it('can’t remove the passkey that is the only way in, though an app remains', async () => {
    const { owner, domain } = await openCompany(api, names, provider);
    await addApp(api, owner);
    const { id } = await addPasskey(api, owner);
    await forgetPassword(owner);
    await expectStatus(requireProvider(owner, domain), 200);

    expect(codeOf(await api.delete(`/auth/passkeys/${id}`, owner.session))).toBe('409 last_owner');
    await expectStatus(api.delete('/auth/totp', owner.session), 200);
  });

  it('is still there when an owner goes: another’s factor that is not settled lets nobody in', async () => {
    const company = await openStrict();
    const other = await addOwner(company);
    await addApp(api, other);
    const leaving = () => api.delete(`/members/${company.owner.organization.id}/me`, company.owner.session);

    expect(codeOf(await leaving())).toBe('409 last_owner');
    await settleFactors(other.user.id);
    expect(codeOf(await leaving())).toBe('200 ok');
  });
});
