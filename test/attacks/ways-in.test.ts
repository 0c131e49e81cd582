import { describe, expect, it } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { accountLinkRecord, personOf, providerLinkRecord } from '#lib/table/records/sign-in.ts';
import { put, remove, transact, update } from '#lib/table/write.ts';
import { codeOf, nowSeconds, sessionOf } from '../support/api.ts';
import { type Person, seedPerson, testPassword } from '../support/people.ts';
import { expectStatus, join, mailedToken } from '../support/sample-requests.ts';
import { addApp, ageSession, forgetUsedCodes, logInWithApp } from '../support/second-factors.ts';
import { openBrowser } from '../support/sign-in/browser.ts';
import { type Company, logInAs, seedColleague, useSignIn } from '../support/sign-in/scene.ts';
import {
  logInIn,
  openCompany,
  requestIn,
  sessionIn,
  sessionThrough,
  settingsOf,
  settingsPath,
  signIn,
} from '../support/sign-in/sign-in.ts';

/* What lets in can be seen and ended by the account's owner, and ends with a recovery or a membership. */

const { api, names, provider } = useSignIn({ sub: 'nobody', email_verified: true });

const linksOf = async (session: { cookie: string }) =>
  (await expectStatus(api.get('/auth/providers', session), 200)).body.links;
/** Lets the provider say that this is the person from now on. */
function act({ email }: Pick<Person, 'email'>, sub = email): void {
  provider.script = { person: { sub, email, email_verified: true }, claims: { auth_time: nowSeconds() } };
}

/** A colleague whose account is linked, and who has joined. */
async function hire(company: Company): Promise<Person & { through: { cookie: string } }> {
  const person = await seedColleague(company);
  await link(company, person);
  return { ...person, through: await sessionThrough(api, company.slug) };
}

