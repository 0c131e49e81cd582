import { describe, expect, it } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { emailRecord, userRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, sessionOf } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { type Person, seedPerson, testPassword } from '#test/support/people.ts';
import { expectStatus, membersOf as membersIn } from '#test/support/sample-requests.ts';
import { addApp, addPasskey } from '#test/support/second-factors.ts';
import { openBrowser } from '#test/support/sign-in/browser.ts';
import { startOpenIdProvider } from '#test/support/sign-in/open-id-provider.ts';
import { type Company, hire, seedColleague, useOpenIdProvider } from '#test/support/sign-in/scene.ts';
import {
  logInIn,
  newDomain,
  openCompany,
  redirectUriOf,
  requestIn,
  sessionIn,
  sessionThrough,
  settingsOf,
  settingsPath,
  signIn,
} from '#test/support/sign-in/sign-in.ts';

/* Who a person of the provider is: the account is bound to the organization, the issuer and the `sub`. */

const { api, names, provider } = useOpenIdProvider();
const otherProvider = shared(() => startOpenIdProvider({ redirectUri: redirectUriOf(api), accounts: {} }));
const open = (changes: Record<string, unknown> = {}, at = provider) => openCompany(api, names, at, changes);
const userIdOf = async (session: { cookie: string } | undefined): Promise<string> =>
  (await expectStatus(api.get('/auth/me', session), 200)).body.user.id;
const pathOf = ({ owner }: Company) => `/members/${owner.organization.id}`;
const membersOf = ({ owner }: Company) => membersIn(api, owner);
const memberIdsOf = async (company: Company) => (await membersOf(company)).map(({ userId }) => userId);

const endOf = async ({ slug }: Company, account: string, browser = openBrowser()) => {
  const { error, session } = await signIn(api, browser, slug, { account });
  expect(session === undefined).toBe(error !== undefined);
  return error;
};

/** Somebody with an account who signs in with the provider, which is refused until the account has proved itself. */
async function startLink<T>(prepare: (person: Person) => Promise<T> = async () => undefined as T) {
  const company = await open();
  const person = await seedColleague(company);
  const factor = await prepare(person);
  const account = hire(provider, company.domain, { email: person.email });
  const browser = openBrowser();
  expect(await endOf(company, account, browser)).toBe('link_required');
  return { company, person, factor, account, browser };
}

async function signedIn(changes: Record<string, unknown> = {}) {
  const company = await open(changes);
  const account = hire(provider, company.domain);
  const session = await sessionThrough(api, company.slug, { account });
  const userId = await userIdOf(session);
  const member = (await membersOf(company)).find(one => one.userId === userId);
  return { company, account, email: `${account}@${company.domain}`, session, userId, member };
}

