import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import { totpCode, totpStep } from '#lib/crypto/totp.ts';
import { at } from '#lib/table/read.ts';
import { sessionRecord, tokenRecord } from '#lib/table/records/credentials.ts';
import { emailRecord, userRecord } from '#lib/table/records/user.ts';
import { put, remove, transact, update } from '#lib/table/write.ts';
import { type Answer, type Caller, codeOf, nowSeconds, sessionOf } from '../support/api.ts';
import { type Person, seedPerson, seedSession, testPassword } from '../support/people.ts';
import { expectStatus, mailedToken } from '../support/sample-requests.ts';
import { type App, addApp, addPasskey, forgetUsedCodes, fromBase32, logInWithApp } from '../support/second-factors.ts';
import { openBrowser } from '../support/sign-in/browser.ts';
import { type HostileProvider, startHostileProvider } from '../support/sign-in/hostile-provider.ts';
import { type Company, useSignIn } from '../support/sign-in/scene.ts';
import {
  logInIn,
  newDomain,
  openCompany,
  requestIn,
  sessionIn,
  sessionThrough,
  settingsOf,
  settingsPath,
  signIn,
} from '../support/sign-in/sign-in.ts';
import { allItems } from '../support/table-dump.ts';

/*
 * A person has an authenticator app, an organization of their own and a job. Whoever manages the employer's provider says
 * that the person has signed in there. That opens the employer's organization, and nothing else of the person's.
 */

const domain = newDomain();
const email = `victim@${domain}`;
const { api, names, provider } = useSignIn({ sub: 'victim', email, email_verified: true, amr: ['mfa'] });
let employer: Company;
let victim: Person;
let app: App;
let impostor: { cookie: string };
let token: { token: string };

beforeAll(async () => {
  employer = await openCompany(api, names, provider, { domain, trustFactor: true });
  const person = await seedPerson();
  await transact([
    remove(at(emailRecord, person.email)),
    put(at(emailRecord, email), { userId: person.user.id }),
    update(at(userRecord, person.user.id), { set: { email, emailVerified: true } }),
  ]);
  victim = { ...person, email };
  app = await addApp(api, victim);
  const browser = openBrowser();
  await signIn(api, browser, employer.slug);
  const { challenge } = (await logInIn(api, browser, email)).body.error.details;
  await expectStatus(requestIn(api, browser, '/auth/login/verify', { challenge, totp: app.code() }), 200);
  await transact([update(at(userRecord, person.user.id), { set: { 'totp.lastStep': 0 } })]);
  provider.script = { claims: { auth_time: nowSeconds() } };
  impostor = await sessionThrough(api, employer.slug);
  const body = { name: 't', organizationId: employer.owner.organization.id };
  const made = await api.post('/auth/token', body, impostor);
  token = { token: made.body.token };
});

const refused = (answer: Answer) => answer.status >= 400 && answer.status < 500;

