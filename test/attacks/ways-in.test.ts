import { describe, expect, it } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { accountLinkRecord, personOf, providerLinkRecord } from '#lib/table/records/sign-in.ts';
import { put, remove, transact, update } from '#lib/table/write.ts';
import { type Caller, codeOf, createToken, nowSeconds, sessionOf } from '../support/api.ts';
import { type Person, seedPerson, testPassword } from '../support/people.ts';
import {
  expectStatus,
  invite,
  join,
  mailedToken,
  memberIdOf,
  membersOf,
  resetPassword,
} from '../support/sample-requests.ts';
import { addApp, ageSession, forgetUsedCodes, logInWithApp } from '../support/second-factors.ts';
import { openBrowser } from '../support/sign-in/browser.ts';
import { type Company, logInAs, seedColleague, useSignIn } from '../support/sign-in/scene.ts';
import {
  answerFactor,
  logInIn,
  openCompany,
  sessionIn,
  sessionThrough,
  settingsOf,
  settingsPath,
  signIn,
} from '../support/sign-in/sign-in.ts';

/* What lets in can be seen and ended by the account's owner, and ends with a recovery or a membership. */

const { api, names, provider } = useSignIn({ sub: 'nobody', email_verified: true });
const linksOf = async (as: Caller) => (await expectStatus(api.get('/auth/providers', as), 200)).body.links;
const me = (as: Caller) => api.get('/auth/me', as);
const unauthenticated = '401 unauthenticated';
function act({ email }: Pick<Person, 'email'>, sub = email): void {
  provider.script = { person: { sub, email, email_verified: true }, claims: { auth_time: nowSeconds() } };
}

async function hire() {
  const company = await openCompany(api, names, provider);
  const person = await seedColleague(company);
  await link(company, person);
  return { company, person: { ...person, through: await sessionThrough(api, company.slug) } };
}

/** A browser in which a sign-in waits for the log-in of the account with the person's address. */
async function openWaiting({ slug }: Company, person: Person) {
  act(person);
  const browser = openBrowser();
  expect((await signIn(api, browser, slug)).error).toBe('link_required');
  return browser;
}

async function link(company: Company, person: Person, password = testPassword): Promise<void> {
  const browser = await openWaiting(company, person);
  await expectStatus(logInIn(api, browser, person.email, password), 200);
}

/** As the previous release stored a link: the account has no side of it. */
async function storeOlderLink({ slug, owner }: Company, { user, email }: Person): Promise<void> {
  const person = personOf(provider.url, email);
  const item = at(providerLinkRecord, slug, person);
  await transact([
    remove(at(accountLinkRecord, user.id, owner.organization.id)),
    update(item, { set: { linkId: undefined, v: 1 } as never }),
  ]);
}

const errorOf = async ({ slug }: Company) => {
  const { error, session } = await signIn(api, openBrowser(), slug);
  expect(session).toBeUndefined();
  return error;
};
const membersPath = ({ owner }: Company) => `/members/${owner.organization.id}`;
const memberIds = async ({ owner }: Company) => (await membersOf(api, owner)).map(({ userId }) => userId);
const boundTo = ({ owner }: Company) => ({ organizationId: owner.organization.id });
const tokenOf = (session: Person['session'], scope = {}) => createToken(api, { session }, scope);
const leave = (company: Company, { session }: Person) => api.delete(`${membersPath(company)}/me`, session);
async function end(how: 'leaves' | 'is removed', company: Company, person: Person): Promise<void> {
  if (how === 'leaves') await expectStatus(leave(company, person), 200);
  else {
    const id = await memberIdOf(api, company.owner, person);
    await expectStatus(api.delete(`${membersPath(company)}/${id}`, company.owner.session), 200);
  }
}
const demand = ({ slug }: Company, demands: { requireProvider?: boolean | undefined; requireSecondFactor?: boolean }) =>
  transact([update(at(organizationRecord, slug), { set: demands })]);

