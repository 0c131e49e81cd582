import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { emailRecord, userRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, sessionOf } from '#test/support/api.ts';
import { seedPerson, testPassword } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { addApp, addPasskey } from '#test/support/second-factors.ts';
import { type Browser, openBrowser } from '#test/support/sign-in/browser.ts';
import { type OpenIdProvider, startOpenIdProvider } from '#test/support/sign-in/open-id-provider.ts';
import { type Company, seedColleague, useOpenIdProvider } from '#test/support/sign-in/scene.ts';
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
let otherProvider: OpenIdProvider;
beforeAll(async () => {
  otherProvider = await startOpenIdProvider({ redirectUri: redirectUriOf(api), accounts: {} });
});
afterAll(() => otherProvider?.stop());

let hired = 0;
/** A person at the provider. @returns the name on their button */
function hire(email: string, { at: where = provider, sub = '' }: { at?: OpenIdProvider; sub?: string } = {}): string {
  hired += 1;
  const name = `person-${hired}`;
  where.accounts[name] = { sub: sub || `sub-${hired}`, email, email_verified: true };
  return name;
}

const userIdOf = async (session: { cookie: string }) =>
  (await expectStatus(api.get('/auth/me', session), 200)).body.user.id as string;
const membersOf = async ({ owner }: Company): Promise<{ id: string; userId: string; role: string }[]> =>
  (await expectStatus(api.get(`/members/${owner.organization.id}`, owner.session), 200)).body.members;

/** Starts to sign in, which is refused until the account has proved itself. */
async function askToLink(company: Company, account: string, browser = openBrowser()): Promise<Browser> {
  const { error, session } = await signIn(api, browser, company.slug, { account });
  expect([error, session]).toEqual(['link_required', undefined]);
  return browser;
}