describe('a session whose factor only the employer’s provider vouches for', () => {
  it('works in the employer’s organization', async () => {
    expect(codeOf(await api.get(`/projects/${employer.owner.organization.id}`, impostor))).toBe('200 ok');
  });

  it('does not exist in the person’s own organization, and neither does a token made with it', async () => {
    const { id, slug } = victim.organization;
    const callers: Caller[] = [impostor, ...(token.token === undefined ? [] : [token])];
    for (const caller of callers) {
      for (const path of [`/projects/${id}`, `/members/${id}`, `/audit/${id}`, `/secrets/${slug}/shop/dev`]) {
        expect(codeOf(await api.get(path, caller)), path).toBe('404 organization_not_found');
      }
      expect(codeOf(await api.delete(`/orgs/${id}`, caller))).toBe('404 organization_not_found');
    }
  });

  it('sees nothing of the rest of the account', async () => {
    const { token: own } = (
      await expectStatus(api.post('/auth/token', { name: 'mine' }, await seedSession(victim)), 201)
    ).body;
    const me = (await expectStatus(api.get('/auth/me', impostor), 200)).body;
    expect(me.confinedTo).toEqual({ id: employer.owner.organization.id, slug: employer.slug });
    expect(me.organizations.map(({ id }: { id: string }) => id)).toEqual([employer.owner.organization.id]);
    const shown = (await expectStatus(api.get('/auth/tokens', impostor), 200)).body.tokens;
    expect(shown.map(({ name }: { name: string }) => name)).toEqual(['t']);
    const { sessions } = (await expectStatus(api.get('/auth/sessions', impostor), 200)).body;
    expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([true]);
    expect(codeOf(await api.patch('/auth/me', { name: 'Another name' }, impostor))).toBe('403 session_confined');
    const { tokens } = (await expectStatus(api.get('/auth/tokens', await seedSession(victim)), 200)).body;
    const { id } = tokens.find(({ name }: { name: string }) => name === 'mine');
    expect(codeOf(await api.delete(`/auth/tokens/${id}`, impostor))).not.toBe('200 ok');
    expect((await api.get('/auth/me', { token: own })).status).toBe(200);
  });

  it('can’t end the person’s other sessions', async () => {
    const own = await seedSession(victim);
    const { sessions } = (await expectStatus(api.get('/auth/sessions', own), 200)).body;
    const current = sessions.find((one: { current: boolean }) => one.current);
    expect(codeOf(await api.delete(`/auth/sessions/${current.id}`, impostor))).not.toBe('200 ok');
    expect((await api.get('/auth/me', own)).status).toBe(200);
  });

  it('can’t add, remove or renew factors, which would open everything else', async () => {
    const before = (await api.get('/auth/me', await seedSession(victim))).body.user.secondFactors;
    const replaceApp = async () => {
      const started = await api.post('/auth/totp', {}, impostor);
      if (started.status !== 200) return started;
      const code = totpCode(fromBase32(started.body.secret), totpStep(Date.now()));
      return api.post('/auth/totp/confirm', { code }, impostor);
    };
    const answers = [
      await api.delete('/auth/totp', impostor),
      await replaceApp(),
      await api.post('/auth/recovery-codes', {}, impostor),
      await addPasskey(api, { session: impostor }).then(
        () => ({ status: 201, body: {} }) as Answer,
        () => ({ status: 403, body: {} }) as Answer,
      ),
    ];

    expect(answers.slice(0, -1).map(codeOf)).toEqual([
      '403 session_confined',
      '403 session_confined',
      '403 session_confined',
    ]);
    expect(answers.filter(answer => !refused(answer)).map(codeOf)).toEqual([]);
    expect((await api.get('/auth/me', await seedSession(victim))).body.user.secondFactors).toEqual(before);
  });

  it('can’t make unlimited tokens that reach further, by itself or through the command line', async () => {
    expect(codeOf(await api.post('/auth/token', { name: 'all' }, impostor))).toBe('403 session_confined');
    const elsewhere = { name: 'x', organizationId: victim.organization.id };
    expect(codeOf(await api.post('/auth/token', elsewhere, impostor))).toBe('404 organization_not_found');
    const handOff = { ...elsewhere, codeChallenge: 'x'.repeat(43) };
    expect(codeOf(await api.post('/auth/cli-auth', handOff, impostor))).toBe('404 organization_not_found');
    const unlimited = { name: 'x', codeChallenge: 'x'.repeat(43) };
    expect(codeOf(await api.post('/auth/cli-auth', unlimited, impostor))).toBe('403 session_confined');
  });

  it('can’t found or join organizations as the person', async () => {
    expect(refused(await api.post('/orgs', { name: 'Front' }, impostor))).toBe(true);
    const other = await seedPerson({ emailVerified: true });
    const path = `/members/${other.organization.id}/invite`;
    const invitation = { email: victim.email, role: 'developer' };
    const { token: link } = (await expectStatus(api.post(path, invitation, other.session), 201)).body;

    expect(codeOf(await api.post(`/members/invite/${link}/accept`, undefined, impostor))).toBe('403 session_confined');

    const { members } = (await api.get(`/members/${other.organization.id}`, other.session)).body;
    expect(members).toHaveLength(1);
    // The invitation is still the person's own.
    await expectStatus(api.post(`/members/invite/${link}/accept`, undefined, await seedSession(victim)), 200);
  });

  it('is still confined after another sign-in or a step-up at the provider', async () => {
    const browser = openBrowser();
    await signIn(api, browser, employer.slug);
    provider.script = { claims: { auth_time: nowSeconds() } };
    const { error } = await signIn(api, browser, employer.slug, { stepUp: 'true' });
    expect(error).toBeUndefined();
    const own = `/projects/${victim.organization.id}`;
    expect(codeOf(await api.get(own, sessionIn(api, browser)))).toBe('404 organization_not_found');
    expect(codeOf(await api.delete('/auth/totp', sessionIn(api, browser)))).toBe('403 session_confined');
  });

  it('opens the rest of the account once the account’s own password and factor are proved', async () => {
    const browser = openBrowser();
    await signIn(api, browser, employer.slug);
    const session = sessionIn(api, browser) as { cookie: string };
    expect(codeOf(await api.post('/auth/step-up', { password: testPassword }, session))).toBe(
      '401 second_factor_required',
    );
    const stepUp = { password: testPassword, totp: app.code() };
    const lifted = sessionOf(await expectStatus(api.post('/auth/step-up', stepUp, session), 200));
    await forgetUsedCodes(victim.user.id);

    const own = `/projects/${victim.organization.id}`;
    expect(codeOf(await api.get(own, lifted))).toBe('200 ok');
    expect((await api.get('/auth/me', lifted)).body.confinedTo).toBeNull();
    expect(codeOf(await api.post('/auth/recovery-codes', {}, lifted))).toBe('200 ok');
    const { token: unlimited } = (await expectStatus(api.post('/auth/token', { name: 'all' }, lifted), 201)).body;
    expect(codeOf(await api.get(own, { token: unlimited }))).toBe('200 ok');

    // What the provider says afterwards counts only in its organization again.
    browser.setCookie(api.url, `${lifted.cookie}; Path=/`);
    provider.script = { claims: { auth_time: nowSeconds() } };
    expect((await signIn(api, browser, employer.slug, { stepUp: 'true' })).error).toBeUndefined();
    expect(codeOf(await api.get(own, sessionIn(api, browser)))).toBe('404 organization_not_found');
  });

  it('is confined although an earlier release stored that it was not, and so is a token made with it', async () => {
    const session = await sessionThrough(api, employer.slug);
    const { hash } = readCredential(session.cookie.split('=')[1] as string) as { hash: string };
    await transact([update(at(sessionRecord, victim.user.id, hash), { set: { 'provider.confined': false } })]);
    const limited = { name: 'old', organizationId: employer.owner.organization.id };
    const made = (await expectStatus(api.post('/auth/token', limited, session), 201)).body;
    const { hash: hashOfToken } = readCredential(made.token, tokenPrefix) as { hash: string };
    const unlimited = { organizationId: null, memberId: null, 'provider.confined': false };
    await transact([update(at(tokenRecord, victim.user.id, hashOfToken), { set: unlimited })]);

    for (const caller of [session, { token: made.token }]) {
      const own = `/projects/${victim.organization.id}`;
      expect(codeOf(await api.get(own, caller))).toBe('404 organization_not_found');
      expect(codeOf(await api.get(`/projects/${employer.owner.organization.id}`, caller))).toBe('200 ok');
      const me = (await expectStatus(api.get('/auth/me', caller), 200)).body;
      expect(me.organizations.map(({ id }: { id: string }) => id)).toEqual([employer.owner.organization.id]);
    }
    expect(codeOf(await api.post('/orgs', { name: 'Front' }, { token: made.token }))).toBe('403 insufficient_scope');
  });

  it('is worth nothing in the employer’s organization after the person was removed', async () => {
    const path = `/members/${employer.owner.organization.id}`;
    const { members } = (await expectStatus(api.get(path, employer.owner.session), 200)).body;
    const { id } = members.find(({ userId }: { userId: string }) => userId === victim.user.id);
    await expectStatus(api.delete(`${path}/${id}`, employer.owner.session), 200);

    expect(codeOf(await api.get(path, impostor))).toBe('401 unauthenticated');
    expect((await signIn(api, openBrowser(), employer.slug)).error).toBe('invitation_required');
  });
});