describe('an existing account', () => {
  it('is not reached by an address alone, and is linked once it has logged in with its password there', async () => {
    const { company, person, account, browser } = await startLink();
    Object.assign(provider.accounts[account] ?? {}, { email: person.email.toUpperCase() });
    // Asking twice proves nothing.
    expect(await endOf(company, account, browser)).toBe('link_required');

    await expectStatus(logInIn(api, browser, person.email), 200);

    const session = await sessionThrough(api, company.slug, { account });
    expect(await userIdOf(session)).toBe(person.user.id);
    expect(await memberIdsOf(company)).toContain(person.user.id);
  });

  it('gets an e-mail that it was linked', async () => {
    const { company, person, browser } = await startLink();
    const mails = async () => (await api.mails()).filter(({ to }) => to === person.email);
    const countBefore = (await mails()).length;
    await expectStatus(logInIn(api, browser, person.email), 200);

    await eventually(async () => expect(await mails()).toHaveLength(countBefore + 1));
    const organization = await find(at(organizationRecord, company.slug));
    expect(JSON.stringify((await mails()).at(-1))).toContain(organization?.name);
  });

  it('with a factor is linked by the password and the factor, not by the password alone', async () => {
    const { company, person, factor, account, browser } = await startLink(one => addApp(api, one));
    const asked = await logInIn(api, browser, person.email);
    expect(codeOf(asked)).toBe('401 second_factor_required');
    expect(await endOf(company, account)).toBe('link_required');
    // The refusal above was in another browser, and this one's still counts.
    const { challenge } = asked.body.error.details;
    await expectStatus(requestIn(api, browser, '/auth/login/verify', { challenge, totp: factor.code() }), 200);

    // Linked: the provider's person is known, but the account's own factor is still asked for.
    expect(await endOf(company, account)).toBe('second_factor_required');
  });

  it('is linked by a passkey alone', async () => {
    const { company, factor, account, browser } = await startLink(one => addPasskey(api, one));
    const { challenge, publicKey } = (await requestIn(api, browser, '/auth/login/options', {})).body;
    const body = { challenge, passkey: factor.authenticator.get(publicKey) };
    await expectStatus(requestIn(api, browser, '/auth/login/verify', body), 200);

    expect(await endOf(company, account)).toBe('second_factor_required');
  });

  it('is not linked by a wrong password, another account’s log-in, or its own log-in in another browser', async () => {
    const { company, person, account, browser } = await startLink();
    const other = await seedColleague(company);

    expect(codeOf(await logInIn(api, browser, person.email, 'a wrong password entirely'))).toMatch(/^401/);
    await expectStatus(logInIn(api, openBrowser(), person.email), 200);
    await expectStatus(logInIn(api, browser, other.email), 200);

    expect(await endOf(company, account)).toBe('link_required');
    expect(await memberIdsOf(company)).toEqual([company.owner.user.id]);
  });

  it('is linked once: a cookie used up links nothing more', async () => {
    const { company, person, account, browser } = await startLink();
    const cookieLines = browser.cookies(api.url).map(({ line }) => line);
    expect(cookieLines.length).toBeGreaterThan(0);
    await expectStatus(logInIn(api, browser, person.email), 200);
    await sessionThrough(api, company.slug, { account });
    const member = (await membersOf(company)).find(({ userId }) => userId === person.user.id);
    await expectStatus(api.delete(`${pathOf(company)}/${member?.id}`, company.owner.session), 200);

    const again = openBrowser();
    for (const line of cookieLines) again.setCookie(`${api.url}/auth/login`, line);
    await expectStatus(logInIn(api, again, person.email), 200);

    expect(await memberIdsOf(company)).toEqual([company.owner.user.id]);
  });

  it('is not linked by a cookie that was changed', async () => {
    const { company, person, account, browser } = await startLink();
    const other = await seedColleague(company);
    for (const { name, value, line } of browser.cookies(api.url)) {
      const forged = value.startsWith('A') ? `B${value.slice(1)}` : `A${value.slice(1)}`;
      browser.setCookie(`${api.url}/auth/login`, line.replace(`${name}=${value}`, `${name}=${forged}`));
    }
    // A log-in must not fail for it either.
    await expectStatus(logInIn(api, browser, person.email), 200);
    await expectStatus(logInIn(api, browser, other.email), 200);

    expect(await endOf(company, account)).toBe('link_required');
  });

  it.each(['removed', 'replaced'])('is not linked after the provider was %s before the log-in', async change => {
    const { company, person, browser } = await startLink();
    const { owner, domain } = company;
    const put = (at: typeof provider) => api.put(settingsPath(owner), settingsOf(at, domain), owner.session);
    const changed = change === 'removed' ? api.delete(settingsPath(owner), owner.session) : put(otherProvider);
    await expectStatus(changed, 200);

    await expectStatus(logInIn(api, browser, person.email), 200);

    expect(await memberIdsOf(company)).toEqual([owner.user.id]);
    await expectStatus(put(provider), 200);
  });

  it('can’t be linked by registering the address first: an unverified account is no one’s', async () => {
    const company = await open();
    const squatter = await seedColleague(company);
    await transact([update(at(userRecord, squatter.user.id), { set: { emailVerified: false } })]);

    const account = hire(provider, company.domain, { email: squatter.email });
    const error = await endOf(company, account);

    // Whoever chose the password of that account must not share it with the person of the provider.
    if (error === undefined) {
      expect(codeOf(await api.get('/auth/me', squatter.session))).toBe('401 unauthenticated');
      expect(codeOf(await logInIn(api, openBrowser(), squatter.email))).toBe('401 invalid_credentials');
    }
  });
});

describe('a linked person', () => {
  it('is the same account after the address changed at the provider, to whatever address', async () => {
    const { company, account, email: firstEmail, userId } = await signedIn();
    const sub = provider.accounts[account]?.sub as string;

    for (const email of [`married@${company.domain}`, 'elsewhere@example.net', company.owner.email, undefined]) {
      provider.accounts[account] = email === undefined ? { sub } : { sub, email, email_verified: false };
      expect(await userIdOf(await sessionThrough(api, company.slug, { account })), email).toBe(userId);
    }
    expect((await find(at(userRecord, userId)))?.email).toBe(firstEmail);
  });

  it('does not hand its account on with the address', async () => {
    const { company, email, userId } = await signedIn();

    expect(await endOf(company, hire(provider, company.domain, { email }))).toBe('link_required');
    expect(await membersOf(company)).toHaveLength(2);
    expect((await find(at(emailRecord, email)))?.userId).toBe(userId);
  });

  it('is not brought back after the member was removed, whatever the default role, and invited or not', async () => {
    const { company, account, email, session, member } = await signedIn();
    const { owner } = company;
    await expectStatus(api.delete(`${pathOf(company)}/${member?.id}`, owner.session), 200);
    expect((await api.get(pathOf(company), session)).status).toBeGreaterThanOrEqual(401);

    for (const attempt of ['first', 'second', 'invited']) {
      if (attempt === 'invited') {
        await expectStatus(api.post(`${pathOf(company)}/invite`, { email, role: 'viewer' }, owner.session), 201);
      }
      expect(await endOf(company, account)).toBe('invitation_required');
      expect(await membersOf(company)).toHaveLength(1);
    }
  });

  it('that left by itself is not brought back either', async () => {
    const { company, account, session, member } = await signedIn();
    const path = `${pathOf(company)}/${member?.id}`;
    // Owners and admins can leave.
    await expectStatus(api.patch(path, { role: 'admin' }, company.owner.session), 200);
    await expectStatus(api.delete(path, session), 200);

    expect(await endOf(company, account)).toBe('invitation_required');
  });

  it('keeps the role that a manager gave', async () => {
    const { company, account, userId, member } = await signedIn({ defaultRole: 'viewer' });
    await expectStatus(api.patch(`${pathOf(company)}/${member?.id}`, { role: 'admin' }, company.owner.session), 200);

    await sessionThrough(api, company.slug, { account });

    expect(await membersOf(company)).toContainEqual(expect.objectContaining({ userId, role: 'admin' }));
  });
});

