import { beforeAll, describe, expect, it } from 'vitest';
import { readCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import { totpCode, totpStep } from '#lib/crypto/totp.ts';
import { at } from '#lib/table/read.ts';
import { sessionRecord, tokenRecord } from '#lib/table/records/credentials.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Caller, codeOf, nowSeconds, sessionOf } from '../support/api.ts';
import { shared } from '../support/fixtures.ts';
import { type Person, seedPerson, seedSession, testPassword } from '../support/people.ts';
import { expectStatus, invite, mailedToken } from '../support/sample-requests.ts';
import { type App, addApp, addPasskey, forgetUsedCodes, fromBase32, logInWithApp } from '../support/second-factors.ts';
import { type Browser, openBrowser } from '../support/sign-in/browser.ts';
import { startHostileProvider } from '../support/sign-in/hostile-provider.ts';
import { type Company, logInAs, openOwnCompany, seedColleague, useSignIn } from '../support/sign-in/scene.ts';
import {
  answerFactor,
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

/* Whoever manages an employer's provider can sign in as its people. That opens the employer's organization alone. */

const domain = newDomain();
const email = `victim@${domain}`;
const scene = useSignIn({ sub: 'victim', email, email_verified: true, amr: ['mfa'] });
const { api, names, provider } = scene;
let employer: Company;
let victim: Person;
let app: App;
let impostor: { cookie: string };
let token: { token: string };

beforeAll(async () => {
  employer = await openCompany(api, names, provider, { domain, trustFactor: true });
  victim = await seedColleague(employer, 'victim');
  app = await addApp(api, victim);
  const browser = openBrowser();
  await signIn(api, browser, employer.slug);
  const { challenge } = (await logInIn(api, browser, email)).body.error.details;
  await answer(browser, challenge, victim, app);
  authenticateNow();
  impostor = await sessionThrough(api, employer.slug);
  const body = { name: 't', organizationId: employer.owner.organization.id };
  token = (await expectStatus(api.post('/auth/token', body, impostor), 201)).body;
});

function authenticateNow({ script }: { script: object } = provider, claims = {}): void {
  Object.assign(script, { claims: { auth_time: nowSeconds(), ...claims } });
}

async function answer(browser: Browser, challenge: string, { user }: Person, { code }: App): Promise<void> {
  await expectStatus(requestIn(api, browser, '/auth/login/verify', { challenge, totp: code() }), 200);
  await forgetUsedCodes(user.id);
}

const me = async (as: Caller) => (await expectStatus(api.get('/auth/me', as), 200)).body;
const ids = (organizations: readonly { id: string }[]) => organizations.map(({ id }) => id);
const confined = '403 session_confined';
const invisible = '404 organization_not_found';

describe('a session whose factor only the employer’s provider vouches for', () => {
  it('works in the employer’s organization', async () => {
    expect(codeOf(await api.get(`/projects/${employer.owner.organization.id}`, impostor))).toBe('200 ok');
  });

  it('does not exist in the person’s own organization, and neither does a token made with it', async () => {
    const { id, slug } = victim.organization;
    for (const caller of [impostor, token]) {
      for (const path of [`/projects/${id}`, `/members/${id}`, `/audit/${id}`, `/secrets/${slug}/shop/dev`]) {
        expect(codeOf(await api.get(path, caller)), path).toBe(invisible);
      }
      expect(codeOf(await api.delete(`/orgs/${id}`, caller))).toBe(invisible);
    }
  });

  it('sees nothing of the rest of the account', async () => {
    const own = await seedSession(victim);
    const { token: made, cliToken } = (await expectStatus(api.post('/auth/token', { name: 'mine' }, own), 201)).body;
    const seen = await me(impostor);
    expect(seen.confinedTo).toEqual({ id: employer.owner.organization.id, slug: employer.slug });
    expect(ids(seen.organizations)).toEqual([employer.owner.organization.id]);
    expect((await api.get('/auth/tokens', impostor)).body.tokens).toMatchObject([{ name: 't' }]);
    expect((await api.get('/auth/sessions', impostor)).body.sessions).toMatchObject([{ current: true }]);
    expect(codeOf(await api.patch('/auth/me', { name: 'Another name' }, impostor))).toBe(confined);
    expect(codeOf(await api.delete(`/auth/tokens/${cliToken.id}`, impostor))).not.toBe('200 ok');
    await me({ token: made });
  });

  it('can’t end the person’s other sessions', async () => {
    const own = await seedSession(victim);
    const { sessions } = (await expectStatus(api.get('/auth/sessions', own), 200)).body;
    const current = sessions.find((one: { current: boolean }) => one.current);
    expect(codeOf(await api.delete(`/auth/sessions/${current.id}`, impostor))).not.toBe('200 ok');
    await me(own);
  });

  it('can’t add, remove or renew factors, which would open everything else', async () => {
    const { secondFactors } = (await me(await seedSession(victim))).user;
    const replaceApp = async () => {
      const started = await api.post('/auth/totp', {}, impostor);
      if (started.status !== 200) return started;
      const code = totpCode(fromBase32(started.body.secret), totpStep(Date.now()));
      return api.post('/auth/totp/confirm', { code }, impostor);
    };

    expect(codeOf(await api.delete('/auth/totp', impostor))).toBe(confined);
    expect(codeOf(await replaceApp())).toBe(confined);
    expect(codeOf(await api.post('/auth/recovery-codes', {}, impostor))).toBe(confined);
    await expect(addPasskey(api, { session: impostor })).rejects.toThrow(/got 4\d\d/);
    expect((await me(await seedSession(victim))).user.secondFactors).toEqual(secondFactors);
  });

  it('can’t make unlimited tokens that reach further, by itself or through the command line', async () => {
    const elsewhere = { name: 'x', organizationId: victim.organization.id };
    const unlimited = { name: 'x', codeChallenge: 'x'.repeat(43) };
    expect(codeOf(await api.post('/auth/token', { name: 'all' }, impostor))).toBe(confined);
    expect(codeOf(await api.post('/auth/token', elsewhere, impostor))).toBe(invisible);
    expect(codeOf(await api.post('/auth/cli-auth', { ...unlimited, ...elsewhere }, impostor))).toBe(invisible);
    expect(codeOf(await api.post('/auth/cli-auth', unlimited, impostor))).toBe(confined);
  });

  it('can’t found or join organizations as the person', async () => {
    expect(codeOf(await api.post('/orgs', { name: 'Front' }, impostor))).toMatch(/^4/);
    const other = await seedPerson({ emailVerified: true });
    const accepting = `/members/invite/${(await invite(api, other, victim.email)).token}/accept`;

    expect(codeOf(await api.post(accepting, undefined, impostor))).toBe(confined);

    expect((await api.get(`/members/${other.organization.id}`, other.session)).body.members).toHaveLength(1);
    // The invitation is still the person's own.
    await expectStatus(api.post(accepting, undefined, await seedSession(victim)), 200);
  });

  it('is still confined after another sign-in or a step-up at the provider', async () => {
    const browser = openBrowser();
    await signIn(api, browser, employer.slug);
    authenticateNow();
    expect((await signIn(api, browser, employer.slug, { stepUp: 'true' })).error).toBeUndefined();
    expect(codeOf(await api.get(`/projects/${victim.organization.id}`, sessionIn(api, browser)))).toBe(invisible);
    expect(codeOf(await api.delete('/auth/totp', sessionIn(api, browser)))).toBe(confined);
  });

  it('opens the rest of the account once the account’s own password and factor are proved', async () => {
    const browser = openBrowser();
    await signIn(api, browser, employer.slug);
    const session = sessionIn(api, browser);
    const password = { password: testPassword };
    expect(codeOf(await api.post('/auth/step-up', password, session))).toBe('401 second_factor_required');
    const stepUp = { password: testPassword, totp: app.code() };
    const lifted = sessionOf(await expectStatus(api.post('/auth/step-up', stepUp, session), 200));
    await forgetUsedCodes(victim.user.id);

    const own = `/projects/${victim.organization.id}`;
    expect(codeOf(await api.get(own, lifted))).toBe('200 ok');
    expect((await me(lifted)).confinedTo).toBeNull();
    expect(codeOf(await api.post('/auth/recovery-codes', {}, lifted))).toBe('200 ok');
    const { token: unlimited } = (await expectStatus(api.post('/auth/token', { name: 'all' }, lifted), 201)).body;
    expect(codeOf(await api.get(own, { token: unlimited }))).toBe('200 ok');

    // What the provider says afterwards counts only in its organization again.
    browser.setCookie(api.url, `${lifted.cookie}; Path=/`);
    authenticateNow();
    expect((await signIn(api, browser, employer.slug, { stepUp: 'true' })).error).toBeUndefined();
    expect(codeOf(await api.get(own, sessionIn(api, browser)))).toBe(invisible);
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
      expect(codeOf(await api.get(`/projects/${victim.organization.id}`, caller))).toBe(invisible);
      expect(codeOf(await api.get(`/projects/${employer.owner.organization.id}`, caller))).toBe('200 ok');
      expect(ids((await me(caller)).organizations)).toEqual([employer.owner.organization.id]);
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
  const domain = newDomain();
  const person = { sub: 'colleague', email: `colleague@${domain}`, email_verified: true, amr: ['mfa'] };
  const clerks = shared(() => startHostileProvider(person));
  let company: Company;
  let session: { cookie: string };

  beforeAll(async () => {
    company = await openCompany(api, names, clerks, { domain, trustFactor: true });
    await seedColleague(company, 'colleague');
    const browser = openBrowser();
    await signIn(api, browser, company.slug);
    await expectStatus(logInIn(api, browser, person.email), 200);
    authenticateNow(clerks);
    session = await sessionThrough(api, company.slug);
  });

  const bound = () => ({ organizationId: company.owner.organization.id });
  const demanding = async (caller: Caller) => [
    codeOf(await api.post('/auth/totp', {}, caller)),
    codeOf(await api.post('/auth/passkeys/options', {}, caller)),
    codeOf(await api.post('/auth/token', { name: 'all' }, caller)),
    codeOf(await api.post('/auth/token', { name: 'here', ...bound() }, caller)),
  ];

  it('is fresh in the provider’s organization once the provider says that the person has just authenticated', async () => {
    expect(await demanding(session)).toEqual([confined, confined, confined, '201 ok']);
    expect((await me(session)).authentication.provider).toMatchObject(bound());
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
    const { email, provider: planter, owner, slug } = await openOwnCompany(scene, 'new');
    authenticateNow(planter);
    const planted = await sessionThrough(api, slug);
    expect((await me(planted)).user).toMatchObject({ email, emailVerified: false });
    await expect(addPasskey(api, { session: planted })).rejects.toThrow('session_confined');
    await expect(addApp(api, { ...owner, session: planted })).rejects.toThrow('session_confined');
    expect(codeOf(await api.post('/auth/send-verification', {}, planted))).toBe(confined);

    await expectStatus(api.post('/auth/forgot-password', { email }), 200);
    const link = await mailedToken(api, email, 'Reset');
    await expectStatus(api.post('/auth/reset-password', { token: link, newPassword: testPassword }), 200);
    expect((await api.get('/auth/me', planted)).status).toBe(401);
    const own = await logInAs(api, { email });
    expect((await me(own)).user.emailVerified).toBe(true);
    const { organization } = (await expectStatus(api.post('/orgs', { name: 'Built later' }, own), 201)).body;
    expect((await addPasskey(api, { session: own })).recoveryCodes).toHaveLength(10);

    authenticateNow(planter, { amr: ['mfa'] });
    const again = (await signIn(api, openBrowser(), slug)).session;
    if (again !== undefined) {
      expect(codeOf(await api.get(`/projects/${organization.id}`, again))).toBe(invisible);
    }
  });

  it('may do in the provider’s organization what needs a verified address, and nowhere else', async () => {
    const company = await openOwnCompany(scene, 'boss');
    await invite(api, company.owner, company.email, 'admin');
    authenticateNow(company.provider);
    const boss = await sessionThrough(api, company.slug);

    const guest = { email: `guest@${company.domain}`, role: 'viewer' };
    const path = `/members/${company.owner.organization.id}/invite`;
    expect(codeOf(await api.post(path, guest, boss))).toBe('201 ok');
  });
});

it('somebody with a factor of their own who signs in for the first time joins only with that factor', async () => {
  const company = await openOwnCompany(scene, 'careful');
  const careful = await seedColleague(company, 'careful');
  const ownApp = await addApp(api, careful);
  const browser = openBrowser();
  expect((await signIn(api, browser, company.slug)).error).toBe('link_required');
  const { challenge } = (await logInIn(api, browser, careful.email)).body.error.details;
  await answer(browser, challenge, careful, ownApp);
  const membersNow = async () => {
    const { body } = await api.get(`/members/${company.owner.organization.id}`, company.owner.session);
    return body.members.map((member: { email: string }) => member.email);
  };

  const first = openBrowser();
  expect((await signIn(api, first, company.slug)).error).toBe('second_factor_required');
  expect(await membersNow()).toEqual([company.owner.email]);
  await expectStatus(answerFactor(api, first, ownApp), 200);
  expect(await membersNow()).toEqual([company.owner.email, careful.email]);
  const { confinedTo } = await me(sessionIn(api, first));
  expect(confinedTo.slug).toBe(company.slug);
  expect(codeOf(await api.get(`/projects/${confinedTo.id}`, sessionIn(api, first)))).toBe('200 ok');
});

it('an employer that stops to trust its provider, or has none any more, keeps no such session fresh', async () => {
  const company = await openOwnCompany(scene, 'clerk', { trustFactor: true, claims: { amr: ['mfa'] } });
  const owner = await logInWithApp(api, company.owner, await addApp(api, company.owner));
  await expectStatus(api.patch(`/orgs/${company.owner.organization.id}`, { requireSecondFactor: true }, owner), 200);
  const clerk = await sessionThrough(api, company.slug);
  const projects = `/projects/${company.owner.organization.id}`;
  expect(codeOf(await api.get(projects, clerk))).toBe('200 ok');

  const settings = settingsOf(company.provider, company.domain);
  await expectStatus(api.put(settingsPath(company.owner), settings, owner), 200);

  // What was trusted when it began stays for its twelve hours at most; the next one is not.
  expect((await signIn(api, openBrowser(), company.slug)).error).toBeUndefined();
  const next = await sessionThrough(api, company.slug);
  expect(codeOf(await api.get(projects, next))).toBe('403 second_factor_required');
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