describe('a session through the provider of an account with a password and no factor', () => {
  let company: typeof employer;
  let session: { cookie: string };
  let clerks: HostileProvider;

  beforeAll(async () => {
    const domain = newDomain();
    const email = `colleague@${domain}`;
    clerks = await startHostileProvider({ sub: 'colleague', email, email_verified: true, amr: ['mfa'] });
    company = await openCompany(api, names, clerks, { domain, trustFactor: true });
    const seeded = await seedPerson();
    await transact([
      remove(at(emailRecord, seeded.email)),
      put(at(emailRecord, email), { userId: seeded.user.id }),
      update(at(userRecord, seeded.user.id), { set: { email, emailVerified: true } }),
    ]);
    const browser = openBrowser();
    await signIn(api, browser, company.slug);
    await expectStatus(logInIn(api, browser, email), 200);
    clerks.script = { claims: { auth_time: nowSeconds() } };
    session = await sessionThrough(api, company.slug);
  });
  afterAll(() => clerks?.stop());

  const bound = () => ({ organizationId: company.owner.organization.id });
  const demanding = async (caller: Caller) => [
    codeOf(await api.post('/auth/totp', {}, caller)),
    codeOf(await api.post('/auth/passkeys/options', {}, caller)),
    codeOf(await api.post('/auth/token', { name: 'all' }, caller)),
    codeOf(await api.post('/auth/token', { name: 'here', ...bound() }, caller)),
  ];
  const confined = '403 session_confined';

  it('is fresh in the provider’s organization once the provider says that the person has just authenticated', async () => {
    expect(await demanding(session)).toEqual([confined, confined, confined, '201 ok']);
    const { authentication } = (await api.get('/auth/me', session)).body;
    expect(authentication.provider).toMatchObject(bound());
  });

  it.each([undefined, null, 'now', -1, Date.now(), nowSeconds() + 120, {}])(
    'is not fresh if the provider says %j about when the person authenticated, until the password confirms it',
    async auth_time => {
      clerks.script = { claims: { auth_time } };
      const stale = await sessionThrough(api, company.slug);

      expect(await demanding(stale)).toEqual([confined, confined, '403 step_up_required', '403 step_up_required']);
      const stepped = await expectStatus(api.post('/auth/step-up', { password: testPassword }, stale), 200);
      expect(await demanding(sessionOf(stepped))).toEqual(['200 ok', '200 ok', '201 ok', '201 ok']);
    },
  );
});