describe('an existing account', () => {
  it('is not reached by an address alone, and is linked once it has logged in with its password there', async () => {
    const company = await openCompany(api, names, provider);
    const person = await seedColleague(company);
    const account = hire(person.email.toUpperCase());
    const browser = await askToLink(company, account);
    // Asking twice proves nothing.
    await askToLink(company, account, browser);

    await expectStatus(logInIn(api, browser, person.email), 200);

    const session = await sessionThrough(api, company.slug, { account });
    expect(await userIdOf(session)).toBe(person.user.id);
    expect((await membersOf(company)).map(({ userId }) => userId)).toContain(person.user.id);
  });

  it('is told by e-mail that it was linked', async () => {
    const company = await openCompany(api, names, provider);
    const person = await seedColleague(company);
    const browser = await askToLink(company, hire(person.email));
    const before = (await api.mails()).filter(({ to }) => to === person.email).length;
    await expectStatus(logInIn(api, browser, person.email), 200);

    await expect.poll(async () => (await api.mails()).filter(({ to }) => to === person.email).length).toBe(before + 1);
    const mail = (await api.mails()).filter(({ to }) => to === person.email).at(-1);
    const organization = await find(at(organizationRecord, company.slug));
    expect(JSON.stringify(mail)).toContain(organization?.name);
  });

  it('with a factor is linked by the password and the factor, not by the password alone', async () => {
    const company = await openCompany(api, names, provider);
    const person = await seedColleague(company);
    const app = await addApp(api, person);
    const account = hire(person.email);
    const browser = await askToLink(company, account);

    const asked = await logInIn(api, browser, person.email);
    expect(codeOf(asked)).toBe('401 second_factor_required');
    await askToLink(company, account, openBrowser());
    // The refusal above was in another browser, and this one's still counts.
    const { challenge } = asked.body.error.details;
    await expectStatus(requestIn(api, browser, '/auth/login/verify', { challenge, totp: app.code() }), 200);

    // Linked: the provider's person is known, but the account's own factor is still asked for.
    const { error } = await signIn(api, openBrowser(), company.slug, { account });
    expect(error).toBe('second_factor_required');
  });

  it('is linked by a passkey alone', async () => {
    const company = await openCompany(api, names, provider);
    const person = await seedColleague(company);
    const { authenticator } = await addPasskey(api, person);
    const account = hire(person.email);
    const browser = await askToLink(company, account);
    const { challenge, publicKey } = (await requestIn(api, browser, '/auth/login/options', {})).body;

    const body = { challenge, passkey: authenticator.get(publicKey) };
    await expectStatus(requestIn(api, browser, '/auth/login/verify', body), 200);

    const { error } = await signIn(api, openBrowser(), company.slug, { account });
    expect(error).toBe('second_factor_required');
  });

  it('is not linked by a wrong password, another account’s log-in, or its own log-in in another browser', async () => {
    const company = await openCompany(api, names, provider);
    const [person, other] = [await seedColleague(company), await seedColleague(company)];
    const account = hire(person.email);
    const browser = await askToLink(company, account);

    expect(codeOf(await logInIn(api, browser, person.email, 'a wrong password entirely'))).toMatch(/^401/);
    await expectStatus(logInIn(api, openBrowser(), person.email), 200);
    await expectStatus(logInIn(api, browser, other.email), 200);

    await askToLink(company, account);
    expect((await membersOf(company)).map(({ userId }) => userId)).toEqual([company.owner.user.id]);
  });

  it('is linked once: a cookie used up links nothing more', async () => {
    const company = await openCompany(api, names, provider);
    const person = await seedColleague(company);
    const account = hire(person.email);
    const browser = await askToLink(company, account);
    const kept = browser.cookies(api.url).map(({ line }) => line);
    expect(kept.length).toBeGreaterThan(0);
    await expectStatus(logInIn(api, browser, person.email), 200);
    const member = (await membersOf(company)).find(({ userId }) => userId === person.user.id);
    await sessionThrough(api, company.slug, { account });
    const joined = (await membersOf(company)).find(({ userId }) => userId === person.user.id) ?? member;
    await expectStatus(
      api.delete(`/members/${company.owner.organization.id}/${joined?.id}`, company.owner.session),
      200,
    );

    const again = openBrowser();
    for (const line of kept) again.setCookie(`${api.url}/auth/login`, line);
    await expectStatus(logInIn(api, again, person.email), 200);

    expect((await membersOf(company)).map(({ userId }) => userId)).toEqual([company.owner.user.id]);
  });

  it('is not linked by a cookie that was changed', async () => {
    const company = await openCompany(api, names, provider);
    const [person, other] = [await seedColleague(company), await seedColleague(company)];
    const account = hire(person.email);
    const browser = await askToLink(company, account);
    for (const { name, value, line } of browser.cookies(api.url)) {
      const forged = value.startsWith('A') ? `B${value.slice(1)}` : `A${value.slice(1)}`;
      browser.setCookie(`${api.url}/auth/login`, line.replace(`${name}=${value}`, `${name}=${forged}`));
    }
    // A log-in must not fail for it either.
    await expectStatus(logInIn(api, browser, person.email), 200);
    await expectStatus(logInIn(api, browser, other.email), 200);

    await askToLink(company, account);
  });

  it('is not linked after the provider was removed, or replaced, between the refusal and the log-in', async () => {
    for (const change of ['removed', 'replaced'] as const) {
      const company = await openCompany(api, names, provider);
      const person = await seedColleague(company);
      const browser = await askToLink(company, hire(person.email));
      const path = settingsPath(company.owner);
      if (change === 'removed') await expectStatus(api.delete(path, company.owner.session), 200);
      else {
        const body = settingsOf(otherProvider, company.domain);
        await expectStatus(api.put(path, body, company.owner.session), 200);
      }

      await expectStatus(logInIn(api, browser, person.email), 200);

      expect(
        (await membersOf(company)).map(({ userId }) => userId),
        change,
      ).toEqual([company.owner.user.id]);
      await expectStatus(api.put(path, settingsOf(provider, company.domain), company.owner.session), 200);
    }
  });

  it('can’t be linked by registering the address first: an unverified account is no one’s', async () => {
    const company = await openCompany(api, names, provider);
    const squatter = await seedColleague(company);
    await transact([update(at(userRecord, squatter.user.id), { set: { emailVerified: false } })]);
    const account = hire(squatter.email);

    const browser = openBrowser();
    const { session } = await signIn(api, browser, company.slug, { account });

    // Whoever chose the password of that account must not share it with the person of the provider.
    if (session !== undefined) {
      expect(codeOf(await api.get('/auth/me', squatter.session))).toBe('401 unauthenticated');
      expect(codeOf(await logInIn(api, openBrowser(), squatter.email))).toBe('401 invalid_credentials');
    }
  });
});