async function link({ slug }: Company, person: Person, password = testPassword): Promise<void> {
  act(person);
  const browser = openBrowser();
  expect((await signIn(api, browser, slug)).error).toBe('link_required');
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
const memberIds = async (company: Company): Promise<string[]> =>
  (await expectStatus(api.get(membersPath(company), company.owner.session), 200)).body.members.map(
    ({ userId }: { userId: string }) => userId,
  );
async function invite(company: Company, { email }: Pick<Person, 'email'>, role = 'developer'): Promise<string> {
  const path = `${membersPath(company)}/invite`;
  return (await expectStatus(api.post(path, { email, role }, company.owner.session), 201)).body.token;
}
async function removeFrom(company: Company, person: Person): Promise<void> {
  const { members } = (await api.get(membersPath(company), company.owner.session)).body;
  const { id } = members.find(({ userId }: { userId: string }) => userId === person.user.id);
  await expectStatus(api.delete(`${membersPath(company)}/${id}`, company.owner.session), 200);
}

describe('a link to a provider', () => {
  it('is listed with its organization and its last use', async () => {
    const company = await openCompany(api, names, provider);
    const person = await hire(company);

    const { slug, id } = company.owner.organization;
    expect(await linksOf(person.session)).toEqual([
      {
        id: expect.any(String),
        organization: { id, slug, name: expect.any(String) },
        issuer: provider.url,
        createdAt: expect.any(String),
        lastUsedAt: expect.any(String),
      },
    ]);
    expect(await linksOf(company.owner.session)).toEqual([]);
  });

  it('ends with the sessions that came through it and their tokens, and nothing else', async () => {
    const company = await openCompany(api, names, provider);
    const person = await hire(company);
    const bound = { name: 'cli', organizationId: company.owner.organization.id };
    const { token } = (await expectStatus(api.post('/auth/token', bound, person.through), 201)).body;
    const own = (await expectStatus(api.post('/auth/token', bound, person.session), 201)).body.token;
    const bearer = (text: string) => ({ headers: { authorization: `Bearer ${text}` } });
    const [{ id }] = await linksOf(person.session);

    await expectStatus(api.delete(`/auth/providers/${id}`, person.session), 200);

    expect(await linksOf(person.session)).toEqual([]);
    expect(codeOf(await api.get('/auth/me', person.through))).toBe('401 unauthenticated');
    expect(codeOf(await api.call('GET', '/auth/me', bearer(token)))).toBe('401 unauthenticated');
    expect(codeOf(await api.call('GET', '/auth/me', bearer(own)))).toBe('200 ok');
    expect(codeOf(await api.delete(`/auth/providers/${id}`, person.session))).toBe('404 link_not_found');
    expect(await memberIds(company)).toContain(person.user.id);
    // The provider alone does not bring it back; the account's own log-in does.
    act(person);
    expect(await errorOf(company)).toBe('link_required');
    await link(company, person);
    expect((await api.get('/auth/me', await sessionThrough(api, company.slug))).body.user.id).toBe(person.user.id);
  });

  it('is ended only by its owner, in a fresh session', async () => {
    const company = await openCompany(api, names, provider);
    const [person, other] = [await hire(company), await seedPerson()];
    const [{ id }] = await linksOf(person.session);

    expect(codeOf(await api.delete(`/auth/providers/${id}`, other.session))).toBe('404 link_not_found');
    await ageSession(person, 3600);
    expect(codeOf(await api.delete(`/auth/providers/${id}`, person.session))).toBe('403 step_up_required');
    expect(await linksOf(person.session)).toHaveLength(1);
  });

  it('of the previous release lets in, is listed, and ends', async () => {
    const company = await openCompany(api, names, provider);
    const [used, unused] = [await hire(company), await hire(company)];
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
  const reset = async ({ email }: Person) => {
    await expectStatus(api.post('/auth/forgot-password', { email }), 200);
    const body = { token: await mailedToken(api, email, 'Reset'), newPassword };
    await expectStatus(api.post('/auth/reset-password', body), 200);
  };

  it('by a reset ends every link, of the previous release too; linking again takes an own log-in', async () => {
    for (const isOlder of [false, true]) {
      const company = await openCompany(api, names, provider);
      const person = await hire(company);
      if (isOlder) await storeOlderLink(company, person);

      await reset(person);

      expect(codeOf(await api.get('/auth/me', person.through))).toBe('401 unauthenticated');
      act(person);
      expect(await errorOf(company)).toBe('link_required');
      expect(await linksOf(await logInAs(api, person, newPassword))).toEqual([]);
      await link(company, person, newPassword);
      await sessionThrough(api, company.slug);
    }
  });

  it('ends a link that waited for a log-in', async () => {
    const company = await openCompany(api, names, provider);
    const person = await seedColleague(company);
    act(person);
    const browser = openBrowser();
    expect((await signIn(api, browser, company.slug)).error).toBe('link_required');

    await reset(person);
    await expectStatus(logInIn(api, browser, person.email, newPassword), 200);

    expect(await errorOf(company)).toBe('link_required');
  });

  it('locks the provider out that made the account before its person came', async () => {
    const company = await openCompany(api, names, provider);
    const person = { email: `planned@${company.domain}` };
    act(person);
    await sessionThrough(api, company.slug);
    await reset(person as Person);

    act(person);
    expect(await errorOf(company)).toBe('link_required');
    const session = await logInAs(api, person as Person, newPassword);
    expect((await api.get('/auth/me', session)).body.user.emailVerified).toBe(true);
  });

  it('by undoing a factor ends every link', async () => {
    const company = await openCompany(api, names, provider);
    const person = await hire(company);
    await addApp(api, person);

    const token = await mailedToken(api, person.email, 'Your log-in');
    await expectStatus(api.post('/auth/factors/undo', { token }), 200);

    act(person);
    expect(await errorOf(company)).toBe('link_required');
  });

  it('is no change of the password: the link of somebody who knows it stays', async () => {
    const company = await openCompany(api, names, provider);
    const person = await hire(company);
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

    expect(codeOf(await api.delete(`${membersPath(company)}/me`, person.session))).toBe('200 ok');
    expect(await memberIds(company)).toEqual([company.owner.user.id]);
    expect(codeOf(await api.delete(`${membersPath(company)}/me`, person.session))).toBe('404 organization_not_found');
    const entries = (await api.get(`/audit/${company.owner.organization.id}`, company.owner.session)).body.entries;
    expect(entries[0]).toMatchObject({ action: 'member.removed', details: { role, left: true } });
  });

  it('is possible whatever the organization demands, but not for the last owner', async () => {
    const company = await openCompany(api, names, provider);
    const person = await hire(company);
    const demands = { requireProvider: true, requireSecondFactor: true };
    await transact([update(at(organizationRecord, company.slug), { set: demands })]);
    expect((await api.get(membersPath(company), person.session)).status).toBe(403);

    expect(codeOf(await api.delete(`${membersPath(company)}/me`, person.session))).toBe('200 ok');
    const last = await api.delete(`${membersPath(company)}/me`, company.owner.session);
    expect(codeOf(last)).toBe('409 last_owner');
  });

  it.each(['leaving', 'a removal'])('%s ends the link, its sessions and the tokens of the organization', async how => {
    const company = await openCompany(api, names, provider);
    const person = await hire(company);
    const bound = { name: 'cli', organizationId: company.owner.organization.id };
    const { token } = (await expectStatus(api.post('/auth/token', bound, person.through), 201)).body;

    if (how === 'leaving') await expectStatus(api.delete(`${membersPath(company)}/me`, person.session), 200);
    else await removeFrom(company, person);

    expect(await linksOf(person.session)).toEqual([]);
    expect(codeOf(await api.get('/auth/me', person.through))).toBe('401 unauthenticated');
    const asToken = { headers: { authorization: `Bearer ${token}` } };
    expect(codeOf(await api.call('GET', '/auth/me', asToken))).toBe('401 unauthenticated');
    expect(codeOf(await api.get('/auth/me', person.session))).toBe('200 ok');
  });
});

it.each(['in another browser', 'with an invitation'])(
  'a first sign-in that waits for the factor succeeds although its person has joined %s',
  async how => {
    const company = await openCompany(api, names, provider);
    const person = await seedColleague(company);
    await link(company, person);
    const app = await addApp(api, person);
    const browsers = [openBrowser(), openBrowser()];
    for (const browser of browsers) {
      act(person);
      expect((await signIn(api, browser, company.slug)).error).toBe('second_factor_required');
    }
    if (how === 'with an invitation') {
      const path = `/members/invite/${await invite(company, person)}/accept`;
      await expectStatus(api.post(path, undefined, person.session), 200);
    }

    for (const browser of browsers) {
      const { challenge } = (await expectStatus(requestIn(api, browser, '/auth/provider/factor', {}), 200)).body;
      await forgetUsedCodes(person.user.id);
      await expectStatus(requestIn(api, browser, '/auth/login/verify', { challenge, totp: app.code() }), 200);
      expect((await api.get(membersPath(company), sessionIn(api, browser))).status).toBe(200);
    }
    expect((await memberIds(company)).filter(id => id === person.user.id)).toHaveLength(1);
  },
);

it.each(['leaves', 'is removed'])(
  'a token made in a session through the provider ends when its person %s, and stays so after another invitation',
  async how => {
    const company = await openCompany(api, names, provider);
    const person = await hire(company);
    await transact([update(at(organizationRecord, company.slug), { set: { requireProvider: true } })]);
    const stepUp = await expectStatus(api.post('/auth/step-up', { password: testPassword }, person.through), 200);
    const made = await expectStatus(api.post('/auth/token', { name: 'cli' }, sessionOf(stepUp)), 201);
    const token = { token: made.body.token };
    expect(codeOf(await api.get(membersPath(company), token))).toBe('200 ok');

    await transact([update(at(organizationRecord, company.slug), { set: { requireProvider: undefined } })]);
    if (how === 'leaves') await expectStatus(api.delete(`${membersPath(company)}/me`, person.session), 200);
    else await removeFrom(company, person);
    const path = `/members/invite/${await invite(company, person)}/accept`;
    await expectStatus(api.post(path, undefined, person.session), 200);
    await transact([update(at(organizationRecord, company.slug), { set: { requireProvider: true } })]);

    expect((await api.get(membersPath(company), token)).status).toBeGreaterThanOrEqual(401);
  },
);

describe('somebody whose membership ended', () => {
  it.each(['left', 'was removed', 'was removed by the previous release'])(
    'and %s comes back only by accepting an invitation in a session of their own',
    async how => {
      const company = await openCompany(api, names, provider);
      const person = await hire(company);
      if (how === 'left') await expectStatus(api.delete(`${membersPath(company)}/me`, person.session), 200);
      else await removeFrom(company, person);
      if (how.endsWith('release')) {
        const older = { organizationId: company.owner.organization.id, userId: person.user.id, issuer: provider.url };
        const item = at(providerLinkRecord, company.slug, personOf(provider.url, person.email));
        await transact([put(item, { ...older, createdAt: new Date().toISOString(), linkId: null })]);
        await storeOlderLink(company, person);
      }

      act(person);
      expect(await errorOf(company)).toBe('invitation_required');
      const token = await invite(company, person);
      expect(await errorOf(company)).toBe('invitation_required');
      // Not even under another subject, or with another address.
      act(person, `another ${person.email}`);
      expect(await errorOf(company)).toBe('invitation_required');
      act({ email: `alias-${person.email}` }, person.email);
      expect(await errorOf(company)).toBe('invitation_required');
      const full = (await expectStatus(api.post('/auth/token', { name: 'cli' }, person.session), 201)).body.token;
      const accepting = `/members/invite/${token}/accept`;
      expect(codeOf(await api.post(accepting, undefined, { token: full }))).toBe('403 insufficient_scope');
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
    act(person);
    const browser = openBrowser();
    expect((await signIn(api, browser, company.slug)).error).toBe('link_required');
    await removeFrom(company, person);
    await expectStatus(logInIn(api, browser, person.email), 200);

    expect(await errorOf(company)).toBe('invitation_required');
    expect(await memberIds(company)).toEqual([company.owner.user.id]);
  });
});

it('deleting an organization ends the links to its provider and their sessions', async () => {
  const company = await openCompany(api, names, provider);
  const person = await hire(company);
  await expectStatus(api.delete(`/orgs/${company.owner.organization.id}`, company.owner.session), 200);

  expect(await linksOf(person.session)).toEqual([]);
  await expect.poll(() => api.get('/auth/me', person.through), { timeout: 20_000 }).toMatchObject({ status: 401 });
  expect(await find(at(accountLinkRecord, person.user.id, company.owner.organization.id))).toBeUndefined();
});

it('no token sets the provider, whatever it may do', async () => {
  const company = await openCompany(api, names, provider);
  const app = await addApp(api, company.owner);
  const session = await logInWithApp(api, company.owner, app);
  const { token } = (await expectStatus(api.post('/auth/token', { name: 'all', access: 'full' }, session), 201)).body;
  const body = settingsOf(provider, company.domain, { issuer: 'https://thief.example' });
  const headers = { authorization: `Bearer ${token}` };

  expect(codeOf(await api.call('PUT', settingsPath(company.owner), { body, headers }))).toBe('403 insufficient_scope');
});