describe('an account that a provider makes before its person comes', () => {
  it('is confined until the person has answered at their mailbox, and the provider opens nothing that they build', async () => {
    const domain = newDomain();
    const email = `new@${domain}`;
    const planter = await startHostileProvider({ sub: 'new', email, email_verified: true });
    const company = await openCompany(api, names, planter, { domain });
    planter.script = { claims: { auth_time: nowSeconds() } };
    const planted = await sessionThrough(api, company.slug);
    const me = (await expectStatus(api.get('/auth/me', planted), 200)).body;
    expect(me.user).toMatchObject({ email, emailVerified: false });
    await expect(addPasskey(api, { session: planted })).rejects.toThrow('session_confined');
    await expect(addApp(api, { ...company.owner, session: planted })).rejects.toThrow('session_confined');
    expect(codeOf(await api.post('/auth/send-verification', {}, planted))).toBe('403 session_confined');

    await expectStatus(api.post('/auth/forgot-password', { email }), 200);
    const link = await mailedToken(api, email, 'Reset');
    await expectStatus(api.post('/auth/reset-password', { token: link, newPassword: testPassword }), 200);
    expect((await api.get('/auth/me', planted)).status).toBe(401);
    const own = sessionOf(await expectStatus(api.post('/auth/login', { email, password: testPassword }), 200));
    expect((await api.get('/auth/me', own)).body.user.emailVerified).toBe(true);
    const { organization } = (await expectStatus(api.post('/orgs', { name: 'Built later' }, own), 201)).body;
    expect((await addPasskey(api, { session: own })).recoveryCodes).toHaveLength(10);

    planter.script = { claims: { auth_time: nowSeconds(), amr: ['mfa'] } };
    const again = (await signIn(api, openBrowser(), company.slug)).session;
    if (again !== undefined) {
      expect(codeOf(await api.get(`/projects/${organization.id}`, again))).toBe('404 organization_not_found');
    }
    await planter.stop();
  });

  it('may do in the provider’s organization what needs a verified address, and nowhere else', async () => {
    const domain = newDomain();
    const email = `boss@${domain}`;
    const other = await startHostileProvider({ sub: 'boss', email, email_verified: true });
    const company = await openCompany(api, names, other, { domain });
    const { id } = company.owner.organization;
    const invitation = { email, role: 'admin' };
    await expectStatus(api.post(`/members/${id}/invite`, invitation, company.owner.session), 201);
    other.script = { claims: { auth_time: nowSeconds() } };
    const boss = await sessionThrough(api, company.slug);

    const guest = { email: `guest@${domain}`, role: 'viewer' };
    expect(codeOf(await api.post(`/members/${id}/invite`, guest, boss))).toBe('201 ok');
    await other.stop();
  });
});