describe('a link to a provider', () => {
  it('is listed with its organization and its last use', async () => {
    const { company, person } = await hire();

    const { slug, id } = company.owner.organization;
    const text = expect.any(String);
    expect(await linksOf(person.session)).toEqual([
      { id: text, organization: { id, slug, name: text }, issuer: provider.url, createdAt: text, lastUsedAt: text },
    ]);
    expect(await linksOf(company.owner.session)).toEqual([]);
  });

  it('ends with the sessions that came through it and their tokens, and nothing else', async () => {
    const { company, person } = await hire();
    const token = await tokenOf(person.through, boundTo(company));
    const own = await tokenOf(person.session, boundTo(company));
    const [{ id }] = await linksOf(person.session);

    await expectStatus(api.delete(`/auth/providers/${id}`, person.session), 200);

    expect(await linksOf(person.session)).toEqual([]);
    for (const as of [person.through, token]) expect(codeOf(await me(as))).toBe(unauthenticated);
    expect(codeOf(await me(own))).toBe('200 ok');
    expect(codeOf(await api.delete(`/auth/providers/${id}`, person.session))).toBe('404 link_not_found');
    expect(await memberIds(company)).toContain(person.user.id);
    // The provider alone does not bring it back; the account's own log-in does.
    act(person);
    expect(await errorOf(company)).toBe('link_required');
    await link(company, person);
    expect((await me(await sessionThrough(api, company.slug))).body.user.id).toBe(person.user.id);
  });

  it('is ended only by its owner, in a fresh session', async () => {
    const [{ person }, other] = [await hire(), await seedPerson()];
    const [{ id }] = await linksOf(person.session);

    expect(codeOf(await api.delete(`/auth/providers/${id}`, other.session))).toBe('404 link_not_found');
    await ageSession(person, 3600);
    expect(codeOf(await api.delete(`/auth/providers/${id}`, person.session))).toBe('403 step_up_required');
    expect(await linksOf(person.session)).toHaveLength(1);
  });

  it('of the previous release lets in, is listed, and ends', async () => {
    const { company, person: used } = await hire();
    const unused = await seedColleague(company);
    await link(company, unused);
    await sessionThrough(api, company.slug);
    await Promise.all([storeOlderLink(company, used), storeOlderLink(company, unused)]);
    expect(await linksOf(unused.session)).toMatchObject([{ issuer: provider.url, lastUsedAt: null }]);
    act(used);
    await sessionThrough(api, company.slug);
    expect(await linksOf(used.session)).toMatchObject([{ lastUsedAt: expect.any(String) }]);

    for (const person of [used, unused]) {
      const [{ id }] = await linksOf(person.session);
      await expectStatus(api.delete(`/auth/providers/${id}`, person.session), 200);
      act(person);
      expect(await linksOf(person.session)).toEqual([]);
      expect(await errorOf(company)).toBe('link_required');
    }
  });
});

describe('a recovery', () => {
  const newPassword = 'a pass phrase that nobody else has';
  const reset = (person: Pick<Person, 'email'>) => resetPassword(api, person, newPassword);

  it.each([false, true])('by a reset ends every link; linking again takes an own log-in (older: %s)', async isOlder => {
    const { company, person } = await hire();
    if (isOlder) await storeOlderLink(company, person);

    await reset(person);

    expect(codeOf(await me(person.through))).toBe(unauthenticated);
    act(person);
    expect(await errorOf(company)).toBe('link_required');
    expect(await linksOf(await logInAs(api, person, newPassword))).toEqual([]);
    await link(company, person, newPassword);
    await sessionThrough(api, company.slug);
  });

  it('ends a link that waited for a log-in', async () => {
    const company = await openCompany(api, names, provider);
    const person = await seedColleague(company);
    const browser = await openWaiting(company, person);

    await reset(person);
    await expectStatus(logInIn(api, browser, person.email, newPassword), 200);

    expect(await errorOf(company)).toBe('link_required');
  });

  it('locks the provider out that made the account before its person came', async () => {
    const company = await openCompany(api, names, provider);
    const person = { email: `planned@${company.domain}` };
    act(person);
    await sessionThrough(api, company.slug);
    await reset(person);

    act(person);
    expect(await errorOf(company)).toBe('link_required');
    expect((await me(await logInAs(api, person, newPassword))).body.user.emailVerified).toBe(true);
  });

  it('by undoing a factor ends every link', async () => {
    const { company, person } = await hire();
    await addApp(api, person);

    const token = await mailedToken(api, person.email, 'Your log-in');
    await expectStatus(api.post('/auth/factors/undo', { token }), 200);

    act(person);
    expect(await errorOf(company)).toBe('link_required');
  });

  it('is no change of the password: the link of somebody who knows it stays', async () => {
    const { company, person } = await hire();
    const body = { currentPassword: testPassword, newPassword };
    await expectStatus(api.post('/auth/change-password', body, person.session), 200);

    act(person);
    await sessionThrough(api, company.slug);
  });
});

describe('leaving', () => {
  it.each(['viewer', 'developer', 'admin', 'owner'])('is possible for everybody: %s', async role => {
    const company = await openCompany(api, names, provider);
    const person = await seedPerson({ emailVerified: true });
    await join(api, company.owner, person, role);
    await ageSession(person, 3600);

    expect(codeOf(await leave(company, person))).toBe('200 ok');
    expect(await memberIds(company)).toEqual([company.owner.user.id]);
    expect(codeOf(await leave(company, person))).toBe('404 organization_not_found');
    const { entries } = (await api.get(`/audit/${company.owner.organization.id}`, company.owner.session)).body;
    expect(entries[0]).toMatchObject({ action: 'member.removed', details: { role, left: true } });
  });

  it('is possible whatever the organization demands, but not for the last owner', async () => {
    const { company, person } = await hire();
    await demand(company, { requireProvider: true, requireSecondFactor: true });
    expect((await api.get(membersPath(company), person.session)).status).toBe(403);

    expect(codeOf(await leave(company, person))).toBe('200 ok');
    expect(codeOf(await leave(company, company.owner))).toBe('409 last_owner');
  });

  it.each(['leaves', 'is removed'] as const)(
    'ends the link, its sessions and the tokens of the organization, also for somebody who %s',
    async how => {
      const { company, person } = await hire();
      const token = await tokenOf(person.through, boundTo(company));

      await end(how, company, person);

      expect(await linksOf(person.session)).toEqual([]);
      for (const as of [person.through, token]) expect(codeOf(await me(as))).toBe(unauthenticated);
      expect(codeOf(await me(person.session))).toBe('200 ok');
    },
  );
});

