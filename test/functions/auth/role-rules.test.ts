import { SignJWT } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { dayMs } from '#lib/core/time.ts';
import { at, find } from '#lib/table/read.ts';
import { memberRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { accountLinkRecord, personOf, providerLinkRecord } from '#lib/table/records/sign-in.ts';
import { remove, transact, update } from '#lib/table/write.ts';
import { type Caller, codeOf, createProject, createToken } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { startIssuer } from '#test/support/issuer.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus, invite, issueToPipeline, join } from '#test/support/sample-requests.ts';
import { addApp, forgetUsedCodes } from '#test/support/second-factors.ts';
import { openBrowser } from '#test/support/sign-in/browser.ts';
import type { Account } from '#test/support/sign-in/open-id-provider.ts';
import {
  type Company,
  hire,
  logInAs,
  openOwnCompany,
  seedColleague,
  useOpenIdProvider,
} from '#test/support/sign-in/scene.ts';
import {
  answerFactor,
  logInIn,
  openCompany,
  sessionIn,
  sessionThrough,
  settingsOf,
  settingsPath,
  signIn,
} from '#test/support/sign-in/sign-in.ts';

/* Roles by the groups that the company's provider reports, and tokens that end without a sign-in through it. */

const { api, names, provider } = useOpenIdProvider({ alwaysAuthTime: true });

afterEach(() => {
  vi.useRealTimers();
});

const rules = [
  { value: 'admins', role: 'admin' },
  { value: 'devs', role: 'developer' },
  { value: 'contractors', role: 'viewer', limited: true },
];

async function open(changes: Record<string, unknown> = {}) {
  const company = await openCompany(api, names, provider, { defaultRole: null, roleRules: rules, ...changes });
  const project: { id: string; slug: string } = await createProject(api, company.owner);
  return { ...company, project };
}

async function set({ owner, domain }: Company, changes: object) {
  const { clientSecret: _, ...settings } = settingsOf(provider, domain, { defaultRole: null, roleRules: rules });
  return api.put(settingsPath(owner), { ...settings, ...changes }, owner.session);
}

/** Somebody at the provider whose groups a test can change. */
function employ(company: Company, groups: string | string[], changes: Partial<Account> = {}) {
  const account = hire(provider, company.domain, { groups, ...changes });
  const email = `${account}@${company.domain}`;
  const person = provider.accounts[account] as Account;
  return {
    account,
    email,
    join: (to: string | string[]) => void Object.assign(person, { groups: to }),
    enter: () => sessionThrough(api, company.slug, { account }),
    attempt: () => signIn(api, openBrowser(), company.slug, { account }),
  };
}

const rosterOf = async ({ owner }: Company) =>
  (await expectStatus(api.get(`/members/${owner.organization.id}`, owner.session), 200)).body.members;
const memberOf = async (company: Company, email: string) =>
  (await rosterOf(company)).find((one: { email: string }) => one.email === email);
const entriesOf = async ({ owner }: Company, action: string) =>
  (await api.get(`/audit/${owner.organization.id}?action=${action}`, owner.session)).body.entries;
const read = async ({ owner }: Company, as: Caller) => codeOf(await api.get(`/projects/${owner.organization.id}`, as));
const tokenFor = async ({ owner }: Company, session: Caller): Promise<{ token: string }> =>
  (await expectStatus(api.post('/auth/token', { name: 't', organizationId: owner.organization.id }, session), 201))
    .body;

/** A member with an account of their own, linked to the provider, whom a person invited. */
async function inviteColleague(company: Company, role: string, groups: string[]) {
  const person = await seedColleague(company);
  await join(api, company.owner, person, role);
  const account = hire(provider, company.domain, { email: person.email, groups });
  const browser = openBrowser();
  expect((await signIn(api, browser, company.slug, { account })).error).toBe('link_required');
  await expectStatus(logInIn(api, browser, person.email), 200);
  return {
    person,
    email: person.email,
    join: (to: string[]) => void Object.assign(provider.accounts[account] as Account, { groups: to }),
    enter: (in_ = openBrowser()) => signIn(api, in_, company.slug, { account }),
  };
}

describe('the settings', () => {
  it('hold the rules and the days, and record changes of them', async () => {
    const company = await open();
    const shop = { value: 'shop', projectId: company.project.id, projectRole: 'admin' };

    const { body } = await expectStatus(set(company, { roleRules: [...rules, shop], recheckDays: 30 }), 200);

    const stored = [...rules, shop].map(rule => ({ claim: 'groups', ...rule }));
    expect(body.signIn).toMatchObject({ roleRules: stored, recheckDays: 30 });
    expect(body.signIn.roleRules.at(-1)).toEqual(stored.at(-1));
    const shown = (await api.get(settingsPath(company.owner), company.owner.session)).body.signIn;
    expect(shown).toEqual(body.signIn);
    const [entry] = await entriesOf(company, 'sign_in.configured');
    expect(entry.details).toEqual({
      recheckDays: { from: null, to: 30 },
      roleRules: {
        from: 'groups=admins: admin; groups=devs: developer; groups=contractors: viewer, limited',
        to: `groups=admins: admin; groups=devs: developer; groups=contractors: viewer, limited; groups=shop: admin in ${company.project.slug}`,
      },
    });
    const count = (await entriesOf(company, 'sign_in.configured')).length;
    await expectStatus(set(company, { roleRules: [...rules, shop], recheckDays: 30 }), 200);
    expect(await entriesOf(company, 'sign_in.configured')).toHaveLength(count);
  });

  it('reject rules about projects that are not there, and what contradicts itself', async () => {
    const company = await open();
    const other = await seedPerson();
    const foreign = await createProject(api, other);
    const rule = (projectId: string) => ({ roleRules: [{ value: 'a', projectId, projectRole: 'viewer' }] });

    expect(codeOf(await set(company, rule(company.project.id)))).toBe('200 ok');
    const { status, body } = await set(company, rule(foreign.id));
    expect([status, body.error.code, body.error.details]).toEqual([
      400,
      'invalid_request',
      [{ path: 'roleRules.0.projectId', message: 'must be a project of the organization' }],
    ]);
    await expectStatus(
      api.delete(`/projects/${company.owner.organization.id}/${company.project.slug}`, company.owner.session),
      200,
    );
    const invalid = [
      rule(company.project.id),
      { roleRules: [{ value: 'a', role: 'owner' }] },
      { roleRules: Array.from({ length: 51 }, (_, index) => ({ value: `v${index}`, role: 'viewer' })) },
      { recheckDays: 0 },
      { recheckDays: 91 },
      { recheckDays: 1.5 },
    ];
    for (const changes of invalid) expect(codeOf(await set(company, changes))).toBe('400 invalid_request');
  });

  it('give the organization’s item a format that earlier versions reject, only with the days', async () => {
    const company = await open();
    const versionOf = async () => (await find(at(organizationRecord, company.slug)))?.recheckDays;
    expect(await versionOf()).toBeUndefined();
    await expectStatus(set(company, { recheckDays: 1 }), 200);
    expect(await versionOf()).toBe(1);
    await expectStatus(api.delete(settingsPath(company.owner), company.owner.session), 200);
    expect(await versionOf()).toBeUndefined();
  });
});

describe('a sign-in', () => {
  it('makes a member with what the rules say, and records which', async () => {
    const company = await open();
    const ada = employ(company, ['devs', 'admins', 'else']);

    await ada.enter();

    expect(await memberOf(company, ada.email)).toMatchObject({ role: 'admin', limited: false, via: 'provider' });
    expect((await memberOf(company, company.owner.email)).via).toBe('person');
    const [entry] = await entriesOf(company, 'member.joined');
    expect(entry.details).toEqual({ role: 'admin', via: 'provider', rules: ['admins', 'devs'] });
  });

  it('matches a single text, and limits a member to the projects of the rules', async () => {
    const company = await open();
    const second = await createProject(api, company.owner, 'Second');
    await expectStatus(
      set(company, {
        roleRules: [...rules, { claim: 'name', value: 'Ada', projectId: company.project.id, projectRole: 'developer' }],
      }),
      200,
    );
    const ada = employ(company, 'contractors', { name: 'Ada' });

    const session = await ada.enter();

    expect(await memberOf(company, ada.email)).toMatchObject({
      role: 'viewer',
      limited: true,
      projectRoles: [{ projectId: company.project.id, slug: company.project.slug, role: 'developer' }],
    });
    const paths = [company.project.slug, second.slug].map(slug => `/secrets/${company.slug}/${slug}/dev`);
    const answers = await Promise.all(paths.map(path => api.put(path, { key: 'A', value: '1' }, session)));
    expect(answers.map(codeOf)).toEqual(['201 ok', '404 project_not_found']);
    const [entry] = await entriesOf(company, 'member.joined');
    expect(entry.details).toMatchObject({ limited: true, rules: ['contractors', 'Ada'] });
  });

  it('is refused to a stranger whom no rule matches, and to one whose rules give only a project', async () => {
    const company = await open();
    const { id: projectId } = company.project;
    const shop = { value: 'shop', projectId, projectRole: 'admin' };
    await expectStatus(set(company, { roleRules: [...rules, shop] }), 200);

    for (const groups of [[], ['else'], ['shop']]) {
      expect((await employ(company, groups).attempt()).error).toBe('invitation_required');
    }
    await expectStatus(set(company, { roleRules: [...rules, shop], defaultRole: 'viewer' }), 200);
    const ada = employ(company, ['shop']);
    await ada.enter();
    expect(await memberOf(company, ada.email)).toMatchObject({
      role: 'viewer',
      projectRoles: [{ projectId, role: 'admin' }],
    });
  });

  it('changes the member each time, in force with the next request of earlier sessions and tokens', async () => {
    const company = await open();
    const ada = employ(company, ['admins']);
    const session = await ada.enter();
    const token = await tokenFor(company, session);
    const pull = `/secrets/${company.slug}/${company.project.slug}/production`;
    for (const as of [session, token]) expect(codeOf(await api.get(pull, as))).toBe('200 ok');
    const { id } = await memberOf(company, ada.email);

    ada.join(['devs']);
    await ada.enter();

    expect(await memberOf(company, ada.email)).toMatchObject({ id, role: 'developer', via: 'provider' });
    for (const as of [session, token]) expect(codeOf(await api.get(pull, as))).toBe('403 forbidden');
    const [entry] = await entriesOf(company, 'member.role_changed');
    expect(entry).toMatchObject({
      actor: { type: 'system' },
      target: { name: ada.email },
      details: { from: 'admin', to: 'developer', via: 'provider', rules: ['devs'] },
    });
    ada.join(['contractors']);
    await ada.enter();
    expect(await memberOf(company, ada.email)).toMatchObject({ role: 'viewer', limited: true });
    const [inProjects] = await entriesOf(company, 'member.projects_changed');
    expect(inProjects.details).toMatchObject({
      from: { limited: false },
      to: { limited: true },
      rules: ['contractors'],
    });
    const entries = (await entriesOf(company, 'member.role_changed')).length;
    await ada.enter();
    expect(await entriesOf(company, 'member.role_changed')).toHaveLength(entries);
  });

  it('without a rule that matches gives the default role, or ends what rules made, until one matches again', async () => {
    const company = await open();
    const ada = employ(company, ['admins']);
    const session = await ada.enter();
    const token = await tokenFor(company, session);
    const { id } = await memberOf(company, ada.email);

    ada.join([]);
    const refused = await ada.attempt();

    expect([refused.error, refused.session]).toEqual(['invitation_required', undefined]);
    expect(await memberOf(company, ada.email)).toBeUndefined();
    expect((await find(at(organizationRecord, company.slug)))?.memberCount).toBe(1);
    const [entry] = await entriesOf(company, 'member.removed');
    expect(entry).toMatchObject({ target: { id }, details: { role: 'admin', via: 'provider', rules: [] } });
    for (const as of [session, token]) expect(codeOf(await api.get('/auth/me', as))).toBe('401 unauthenticated');
    expect((await ada.attempt()).error).toBe('invitation_required');

    ada.join(['devs']);
    const back = await ada.enter();
    const member = await memberOf(company, ada.email);
    expect(member).toMatchObject({ role: 'developer', via: 'provider' });
    expect(member.id).not.toBe(id);
    expect(await read(company, back)).toBe('200 ok');
    for (const as of [session, token]) expect(await read(company, as)).toBe('401 unauthenticated');

    await expectStatus(set(company, { defaultRole: 'viewer' }), 200);
    ada.join([]);
    await ada.enter();
    expect(await memberOf(company, ada.email)).toMatchObject({ role: 'viewer', id: member.id });
  });

  it('does not bring back somebody whom a person removed', async () => {
    const company = await open();
    const ada = employ(company, ['admins']);
    await ada.enter();
    const { id } = await memberOf(company, ada.email);
    await expectStatus(api.delete(`/members/${company.owner.organization.id}/${id}`, company.owner.session), 200);

    expect((await ada.attempt()).error).toBe('invitation_required');
    expect(await memberOf(company, ada.email)).toBeUndefined();
  });

  it('only adds to an invitation, and takes away what it added', async () => {
    const company = await open();
    const ada = employ(company, ['devs']);
    await invite(api, company.owner, ada.email, 'viewer');
    await ada.enter();
    expect(await memberOf(company, ada.email)).toMatchObject({ role: 'developer', via: 'person' });

    ada.join([]);
    await ada.enter();
    expect(await memberOf(company, ada.email)).toMatchObject({ role: 'viewer', via: 'person' });
    await expectStatus(
      api.patch(
        `/members/${company.owner.organization.id}/${(await memberOf(company, ada.email)).id}`,
        { role: 'admin' },
        company.owner.session,
      ),
      200,
    );
    ada.join(['contractors']);
    await ada.enter();
    expect(await memberOf(company, ada.email)).toMatchObject({ role: 'admin', limited: false });
  });

  it('keeps what a person gives by hand, also if rules gave the same before', async () => {
    const company = await open();
    const { owner, project } = company;
    const second = await createProject(api, owner, 'Second');
    const shop = { value: 'shop', projectId: project.id, projectRole: 'admin' };
    await expectStatus(set(company, { roleRules: [...rules, shop] }), 200);
    const ada = employ(company, ['devs', 'shop']);
    await invite(api, owner, ada.email, 'viewer');
    await ada.enter();
    const { id } = await memberOf(company, ada.email);
    const path = `/members/${owner.organization.id}/${id}`;
    const inShop = { projectId: project.id, slug: project.slug, role: 'admin', byRules: true };
    const inSecond = { projectId: second.id, slug: second.slug, role: 'viewer', byRules: false };
    const setProjects = (...listed: { projectId: string; role: string }[]) => {
      const projectRoles = listed.map(({ projectId, role }) => ({ projectId, role }));
      return expectStatus(api.put(`${path}/projects`, { limited: false, projectRoles }, owner.session), 200);
    };
    expect(await memberOf(company, ada.email)).toMatchObject({
      role: 'developer',
      byRules: true,
      projectRoles: [inShop],
    });

    const { member } = (await expectStatus(api.patch(path, { role: 'developer' }, owner.session), 200)).body;
    expect(member).toMatchObject({ role: 'developer', byRules: false, projectRoles: [inShop] });
    const added = (await setProjects(inShop, inSecond)).body.member;
    expect(added.projectRoles).toHaveLength(2);
    expect(added.projectRoles).toEqual(expect.arrayContaining([inShop, inSecond]));
    ada.join([]);
    await ada.enter();
    const kept = await memberOf(company, ada.email);
    expect(kept).toMatchObject({ role: 'developer', byRules: false, projectRoles: [inSecond] });

    ada.join(['shop']);
    await ada.enter();
    const entries = (await entriesOf(company, 'member.projects_changed')).length;
    for (let times = 0; times < 2; times += 1) await setProjects(inShop, inSecond);
    expect(await entriesOf(company, 'member.projects_changed')).toHaveLength(entries + 1);
    ada.join([]);
    await ada.enter();
    const { projectRoles } = await memberOf(company, ada.email);
    expect(projectRoles).toEqual(expect.arrayContaining([{ ...inShop, byRules: false }, inSecond]));
  });

  it('gives what nobody can make lasting who has less in the project', async () => {
    const company = await open();
    const { owner, project } = company;
    const shop = { value: 'shop', projectId: project.id, projectRole: 'admin' };
    await expectStatus(set(company, { roleRules: [...rules, shop] }), 200);
    const [admin, ada] = [await seedPerson(), employ(company, ['shop'])];
    const members = `/members/${owner.organization.id}`;
    const inShop = (role: string) => ({ limited: false, projectRoles: [{ projectId: project.id, role }] });
    const { id: adminId } = await join(api, owner, admin, 'admin');
    await expectStatus(api.put(`${members}/${adminId}/projects`, inShop('viewer'), owner.session), 200);
    await invite(api, owner, ada.email, 'viewer');
    await ada.enter();
    const path = `${members}/${(await memberOf(company, ada.email)).id}/projects`;

    for (const role of ['admin', 'developer']) {
      expect(codeOf(await api.put(path, inShop(role), admin.session))).toBe('403 forbidden');
    }

    ada.join([]);
    await ada.enter();
    expect(await memberOf(company, ada.email)).toMatchObject({ role: 'viewer', projectRoles: [] });
  });

  it('that brings somebody back uses up an invitation to them, which gives nothing', async () => {
    const company = await open();
    const ada = employ(company, ['devs']);
    await ada.enter();
    ada.join([]);
    await ada.attempt();
    await invite(api, company.owner, ada.email, 'owner');
    expect((await ada.attempt()).error).toBe('invitation_required');

    ada.join(['devs']);
    await ada.enter();

    expect(await memberOf(company, ada.email)).toMatchObject({ role: 'developer', via: 'provider' });
    const counts = await find(at(organizationRecord, company.slug));
    expect(counts).toMatchObject({ memberCount: 2, invitationCount: 0, ownerCount: 1 });
  });

  it('does not bring back somebody whom a person removed while rules ended the membership', async () => {
    const company = await open();
    const ada = employ(company, ['admins']);
    await ada.enter();
    const { id } = await memberOf(company, ada.email);
    ada.join([]);

    const path = `/members/${company.owner.organization.id}/${id}`;
    const [removal] = await Promise.all([api.delete(path, company.owner.session), ada.attempt()]);

    ada.join(['admins']);
    // Otherwise, the membership had ended before the removal began.
    if (removal.status === 200) expect((await ada.attempt()).error).toBe('invitation_required');
    else expect(codeOf(removal)).toBe('404 member_not_found');
  });

  it('that ends a membership keeps the link of an earlier release, which recognizes the person again', async () => {
    const company = await open();
    const ada = employ(company, ['admins']);
    await ada.enter();
    const { userId } = await memberOf(company, ada.email);
    const link = at(accountLinkRecord, userId, company.owner.organization.id);
    const person = personOf(provider.url, provider.accounts[ada.account]?.sub ?? '');
    const older = { set: { linkId: undefined, v: 1 } as never };
    await transact([remove(link), update(at(providerLinkRecord, company.slug, person), older)]);

    ada.join([]);
    expect((await ada.attempt()).error).toBe('invitation_required');

    expect(await find(link)).toMatchObject({ person, id: expect.any(String) });
    ada.join(['devs']);
    await ada.enter();
    expect(await memberOf(company, ada.email)).toMatchObject({ userId, role: 'developer' });
  });

  it('starts again if an owner sets the first rules meanwhile', async () => {
    const claims = { groups: ['contractors'] };
    const company = await openOwnCompany({ api, names }, 'ada', { claims, defaultRole: 'developer' });
    const { owner, domain, slug, provider: own } = company;
    const settings = settingsOf(own, domain, { defaultRole: null, roleRules: rules });
    own.script.sign = async (token, key) => {
      await expectStatus(api.put(settingsPath(owner), settings, owner.session), 200);
      return new SignJWT(token).setProtectedHeader({ alg: key.alg, kid: key.kid }).sign(key.privateKey);
    };

    expect((await signIn(api, openBrowser(), slug)).error).toBe('sign_in_expired');

    expect(await memberOf(company, company.email)).toBeUndefined();
  });

  it('never changes or ends the membership of an owner', async () => {
    const company = await open();
    const colleague = await inviteColleague(company, 'owner', ['contractors']);
    for (const groups of [['contractors'], []]) {
      colleague.join(groups);
      expect((await colleague.enter()).error).toBeUndefined();
      expect(await memberOf(company, colleague.email)).toMatchObject({ role: 'owner', limited: false });
    }
    const ada = employ(company, ['devs']);
    await ada.enter();
    const { id } = await memberOf(company, ada.email);
    const path = `/members/${company.owner.organization.id}/${id}`;
    await expectStatus(api.patch(path, { role: 'owner' }, company.owner.session), 200);
    ada.join([]);
    await ada.enter();
    expect(await memberOf(company, ada.email)).toMatchObject({ role: 'owner' });
  });

  it('is given nothing by a rule whose project is gone, or was replaced by another with its slug', async () => {
    const company = await open();
    const { owner, project } = company;
    const rule = { value: 'shop', role: 'developer', projectId: project.id, projectRole: 'admin' };
    await expectStatus(set(company, { roleRules: [...rules, rule] }), 200);
    const ada = employ(company, ['shop', 'contractors']);
    await ada.enter();
    expect(await memberOf(company, ada.email)).toMatchObject({ role: 'developer', projectRoles: [{ role: 'admin' }] });

    await expectStatus(api.delete(`/projects/${owner.organization.id}/${project.slug}`, owner.session), 200);
    await ada.enter();

    expect(await memberOf(company, ada.email)).toMatchObject({ role: 'viewer', limited: true, projectRoles: [] });
  });

  it('without rules changes nobody, whatever the default role is', async () => {
    const company = await open({ roleRules: [], defaultRole: 'viewer' });
    const ada = employ(company, ['admins']);
    await ada.enter();
    const member = await memberOf(company, ada.email);
    expect(member).toMatchObject({ role: 'viewer', via: 'provider' });
    const path = `/members/${company.owner.organization.id}/${member.id}`;
    await expectStatus(api.patch(path, { role: 'developer' }, company.owner.session), 200);
    await expectStatus(set(company, { roleRules: [], defaultRole: null }), 200);

    await ada.enter();

    expect(await memberOf(company, ada.email)).toMatchObject({ role: 'developer' });
  });

  it('keeps within the members of the plan', async () => {
    const company = await open();
    await transact([update(at(organizationRecord, company.slug), { set: { limitOverrides: { maxMembers: 1 } } })]);

    expect((await employ(company, ['admins']).attempt()).error).toBe('plan_limit_exceeded');
  });

  it('at once in several browsers applies the rules once', async () => {
    const company = await open();
    const ada = employ(company, ['admins']);
    await ada.enter();
    ada.join(['devs']);

    const outcomes = await Promise.all(Array.from({ length: 4 }, () => ada.attempt()));

    expect(outcomes.some(({ session }) => session !== undefined)).toBe(true);
    expect(await memberOf(company, ada.email)).toMatchObject({ role: 'developer' });
    expect(await entriesOf(company, 'member.role_changed')).toHaveLength(1);
  });
});

describe('a sign-in of an account with a factor of its own', () => {
  it('changes the member only once the factor is proved', async () => {
    const company = await open();
    const colleague = await inviteColleague(company, 'viewer', ['devs']);
    const app = await addApp(api, colleague.person);
    const browser = openBrowser();

    expect((await colleague.enter(browser)).error).toBe('second_factor_required');
    expect(await memberOf(company, colleague.email)).toMatchObject({ role: 'viewer' });
    await expectStatus(answerFactor(api, browser, app), 200);

    expect(await memberOf(company, colleague.email)).toMatchObject({ role: 'developer', via: 'person' });
    expect(await read(company, sessionIn(api, browser))).toBe('200 ok');
  });

  it('starts again if the rules have changed meanwhile', async () => {
    const company = await open();
    const colleague = await inviteColleague(company, 'viewer', ['admins']);
    const app = await addApp(api, colleague.person);
    const browser = openBrowser();
    await colleague.enter(browser);

    await expectStatus(set(company, { roleRules: rules.slice(1) }), 200);

    expect(codeOf(await answerFactor(api, browser, app))).toBe('400 invalid_token');
    expect(await memberOf(company, colleague.email)).toMatchObject({ role: 'viewer' });
  });

  it('starts again if a newer sign-in was completed first', async () => {
    const company = await open();
    const colleague = await inviteColleague(company, 'viewer', ['admins']);
    const app = await addApp(api, colleague.person);
    const [older, newer] = [openBrowser(), openBrowser()];
    await colleague.enter(older);
    colleague.join(['devs']);
    await colleague.enter(newer);
    await expectStatus(answerFactor(api, newer, app), 200);
    await forgetUsedCodes(colleague.person.user.id);

    expect(codeOf(await answerFactor(api, older, app))).toBe('400 invalid_token');

    expect(await memberOf(company, colleague.email)).toMatchObject({ role: 'developer' });
  });
});

describe('recheckDays', () => {
  const tell = (days: number) => vi.setSystemTime(Date.now() + days * dayMs);
  const issuer = shared(startIssuer);
  const required = '403 provider_required';

  it('refuses tokens of a member whose last sign-in through the provider is too long ago, until the next', async () => {
    const company = await open({ recheckDays: 7 });
    const ada = employ(company, ['devs']);
    const token = await tokenFor(company, await ada.enter());
    expect(await read(company, token)).toBe('200 ok');
    vi.useFakeTimers({ toFake: ['Date'] });

    tell(6.9);
    expect(await read(company, token)).toBe('200 ok');
    tell(0.2);
    const answer = await api.get(`/projects/${company.owner.organization.id}`, token);
    expect(codeOf(answer)).toBe(required);
    expect(answer.body.error.message).toContain('more than 7 days ago');
    const path = `/secrets/${company.slug}/${company.project.slug}/dev`;
    for (let pull = 0; pull < 3; pull += 1) expect(codeOf(await api.get(path, token))).toBe(required);

    await ada.enter();
    expect(codeOf(await api.get(path, token))).toBe('200 ok');
  });

  it('counts from the last sign-in, and for the days that are set now', async () => {
    const company = await open();
    const ada = employ(company, ['devs']);
    const token = await tokenFor(company, await ada.enter());
    vi.useFakeTimers({ toFake: ['Date'] });
    tell(5);
    const owner = { ...company.owner, session: await logInAs(api, company.owner) };
    const days = (recheckDays: number | null) => expectStatus(set({ ...company, owner }, { recheckDays }), 200);

    expect(await read(company, token)).toBe('200 ok');
    await days(4);
    expect(await read(company, token)).toBe(required);
    await days(6);
    expect(await read(company, token)).toBe('200 ok');
    await days(null);
    tell(90);
    expect(await read(company, token)).toBe('200 ok');
  });

  it('does not affect sessions, identities, and members who never signed in through the provider', async () => {
    const company = await open({ recheckDays: 1 });
    const person = await seedPerson();
    await join(api, company.owner, person, 'developer');
    const token = await createToken(api, person, { organizationId: company.owner.organization.id });
    const pipeline = await issueToPipeline(api, issuer, company.owner, {});
    vi.useFakeTimers({ toFake: ['Date'] });

    tell(0.01);
    expect(await read(company, { token: pipeline.token })).not.toBe(required);
    tell(5);
    for (const as of [token, person.session, company.owner.session]) expect(await read(company, as)).toBe('200 ok');
  });

  it('counts sign-ins that an earlier release recorded only in the link, once it is set', async () => {
    const company = await open();
    const colleague = await inviteColleague(company, 'viewer', ['devs']);
    const token = await createToken(api, colleague.person, { organizationId: company.owner.organization.id });
    await colleague.enter();
    const item = at(memberRecord, company.slug, colleague.person.user.id);
    await transact([update(item, { set: { providerSignInAt: undefined } })]);
    vi.useFakeTimers({ toFake: ['Date'] });
    tell(5);
    const owner = { ...company.owner, session: await logInAs(api, company.owner) };
    expect(await read(company, token)).toBe('200 ok');

    await expectStatus(set({ ...company, owner }, { recheckDays: 4 }), 200);
    expect(await read(company, token)).toBe(required);
    await expectStatus(set({ ...company, owner }, { recheckDays: 6 }), 200);
    expect(await read(company, token)).toBe('200 ok');
  });

  it('counts a token that came through the provider as a sign-in if none was recorded', async () => {
    const company = await open({ recheckDays: 2 });
    const ada = employ(company, ['devs']);
    const token = await tokenFor(company, await ada.enter());
    const { userId } = await memberOf(company, ada.email);
    await transact([update(at(memberRecord, company.slug, userId), { set: { providerSignInAt: undefined } })]);
    vi.useFakeTimers({ toFake: ['Date'] });

    expect(await read(company, token)).toBe('200 ok');
    tell(2.1);
    expect(await read(company, token)).toBe(required);
  });

  it('lets a refused token revoke itself', async () => {
    const company = await open({ recheckDays: 1 });
    const token = await tokenFor(company, await employ(company, ['devs']).enter());
    vi.useFakeTimers({ toFake: ['Date'] });
    tell(2);

    expect(await read(company, token)).toBe(required);
    expect(codeOf(await api.delete('/auth/tokens/current', token))).toBe('200 ok');
  });
});
