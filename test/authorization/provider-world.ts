import { type Role, roles } from '#lib/contracts/fields/role.ts';
import { readCredential } from '#lib/crypto/credentials.ts';
import { at, find } from '#lib/table/read.ts';
import { type OrganizationRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { emailRecord, userRecord } from '#lib/table/records/user.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { type Api, sessionOf } from '../support/api.ts';
import type { NameServer } from '../support/name-server.ts';
import { seedPerson, testPassword } from '../support/people.ts';
import { expectStatus, memberIdOf } from '../support/sample-requests.ts';
import { addApp, logInWithApp, settleFactors } from '../support/second-factors.ts';
import { openBrowser } from '../support/sign-in/browser.ts';
import type { OpenIdProvider } from '../support/sign-in/open-id-provider.ts';
import { logInIn, settingsOf, settingsPath, signIn, verifyDomain } from '../support/sign-in/sign-in.ts';
import { buildWorld, type Headers, projectMembers, rememberTable, seedMember, type World } from './world.ts';

type Session = { cookie: string };

/** The same world with a provider in every organization. The own one requires it; valid sessions came through it. */
export async function buildProviderWorld(api: Api, names: NameServer, provider: OpenIdProvider): Promise<World> {
  const world = await buildWorld(api);
  const { own, foreign } = world;
  const callers: Record<string, Headers> = { ...world.callers };
  const idOf = (name: string) => userIdOf(callers[`${name}: session`] as Headers);

  await addRemovedMember(own.organization, idOf('removed member'));
  const breakGlass = await addBreakGlassOwner(api, own.organization);
  await configure({ api, names, provider, organization: own.organization, domain: 'own.example' }, breakGlass, {
    required: true,
  });
  const stranger = ownSessionOf(callers['stranger: session'] as Headers);
  await verifyAddress(idOf('stranger'), 'stranger@foreign.example');
  await configure({ api, names, provider, organization: foreign.organization, domain: 'foreign.example' }, stranger);
  const admin = ownSessionOf(callers['platform admin: session'] as Headers);
  await verifyAddress(idOf('platform admin'), 'admin@home.example');
  const idOfAdmin = idOf('platform admin');
  const home = (await find(at(organizationRecord, 'admin-home'))) as OrganizationRecord;
  const slug = own.organization.slug;
  const link = async (name: string, email: string, orgSlug = slug) => {
    await verifyAddress(idOf(name), email);
    const session = await linkedSession(api, provider, orgSlug, email);
    callers[`${name}: session`] = { ...session, 'x-requested-with': 'service' };
    return session;
  };
  const sessions = {} as Record<Role, Session>;
  for (const role of roles) sessions[role] = await link(role, `${role}@own.example`);
  for (const name of Object.keys(projectMembers)) await link(name, `${name.replaceAll(/\W+/g, '-')}@own.example`);
  // A platform administrator can't be linked to a provider.
  const logInAsAdmin = async () => {
    const person = { ...(await seedPerson()), session: admin, user: { id: idOfAdmin } };
    const session = await logInWithApp(api, person, await addApp(api, person));
    callers['platform admin: session'] = { ...session, 'x-requested-with': 'service' };
    return session;
  };
  await link('removed member', 'removed@own.example');
  const strangers = await link('stranger', 'stranger@foreign.example', foreign.organization.slug);
  const admins = await logInAsAdmin();
  callers['broken Authorization beside a valid session'] = {
    ...(callers['owner: session'] as Headers),
    authorization: 'Bearer nonsense',
  };
  callers['session without the CSRF header'] = sessions.owner;

  const token = async (session: Session, access: string, limits: object = {}): Promise<Headers> => {
    const body = { name: access, access, ...limits };
    const made = await expectStatus(api.post('/auth/token', body, session), 201);
    return { authorization: `Bearer ${made.body.token}` };
  };
  for (const role of roles) {
    for (const access of ['read', 'write', 'full']) {
      callers[`${role}: ${access} token`] = await token(sessions[role], access);
    }
  }
  const ofOwner = (limits: object) => token(sessions.owner, 'full', limits);
  const organizationId = own.organization.id;
  const inProject = { organizationId, projectId: own.project.id };
  const environmentId = (env: string) => own.project.environments.find(one => one.slug === env)?.id;
  Object.assign(callers, {
    'owner: token for the organization': await ofOwner({ organizationId }),
    'owner: token for the project': await ofOwner(inProject),
    'owner: token for dev': await ofOwner({ ...inProject, environmentId: environmentId('dev') }),
    'owner: token for staging': await ofOwner({ ...inProject, environmentId: environmentId('staging') }),
    'owner: token for another project': await ofOwner({ organizationId, projectId: own.otherProject.id }),
    'stranger: full token': await token(strangers, 'full'),
    'platform admin: full token': await token(admins, 'full'),
    'platform admin: read token': await token(admins, 'read'),
    'platform admin: limited token': await token(admins, 'full', { organizationId: home.id }),
  });
  await removeMember(api, own.organization, breakGlass, idOf('removed member'));
  // That has ended the sessions through the provider, and the tokens made with them.
  const credentials = { email: 'removed@own.example', password: testPassword };
  const removed = sessionOf(await expectStatus(api.post('/auth/login', credentials), 200));
  callers['removed member: session'] = { ...removed, 'x-requested-with': 'service' };
  callers['removed member: full token'] = await token(removed, 'full');
  // Just used, so that the next use writes nothing.
  for (const headers of Object.values(callers)) await api.call('GET', '/auth/me', { headers: { ...headers } });
  return { ...world, callers, restore: await rememberTable() };
}

interface Setting {
  api: Api;
  names: NameServer;
  provider: OpenIdProvider;
  organization: OrganizationRecord;
  domain: string;
}

async function configure(
  { api, names, provider, organization, domain }: Setting,
  session: Session,
  changes: object = {},
): Promise<void> {
  const owner = { ...(await seedPerson()), organization, session };
  const body = { ...settingsOf(provider, domain), defaultRole: null, ...changes };
  await expectStatus(api.put(settingsPath(owner), body, session), 200);
  await expectStatus(verifyDomain(api, owner, names, domain), 200);
}

const userIdOf = ({ cookie = '' }: Headers) => readCredential(cookie.split('=')[1] as string)?.userId as string;
const ownSessionOf = ({ cookie = '' }: Headers): Session => ({ cookie });

/** The world's people can log in with `testPassword`, but have no pointer from their address. */
async function verifyAddress(userId: string, email: string): Promise<void> {
  await transact([
    put(at(emailRecord, email), { userId }),
    update(at(userRecord, userId), { set: { email, emailVerified: true } }),
  ]);
}

async function addRemovedMember(organization: OrganizationRecord, userId: string): Promise<void> {
  const user = await find(at(userRecord, userId));
  if (user === undefined) throw new Error('The removed member has no account.');
  await seedMember(organization, user, 'viewer');
}

async function removeMember(api: Api, organization: OrganizationRecord, session: Session, id: string): Promise<void> {
  const memberId = await memberIdOf(api, { organization, session }, { user: { id } });
  await expectStatus(api.delete(`/members/${organization.id}/${memberId}`, session), 200);
}

/** An owner with an authenticator app, without whom the provider can't be required. */
async function addBreakGlassOwner(api: Api, organization: OrganizationRecord): Promise<Session> {
  const person = await seedPerson({ emailVerified: true });
  const app = await addApp(api, person);
  await settleFactors(person.user.id);
  const user = await find(at(userRecord, person.user.id));
  if (user === undefined) throw new Error('The owner has no account.');
  await seedMember(organization, user, 'owner');
  return logInWithApp(api, person, app);
}

/** Linked by one log-in, and confirmed with the password, because the provider alone opens only its organization. */
async function linkedSession(api: Api, provider: OpenIdProvider, orgSlug: string, email: string): Promise<Session> {
  provider.accounts[email] = { sub: `sub of ${email}`, email, email_verified: true };
  const browser = openBrowser();
  const { error } = await signIn(api, browser, orgSlug, { account: email });
  if (error !== 'link_required') throw new Error(`${email} should have had to log in first, but got ${error}.`);
  await expectStatus(logInIn(api, browser, email), 200);
  const { session, error: problem } = await signIn(api, openBrowser(), orgSlug, { account: email });
  if (session === undefined) throw new Error(`${email} could not sign in: ${problem}.`);
  return sessionOf(await expectStatus(api.post('/auth/step-up', { password: testPassword }, session), 200));
}