describe('a linked person', () => {
  it('is the same account after the address changed at the provider, to whatever address', async () => {
    const company = await openCompany(api, names, provider);
    const account = hire(`maiden@${company.domain}`, { sub: `fixed-${company.domain}` });
    const before = await userIdOf(await sessionThrough(api, company.slug, { account }));
    const changed = [`married@${company.domain}`, 'elsewhere@example.net', company.owner.email];

    for (const email of changed) {
      provider.accounts[account] = { sub: `fixed-${company.domain}`, email, email_verified: false };
      expect(await userIdOf(await sessionThrough(api, company.slug, { account })), email).toBe(before);
    }
    provider.accounts[account] = { sub: `fixed-${company.domain}` };
    expect(await userIdOf(await sessionThrough(api, company.slug, { account })), 'no address').toBe(before);
    expect((await find(at(userRecord, before)))?.email).toBe(`maiden@${company.domain}`);
  });

  it('does not hand its account on with the address', async () => {
    const company = await openCompany(api, names, provider);
    const email = `sales@${company.domain}`;
    const first = await userIdOf(await sessionThrough(api, company.slug, { account: hire(email) }));

    const successor = await signIn(api, openBrowser(), company.slug, { account: hire(email) });

    expect([successor.error, successor.session]).toEqual(['link_required', undefined]);
    expect(await membersOf(company)).toHaveLength(2);
    expect((await find(at(emailRecord, email)))?.userId).toBe(first);
  });

  it('is not brought back after the member was removed, whatever the default role, and invited or not', async () => {
    const company = await openCompany(api, names, provider);
    const email = `leaver@${company.domain}`;
    const account = hire(email);
    const session = await sessionThrough(api, company.slug, { account });
    const userId = await userIdOf(session);
    const member = (await membersOf(company)).find(one => one.userId === userId);
    const members = `/members/${company.owner.organization.id}`;
    await expectStatus(api.delete(`${members}/${member?.id}`, company.owner.session), 200);
    expect((await api.get(members, session)).status).toBeGreaterThanOrEqual(401);

    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { error, session: again } = await signIn(api, openBrowser(), company.slug, { account });
      expect([error, again]).toEqual(['invitation_required', undefined]);
    }
    expect(await membersOf(company)).toHaveLength(1);
    await expectStatus(api.post(`${members}/invite`, { email, role: 'viewer' }, company.owner.session), 201);
    expect((await signIn(api, openBrowser(), company.slug, { account })).error).toBe('invitation_required');
    expect(await membersOf(company)).toHaveLength(1);
  });

  it('that left by itself is not brought back either', async () => {
    const company = await openCompany(api, names, provider);
    const account = hire(`quitter@${company.domain}`);
    const session = await sessionThrough(api, company.slug, { account });
    const userId = await userIdOf(session);
    const member = (await membersOf(company)).find(one => one.userId === userId);
    const path = `/members/${company.owner.organization.id}/${member?.id}`;
    // Owners and admins can leave.
    await expectStatus(api.patch(path, { role: 'admin' }, company.owner.session), 200);
    await expectStatus(api.delete(path, session), 200);

    expect((await signIn(api, openBrowser(), company.slug, { account })).error).toBe('invitation_required');
  });

  it('keeps the role that a manager gave', async () => {
    const company = await openCompany(api, names, provider, { defaultRole: 'viewer' });
    const account = hire(`promoted@${company.domain}`);
    const userId = await userIdOf(await sessionThrough(api, company.slug, { account }));
    const member = (await membersOf(company)).find(one => one.userId === userId);
    const path = `/members/${company.owner.organization.id}/${member?.id}`;
    await expectStatus(api.patch(path, { role: 'admin' }, company.owner.session), 200);

    await sessionThrough(api, company.slug, { account });

    expect((await membersOf(company)).find(one => one.userId === userId)).toMatchObject({ role: 'admin' });
  });
});