describe('somebody with a factor of their own who signs in for the first time', () => {
  it('joins only with that factor', async () => {
    const domain = newDomain();
    const email = `careful@${domain}`;
    const other = await startHostileProvider({ sub: 'careful', email, email_verified: true });
    const company = await openCompany(api, names, other, { domain });
    const seeded = await seedPerson();
    await transact([
      remove(at(emailRecord, seeded.email)),
      put(at(emailRecord, email), { userId: seeded.user.id }),
      update(at(userRecord, seeded.user.id), { set: { email, emailVerified: true } }),
    ]);
    const ownApp = await addApp(api, seeded);
    const browser = openBrowser();
    expect((await signIn(api, browser, company.slug)).error).toBe('link_required');
    const { challenge } = (await logInIn(api, browser, email)).body.error.details;
    await expectStatus(requestIn(api, browser, '/auth/login/verify', { challenge, totp: ownApp.code() }), 200);
    await forgetUsedCodes(seeded.user.id);
    const membersNow = async () =>
      (await api.get(`/members/${company.owner.organization.id}`, company.owner.session)).body.members.map(
        (one: { email: string }) => one.email,
      );

    const first = openBrowser();
    expect((await signIn(api, first, company.slug)).error).toBe('second_factor_required');
    expect(await membersNow()).toEqual([company.owner.email]);
    const question = (await expectStatus(requestIn(api, first, '/auth/provider/factor', {}), 200)).body;
    const answered = { challenge: question.challenge, totp: ownApp.code() };
    await expectStatus(requestIn(api, first, '/auth/login/verify', answered), 200);
    expect(await membersNow()).toEqual([company.owner.email, email]);
    const { confinedTo } = (await api.get('/auth/me', sessionIn(api, first))).body;
    expect(confinedTo.slug).toBe(company.slug);
    expect(codeOf(await api.get(`/projects/${confinedTo.id}`, sessionIn(api, first)))).toBe('200 ok');
    await other.stop();
  });
});

it('an employer that stops to trust its provider, or has none any more, keeps no such session fresh', async () => {
  const domain = newDomain();
  const email = `clerk@${domain}`;
  const other = await startHostileProvider({ sub: 'clerk', email, email_verified: true, amr: ['mfa'] });
  const company = await openCompany(api, names, other, { domain, trustFactor: true });
  const ownersApp = await addApp(api, company.owner);
  const owner = await logInWithApp(api, company.owner, ownersApp);
  await expectStatus(api.patch(`/orgs/${company.owner.organization.id}`, { requireSecondFactor: true }, owner), 200);
  const clerk = await sessionThrough(api, company.slug);
  const projects = `/projects/${company.owner.organization.id}`;
  expect(codeOf(await api.get(projects, clerk))).toBe('200 ok');

  await expectStatus(api.put(settingsPath(company.owner), settingsOf(other, domain), owner), 200);

  // What was trusted when it began stays for its twelve hours at most; the next one is not.
  expect((await signIn(api, openBrowser(), company.slug)).error).toBeUndefined();
  const next = await sessionThrough(api, company.slug);
  expect(codeOf(await api.get(projects, next))).toBe('403 second_factor_required');
  await other.stop();
});

it('no client secret, code or token of a provider is in the table', async () => {
  const text = JSON.stringify(await allItems(), (_, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  );
  expect(text).not.toContain(provider.client.clientSecret);
  expect(text).not.toMatch(/eyJ[\w-]+\.eyJ/);
  const sent = provider.received.filter(({ path }) => path === '/token').map(({ body }) => body.toString());
  expect(sent.length).toBeGreaterThan(1);
  for (const form of sent) {
    const { code = '', code_verifier: verifier = '' } = Object.fromEntries(new URLSearchParams(form));
    expect(code.length * verifier.length).toBeGreaterThan(0);
    for (const secret of [code, verifier]) expect(text).not.toContain(secret);
  }
});
