import { describe, expect, it, onTestFinished } from 'vitest';
import { readCredential } from '#lib/crypto/credentials.ts';
import { noPassword } from '#lib/crypto/passwords.ts';
import { count } from '#lib/limits/count.ts';
import { failedLoginsOfNetwork } from '#lib/limits/rate-limits.ts';
import { at, find } from '#lib/table/read.ts';
import { type SessionRecord, sessionRecord } from '#lib/table/records/credentials.ts';
import { emailRecord, userRecord } from '#lib/table/records/user.ts';
import { put, remove, transact, update } from '#lib/table/write.ts';
import { codeOf, nowSeconds, sessionOf, useSettings } from '../support/api.ts';
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
import { logInAs, useSignIn } from '../support/sign-in/scene.ts';
import {
  logInIn,
  newDomain,
  openCompany,
  requestIn,
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

type Strict = Awaited<ReturnType<typeof openStrict>>;

/** A company that requires its provider, and an owner with an app that is settled. */
async function openStrict() {
  const company = await openCompany(api, names, provider);
  const app = await addApp(api, company.owner);
  await settleFactors(company.owner.user.id);
  const owner = { ...company.owner, session: await logInWithApp(api, company.owner, app) };
  const required = { ...settingsOf(provider, company.domain), required: true };
  await expectStatus(api.put(settingsPath(owner), required, owner.session), 200);
  return { ...company, owner, app };
}

/** Another owner of the company, who has a password. */
async function addOwner({ owner }: Strict, person?: Person): Promise<Person> {
  const added = person ?? (await seedPerson({ emailVerified: true }));
  await join(api, owner, added, 'owner');
  return added;
}

/** Somebody whose account is linked to a provider that trusts its own factor or not, with an address of its domain. */
async function linkedTo(changes: { trustFactor: boolean }) {
  const domain = newDomain();
  const email = `worker@${domain}`;
  const other = await openCompany(api, names, provider, { domain, ...changes });
  const seeded = await seedPerson({ emailVerified: true });
  await transact([
    remove(at(emailRecord, seeded.email)),
    put(at(emailRecord, email), { userId: seeded.user.id }),
    update(at(userRecord, seeded.user.id), { set: { email } }),
  ]);
  const person = { ...seeded, email };
  const claims = { auth_time: nowSeconds(), amr: ['mfa'] };
  const asPerson = { person: { sub: email, email, email_verified: true }, claims };
  provider.script = asPerson;
  const browser = openBrowser();
  expect((await signIn(api, browser, other.slug)).error).toBe('link_required');
  await expectStatus(logInIn(api, browser, email), 200);
  return { person, slug: other.slug, domain };
}

/** The person's session through the provider, completed with the app if it asks for it. */
async function through(slug: string, app?: App) {
  const browser = openBrowser();
  const { error } = await signIn(api, browser, slug);
  if (app !== undefined && error === 'second_factor_required') {
    const { challenge } = (await expectStatus(requestIn(api, browser, '/auth/provider/factor', {}), 200)).body;
    await expectStatus(requestIn(api, browser, '/auth/login/verify', { challenge, totp: app.code() }), 200);
  }
  return sessionIn(api, browser) as { cookie: string };
}

describe('an owner’s way past the required provider', () => {
  it('is not opened by a stolen password and a factor that the thief adds', async () => {
    const company = await openStrict();
    const victim = await addOwner(company);
    const session = await logInAs(api, victim);
    expect(codeOf(await api.get(settingsPath(company.owner), session))).toBe(required);
    const app = await addApp(api, { ...victim, session });

    expect(codeOf(await api.delete(settingsPath(company.owner), session))).toBe(required);
    // A step-up of that session with the thief's factor isn't a log-in either.
    const stepUp = { password: testPassword, totp: app.code() };
    const stepped = sessionOf(await expectStatus(api.post('/auth/step-up', stepUp, session), 200));
    expect(codeOf(await api.delete(settingsPath(company.owner), stepped))).toBe(required);
    // Nor is a log-in with it, or with its recovery codes.
    await forgetUsedCodes(victim.user.id);
    const before = await glassMails(company.owner);
    const loggedIn = await logInWithApp(api, victim, app);
    expect(codeOf(await api.get(settingsPath(company.owner), loggedIn))).toBe(required);
    const { challenge } = await askedAtLogin(victim);
    const recoveryCode = app.recoveryCodes[0] as string;
    const recovered = sessionOf(await expectStatus(api.post('/auth/login/verify', { challenge, recoveryCode }), 200));
    expect(codeOf(await api.get(settingsPath(company.owner), recovered))).toBe(required);
    expect(await glassMails(company.owner)).toBe(before);
    // A requirement in an organization of the thief's own, or of the owner's, counts nowhere else.
    const elsewhere = { ...victim, session: loggedIn };
    const own = settingsOf(provider, newDomain(), { required: true });
    await expectStatus(api.put(settingsPath(elsewhere), own, loggedIn), 200);
    const again = await logInWithApp(api, victim, app);
    for (const session of [loggedIn, again]) {
      expect(codeOf(await api.get(settingsPath(company.owner), session))).toBe(required);
    }
    expect(codeOf(await api.get(settingsPath(victim), again))).toBe('200 ok');
    // After seven days without an objection, the factor is the owner's. The others hear of the log-in.
    await settleFactors(victim.user.id);
    const settled = await logInWithApp(api, victim, app);
    await expect.poll(() => glassMails(company.owner), { timeout: 10_000 }).toBe(before + 1);
    expect(codeOf(await api.get(settingsPath(company.owner), settled))).toBe('200 ok');
    // That log-in is one of the personal organization too, and each of the others was mailed there.
    expect(codeOf(await api.get(settingsPath(victim), settled))).toBe('200 ok');
  });

  it('takes a factor that was there before the requirement, in a log-in after it', async () => {
    const company = await openCompany(api, names, provider);
    const app = await addApp(api, company.owner);
    const before = await logInWithApp(api, company.owner, app);
    const strict = settingsOf(provider, company.domain, { required: true });
    await expectStatus(api.put(settingsPath(company.owner), strict, before), 200);

    // The session that set it goes on only with a settled factor.
    expect(codeOf(await api.get(settingsPath(company.owner), before))).toBe(required);
    const after = await logInWithApp(api, company.owner, app);
    expect(codeOf(await api.get(settingsPath(company.owner), after))).toBe('200 ok');
    // Another change doesn't let in what was added meanwhile.
    const second = await addOwner({ ...company, owner: { ...company.owner, session: after }, app });
    const later = await addApp(api, second);
    await expectStatus(api.put(settingsPath(company.owner), { ...strict, defaultRole: null }, after), 200);
    expect(codeOf(await api.get(settingsPath(company.owner), await logInWithApp(api, second, later)))).toBe(required);
  });

  it('is not taken by a session that an earlier release marked', async () => {
    const company = await openStrict();
    const session = await logInWithApp(api, company.owner, company.app);
    const { hash } = readCredential(session.cookie.split('=')[1] as string) as { hash: string };
    const { brokeGlassIn: _, ...stored } = (await find(
      at(sessionRecord, company.owner.user.id, hash),
    )) as SessionRecord;
    const marked = { ...stored, loggedInWithFactor: true };
    await transact([put(at(sessionRecord, company.owner.user.id, hash), marked)]);

    expect(codeOf(await api.get(settingsPath(company.owner), session))).toBe(required);
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
    expect(codeOf(await api.get(settingsPath(company.owner), session))).toBe('200 ok');
  });

  it('stays open when there were too many mails about it', async () => {
    const company = await openStrict();
    for (let count = 0; count < 21; count += 1) await logInWithApp(api, company.owner, company.app);
    const session = await logInWithApp(api, company.owner, company.app);

    expect(codeOf(await api.get(settingsPath(company.owner), session))).toBe('200 ok');
  });

  it('stays open over a step-up', async () => {
    const company = await openStrict();
    const stepUp = { password: testPassword, totp: company.app.code() };
    const stepped = sessionOf(await expectStatus(api.post('/auth/step-up', stepUp, company.owner.session), 200));

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
      const stepUp = { password: testPassword, totp: app.code() };
      const stepped = sessionOf(await expectStatus(api.post('/auth/step-up', stepUp, session), 200));

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
    const require = () =>
      api.put(settingsPath(owner), { ...settingsOf(provider, domain), required: true }, owner.session);

    expect(codeOf(await require())).toBe('403 second_factor_required');
    await addPasskey(api, owner);
    expect(codeOf(await require())).toBe('200 ok');
  });

  it('can’t remove the passkey that is the only way in, though an app remains', async () => {
    const { owner, domain } = await openCompany(api, names, provider);
    await addApp(api, owner);
    const { id } = await addPasskey(api, owner);
    await forgetPassword(owner);
    const body = { ...settingsOf(provider, domain), required: true };
    await expectStatus(api.put(settingsPath(owner), body, owner.session), 200);

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