describe('two organizations', () => {
  it('with the same `sub` at their own providers have two accounts', async () => {
    const [one, other] = [await openCompany(api, names, provider), await openCompany(api, names, otherProvider)];
    const [here, there] = [
      hire(`a@${one.domain}`, { sub: 'the-same' }),
      hire(`a@${other.domain}`, { at: otherProvider, sub: 'the-same' }),
    ];

    const [first, second] = [
      await userIdOf(await sessionThrough(api, one.slug, { account: here })),
      await userIdOf(await sessionThrough(api, other.slug, { account: there })),
    ];

    expect(first).not.toBe(second);
    expect(await membersOf(one)).toHaveLength(2);
    expect(await membersOf(other)).toHaveLength(2);
  });

  it('with clients at the same issuer do not share their people', async () => {
    const [one, other] = [await openCompany(api, names, provider), await openCompany(api, names, provider)];
    const account = hire(`shared@${one.domain}`);
    const first = await userIdOf(await sessionThrough(api, one.slug, { account }));

    const { error, session } = await signIn(api, openBrowser(), other.slug, { account });

    expect([error, session]).toEqual(['domain_not_verified', undefined]);
    expect((await membersOf(other)).map(({ userId }) => userId)).not.toContain(first);
  });

  it('do not reach each other: a provider that claims the other’s person is refused', async () => {
    const [victims, attackers] = [
      await openCompany(api, names, provider),
      await openCompany(api, names, otherProvider),
    ];
    const email = `victim@${victims.domain}`;
    const session = await sessionThrough(api, victims.slug, { account: hire(email, { sub: 'victim' }) });
    const victim = await userIdOf(session);
    const forged = hire(email, { at: otherProvider, sub: 'victim' });

    const refused = await signIn(api, openBrowser(), attackers.slug, { account: forged });

    expect([refused.error, refused.session]).toEqual(['domain_not_verified', undefined]);
    // Naming the victims' domain among one's own doesn't verify it.
    const claims = settingsOf(otherProvider, victims.domain, { domains: [attackers.domain, victims.domain] });
    await expectStatus(api.put(settingsPath(attackers.owner), claims, attackers.owner.session), 200);
    const verify = `${settingsPath(attackers.owner)}/domains/verify`;
    expect(codeOf(await api.post(verify, { domain: victims.domain }, attackers.owner.session))).toMatch(/^409 domain_/);
    expect((await signIn(api, openBrowser(), attackers.slug, { account: forged })).error).toBe('domain_not_verified');
    expect((await membersOf(attackers)).map(({ userId }) => userId)).not.toContain(victim);
  });

  it('do not share the sessions of a person who belongs to both, until the account’s own password is proved', async () => {
    const company = await openCompany(api, names, provider);
    const person = await seedColleague(company);
    const account = hire(person.email);
    const browser = await askToLink(company, account);
    await expectStatus(logInIn(api, browser, person.email), 200);

    const session = await sessionThrough(api, company.slug, { account });

    expect(codeOf(await api.get(`/projects/${person.organization.id}`, session))).toBe('404 organization_not_found');
    const stepped = await expectStatus(api.post('/auth/step-up', { password: testPassword }, session), 200);
    const lifted = sessionOf(stepped);
    expect(codeOf(await api.get(`/projects/${person.organization.id}`, lifted))).toBe('200 ok');
    // It has proved no factor there.
    await transact([update(at(organizationRecord, person.organization.slug), { set: { requireSecondFactor: true } })]);
    expect(codeOf(await api.get(`/projects/${person.organization.id}`, lifted))).toBe('403 second_factor_required');
  });

  it('that exist one after the other under one slug do not inherit people', async () => {
    const company = await openCompany(api, names, provider);
    const account = hire(`heir@${company.domain}`);
    const first = await userIdOf(await sessionThrough(api, company.slug, { account }));
    await expectStatus(api.delete(`/orgs/${company.owner.organization.id}`, company.owner.session), 200);
    const taker = await seedPerson({ emailVerified: true });
    const made = await expect
      .poll(() => api.post('/orgs', { name: 'Taker', slug: company.slug }, taker.session), { timeout: 20_000 })
      .toMatchObject({ status: 201 })
      .then(async () => (await api.get('/auth/me', taker.session)).body.organizations);
    const organization = made.find(({ slug }: { slug: string }) => slug === company.slug);
    const settings = settingsOf(provider, newDomain());
    await expectStatus(api.put(`/orgs/${organization.id}/sign-in`, settings, taker.session), 200);

    // The domain of before is nobody's now, and the link of before was another organization's.
    const { error, session } = await signIn(api, openBrowser(), company.slug, { account });

    expect([error, session]).toEqual(['domain_not_verified', undefined]);
    const { members } = (await api.get(`/members/${organization.id}`, taker.session)).body;
    expect(members.map(({ userId }: { userId: string }) => userId)).not.toContain(first);
  });
});

it('sign-in leaves a session of somebody else in the browser only until it succeeds', async () => {
  const company = await openCompany(api, names, provider);
  const browser = openBrowser();
  await expectStatus(logInIn(api, browser, company.owner.email), 200);
  const account = hire(`newcomer@${company.domain}`);

  await signIn(api, browser, company.slug, { account: '' });
  expect(await userIdOf(sessionIn(api, browser) as { cookie: string })).toBe(company.owner.user.id);
  await signIn(api, browser, company.slug, { account });
  expect(await userIdOf(sessionIn(api, browser) as { cookie: string })).not.toBe(company.owner.user.id);
});