describe('two organizations', () => {
  it('with the same `sub` at their own providers have two accounts', async () => {
    const sub = 'the-same';
    const userIds = [];
    for (const at of [provider, otherProvider]) {
      const company = await open({}, at);
      const account = hire(at, company.domain, { sub });
      userIds.push(await userIdOf(await sessionThrough(api, company.slug, { account })));
      expect(await membersOf(company)).toHaveLength(2);
    }

    expect(userIds[0]).not.toBe(userIds[1]);
  });

  it('with clients at the same issuer do not share their people', async () => {
    const [{ account, userId }, other] = [await signedIn(), await open()];

    expect(await endOf(other, account)).toBe('domain_not_verified');
    expect(await memberIdsOf(other)).not.toContain(userId);
  });

  it('do not reach each other: a provider that claims the other’s person is refused', async () => {
    const { company: victims, account, email, userId: victim } = await signedIn();
    const attackers = await open({}, otherProvider);
    const sub = provider.accounts[account]?.sub as string;
    const forged = hire(otherProvider, victims.domain, { email, sub });

    expect(await endOf(attackers, forged)).toBe('domain_not_verified');

    // Naming the victims' domain among one's own doesn't verify it.
    const { owner, domain } = attackers;
    const claims = settingsOf(otherProvider, victims.domain, { domains: [domain, victims.domain] });
    await expectStatus(api.put(settingsPath(owner), claims, owner.session), 200);
    const verify = `${settingsPath(owner)}/domains/verify`;
    expect(codeOf(await api.post(verify, { domain: victims.domain }, owner.session))).toMatch(/^409 domain_/);
    expect(await endOf(attackers, forged)).toBe('domain_not_verified');
    expect(await memberIdsOf(attackers)).not.toContain(victim);
  });

  it('do not share the sessions of a person who belongs to both, until the account’s own password is proved', async () => {
    const { company, person, account, browser } = await startLink();
    await expectStatus(logInIn(api, browser, person.email), 200);
    const { organization } = person;
    const read = async (as: { cookie: string }) => codeOf(await api.get(`/projects/${organization.id}`, as));

    const session = await sessionThrough(api, company.slug, { account });

    expect(await read(session)).toBe('404 organization_not_found');
    const stepped = await expectStatus(api.post('/auth/step-up', { password: testPassword }, session), 200);
    expect(await read(sessionOf(stepped))).toBe('200 ok');
    // It has proved no factor there.
    await transact([update(at(organizationRecord, organization.slug), { set: { requireSecondFactor: true } })]);
    expect(await read(sessionOf(stepped))).toBe('403 second_factor_required');
  });

  it('that exist one after the other under one slug do not inherit people', async () => {
    const { company, account, userId } = await signedIn();
    const { owner, slug } = company;
    await expectStatus(api.delete(`/orgs/${owner.organization.id}`, owner.session), 200);
    const taker = await seedPerson({ emailVerified: true });
    const takeSlug = () => expectStatus(api.post('/orgs', { name: 'Taker', slug }, taker.session), 201);
    const { organization } = (await eventually(takeSlug)).body;
    const settings = settingsOf(provider, newDomain());
    await expectStatus(api.put(`/orgs/${organization.id}/sign-in`, settings, taker.session), 200);

    // The earlier domain is nobody's now, and the earlier link was another organization's.
    expect(await endOf(company, account)).toBe('domain_not_verified');
    expect(await memberIdsOf({ ...company, owner: { ...taker, organization } })).not.toContain(userId);
  });
});

it('sign-in leaves a session of somebody else in the browser only until it succeeds', async () => {
  const company = await open();
  const browser = openBrowser();
  await expectStatus(logInIn(api, browser, company.owner.email), 200);

  await signIn(api, browser, company.slug, { account: '' });
  expect(await userIdOf(sessionIn(api, browser))).toBe(company.owner.user.id);
  await signIn(api, browser, company.slug, { account: hire(provider, company.domain) });
  expect(await userIdOf(sessionIn(api, browser))).not.toBe(company.owner.user.id);
});