it.each(['in another browser', 'with an invitation'])(
  'a first sign-in that waits for the factor succeeds although its person has joined %s',
  async how => {
    const company = await openCompany(api, names, provider);
    const person = await seedColleague(company);
    await link(company, person);
    const app = await addApp(api, person);
    const browsers = [openBrowser(), openBrowser()];
    act(person);
    for (const browser of browsers) {
      expect((await signIn(api, browser, company.slug)).error).toBe('second_factor_required');
    }
    if (how === 'with an invitation') await join(api, company.owner, person);

    for (const browser of browsers) {
      await forgetUsedCodes(person.user.id);
      await expectStatus(answerFactor(api, browser, app), 200);
      expect((await api.get(membersPath(company), sessionIn(api, browser))).status).toBe(200);
    }
    expect((await memberIds(company)).filter(id => id === person.user.id)).toHaveLength(1);
  },
);

it.each(['leaves', 'is removed'] as const)(
  'a token made in a session through the provider ends when its person %s, and stays so after another invitation',
  async how => {
    const { company, person } = await hire();
    await demand(company, { requireProvider: true });
    const stepUp = await expectStatus(api.post('/auth/step-up', { password: testPassword }, person.through), 200);
    const token = await tokenOf(sessionOf(stepUp));
    expect(codeOf(await api.get(membersPath(company), token))).toBe('200 ok');

    await demand(company, { requireProvider: undefined });
    await end(how, company, person);
    await join(api, company.owner, person);
    await demand(company, { requireProvider: true });

    expect((await api.get(membersPath(company), token)).status).toBeGreaterThanOrEqual(401);
  },
);

describe('somebody whose membership ended', () => {
  it.each(['left', 'was removed', 'was removed by the previous release'])(
    'and %s comes back only by accepting an invitation in a session of their own',
    async how => {
      const { company, person } = await hire();
      await end(how === 'left' ? 'leaves' : 'is removed', company, person);
      if (how.endsWith('release')) {
        const older = { ...boundTo(company), userId: person.user.id, issuer: provider.url };
        const item = at(providerLinkRecord, company.slug, personOf(provider.url, person.email));
        await transact([put(item, { ...older, createdAt: new Date().toISOString(), linkId: null })]);
        await storeOlderLink(company, person);
      }

      act(person);
      expect(await errorOf(company)).toBe('invitation_required');
      const { token } = await invite(api, company.owner, person.email);
      expect(await errorOf(company)).toBe('invitation_required');
      // Not even under another subject, or with another address.
      act(person, `another ${person.email}`);
      expect(await errorOf(company)).toBe('invitation_required');
      act({ email: `alias-${person.email}` }, person.email);
      expect(await errorOf(company)).toBe('invitation_required');
      const accepting = `/members/invite/${token}/accept`;
      const full = await tokenOf(person.session);
      expect(codeOf(await api.post(accepting, undefined, full))).toBe('403 insufficient_scope');
      expect(await memberIds(company)).toEqual([company.owner.user.id]);

      await expectStatus(api.post(accepting, undefined, person.session), 200);
      expect(await memberIds(company)).toContain(person.user.id);
      act(person);
      expect(await errorOf(company)).toBe('link_required');
      await link(company, person);
      await sessionThrough(api, company.slug);
    },
  );

  it('stays out while a link that waited for their log-in is made', async () => {
    const company = await openCompany(api, names, provider);
    const person = await seedColleague(company);
    await join(api, company.owner, person);
    const browser = await openWaiting(company, person);
    await end('is removed', company, person);
    await expectStatus(logInIn(api, browser, person.email), 200);

    expect(await errorOf(company)).toBe('invitation_required');
    expect(await memberIds(company)).toEqual([company.owner.user.id]);
  });
});

it('deleting an organization ends the links to its provider and their sessions', async () => {
  const { company, person } = await hire();
  await expectStatus(api.delete(`/orgs/${company.owner.organization.id}`, company.owner.session), 200);

  expect(await linksOf(person.session)).toEqual([]);
  await expect.poll(() => me(person.through), { timeout: 20_000 }).toMatchObject({ status: 401 });
  expect(await find(at(accountLinkRecord, person.user.id, company.owner.organization.id))).toBeUndefined();
});

it('no token sets the provider, whatever it may do', async () => {
  const company = await openCompany(api, names, provider);
  const session = await logInWithApp(api, company.owner, await addApp(api, company.owner));
  const token = await tokenOf(session, { access: 'full' });
  const body = settingsOf(provider, company.domain, { issuer: 'https://thief.example' });

  expect(codeOf(await api.put(settingsPath(company.owner), body, token))).toBe('403 insufficient_scope');
});
