import { randomUUID } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { newSession } from '#lib/accounts/sessions.ts';
import { newToken, tokenWrite } from '#lib/accounts/tokens.ts';
import type { ProjectRole } from '#lib/contracts/fields/project-role.ts';
import { type Role, roles } from '#lib/contracts/fields/role.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { requiredSetting } from '#lib/core/settings.ts';
import { createCredential, readCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import { derivedUuid } from '#lib/crypto/derived-uuid.ts';
import { newOrganization } from '#lib/organizations/new-organization.ts';
import { renewedRevision } from '#lib/table/access-revision.ts';
import { tableClient } from '#lib/table/client.ts';
import { at, find } from '#lib/table/read.ts';
import { sessionRecord, tokenRecord } from '#lib/table/records/credentials.ts';
import { identityRecord } from '#lib/table/records/identity.ts';
import {
  type MemberRecord,
  memberRecord,
  membershipRecord,
  type OrganizationRecord,
  organizationRecord,
} from '#lib/table/records/organization.ts';
import { type UserRecord, userRecord } from '#lib/table/records/user.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { type Api, nowSeconds } from '../support/api.ts';
import { identityOf } from '../support/issuer.ts';
import { testPasswordHash } from '../support/people.ts';
import { allItems } from '../support/table-dump.ts';

export type Headers = Readonly<Record<string, string>>;

const accesses = ['read', 'write', 'full'] as const;
type Access = (typeof accesses)[number];

interface Place {
  organization: OrganizationRecord;
  project: { id: string; slug: string; environments: { id: string; slug: string }[] };
  webhookId: string;
  identityId: string;
}

/** Members whose role in a project, `shop` or the other one, differs from the one in the organization. */
export const projectMembers = {
  'admin of the project': { role: 'viewer', inProject: 'admin' },
  'developer of the project': { role: 'viewer', inProject: 'developer' },
  'viewer of the project': { role: 'developer', inProject: 'viewer' },
  'admin, but viewer of the project': { role: 'admin', inProject: 'viewer' },
  'admin limited to the project': { role: 'viewer', inProject: 'admin', limited: true },
  'developer limited to the project': { role: 'viewer', inProject: 'developer', limited: true },
  'viewer limited to the project': { role: 'developer', inProject: 'viewer', limited: true },
  'admin limited to another project': { role: 'developer', inOther: 'admin', limited: true },
} as const satisfies Readonly<Record<string, ProjectMember>>;

export interface ProjectMember {
  role: Role;
  inProject?: ProjectRole;
  inOther?: ProjectRole;
  limited?: true;
}

export interface World {
  /** What the requests are about: project `shop` with `dev`, `staging`, `production` and `load-test`. */
  own: Place & {
    otherProject: { id: string; slug: string };
    bystanderId: string;
    secondOwnerId: string;
    /** Limited to the project. */
    projectIdentityId: string;
  };
  /** Another tenant's organization with the same content under different slugs and ids. */
  foreign: Place & { memberId: string; tokenId: string };
  /** Each caller by name, with the headers it sends on a changing request. */
  callers: Readonly<Record<string, Headers>>;
  restore(): Promise<void>;
}

export async function buildWorld(api: Api): Promise<World> {
  const people = Object.fromEntries(
    await Promise.all(
      [...roles, 'stranger', 'removed', 'bystander', 'secondOwner', 'platformAdmin'].map(async name => [
        name,
        await seedUser(name, name === 'platformAdmin'),
      ]),
    ),
  ) as Record<Role | 'stranger' | 'removed' | 'bystander' | 'secondOwner' | 'platformAdmin', Person>;

  const organization = await seedOrganization('own-org', people.owner.user);
  const memberIds: Record<string, string> = { owner: await memberIdOf(organization, people.owner.user) };
  for (const role of roles.slice(1)) memberIds[role] = await seedMember(organization, people[role].user, role);
  const bystanderId = await seedMember(organization, people.bystander.user, 'developer');
  const secondOwnerId = await seedMember(organization, people.secondOwner.user, 'owner');
  const foreignOrganization = await seedOrganization('foreign-org', people.stranger.user);
  // The owner belongs to the other organization as well, so that their tokens can be limited to it.
  const foreignMemberId = await seedMember(foreignOrganization, people.owner.user, 'owner');
  const inForeign = { organizationId: foreignOrganization.id, memberId: foreignMemberId };
  const home = await seedOrganization('admin-home', people.platformAdmin.user);
  // More members than the plan allows.
  const limitOverrides = { maxMembers: 100 };
  await transact([update(at(organizationRecord, organization.slug), { set: { limitOverrides } })]);
  const own = await furnish(api, organization, people.owner.session, 'shop');
  const otherProject = await makeProject(api, organization, people.owner.session, 'other');
  const foreign = await furnish(api, foreignOrganization, people.stranger.session, 'abroad');
  const inShop = identityOf({ url: 'https://issuer.example.com' }, { projectId: own.project.id });
  const ofProject = await send(api, 'POST', `/identities/${organization.id}`, inShop, people.owner.session);
  const unlimited: Scope = { organizationId: null, projectId: null, environmentId: null, memberId: null };
  const inOwn: Scope = { ...unlimited, organizationId: organization.id, memberId: memberIds.owner as string };
  const leftBehind = { ...inOwn, memberId: randomUUID() };
  const environmentId = (slug: string) => own.project.environments.find(one => one.slug === slug)?.id as string;
  const ofOwner = (scope: Partial<Scope>, access: Access = 'full') =>
    seedToken(people.owner.user, { ...inOwn, ...scope }, access);
  const callers: Record<string, Headers> = {
    anonymous: {},
    'junk token': bearer(`${tokenPrefix}junk`),
    'well-formed token of nobody': bearer(createCredential(randomUUID(), tokenPrefix).secret),
    'expired token': await seedToken(people.owner.user, unlimited, 'full', { expiresInDays: -1 }),
    'revoked token': bearer(createCredential(people.owner.user.id, tokenPrefix).secret),
    'broken Authorization beside a valid session': { ...people.owner.session, authorization: 'Bearer nonsense' },
    'expired session': await expiredSession(people.owner.user),
    'session of before the password changed': await seedSession({ ...people.owner.user, sessionEpoch: -1 }),
    'session without the CSRF header': { cookie: people.owner.session.cookie as string },
  };
  for (const [name, member] of Object.entries<ProjectMember>(projectMembers)) {
    const { user, session } = await seedUser(name.replaceAll(/\W+/g, '-'), false);
    const listed = [
      { ...own.project, projectRole: member.inProject },
      { ...otherProject, projectRole: member.inOther },
    ];
    const projectRoles = listed.flatMap(({ id: projectId, slug, projectRole: role }) =>
      role === undefined ? [] : [{ projectId, slug, role }],
    );
    await seedMember(organization, user, member.role, { limited: member.limited, projectRoles });
    callers[`${name}: session`] = session;
  }
  for (const role of roles) {
    callers[`${role}: session`] = people[role].session;
    for (const access of accesses) {
      callers[`${role}: ${access} token`] = await seedToken(people[role].user, unlimited, access);
    }
  }
  Object.assign(callers, {
    'owner: token for the organization': await ofOwner({}),
    'owner: token for the project': await ofOwner({ projectId: own.project.id }),
    'owner: token for dev': await ofOwner({ projectId: own.project.id, environmentId: environmentId('dev') }),
    'owner: token for staging': await ofOwner({ projectId: own.project.id, environmentId: environmentId('staging') }),
    'owner: token for another project': await ofOwner({ projectId: otherProject.id }),
    'owner: token for another organization': await ofOwner(inForeign),
    'stranger: session': people.stranger.session,
    'stranger: full token': await seedToken(people.stranger.user, unlimited, 'full'),
    'removed member: session': people.removed.session,
    'removed member: full token': await seedToken(people.removed.user, unlimited, 'full'),
    // Removing a member deletes such tokens. A token left behind is invalid too, because its membership has ended.
    'removed member: token for the organization': await seedToken(people.removed.user, leftBehind, 'full'),
    'platform admin: session': people.platformAdmin.session,
    'platform admin: full token': await seedToken(people.platformAdmin.user, unlimited, 'full'),
    'platform admin: read token': await seedToken(people.platformAdmin.user, unlimited, 'read'),
    'platform admin: limited token': await seedToken(
      people.platformAdmin.user,
      { ...unlimited, organizationId: home.id, memberId: await memberIdOf(home, people.platformAdmin.user) },
      'full',
    ),
  });
  const developer = { access: 'write', role: 'developer' } as const;
  const viewer = { access: 'read', role: 'viewer' } as const;
  Object.assign(callers, {
    'identity: developer': await seedIdentity(api, organization, people.owner.session, developer),
    'identity: viewer': await seedIdentity(api, organization, people.owner.session, viewer),
    'identity of another organization': await seedIdentity(
      api,
      foreignOrganization,
      people.stranger.session,
      developer,
    ),
    'deleted identity': await seedToken({ id: derivedUuid('nobody'), email: 'nobody' }, inOwn, 'write'),
  });
  const settings = { name: 'x', access: 'full', secondFactor: false, expiresInDays: null } as const;
  const strangersToken = await newToken(people.stranger.user, { ...unlimited, ...settings });
  await transact([tokenWrite(strangersToken.cliToken)]);
  return {
    own: { ...own, otherProject, bystanderId, secondOwnerId, projectIdentityId: ofProject.identity.id },
    foreign: {
      ...foreign,
      memberId: await memberIdOf(foreignOrganization, people.stranger.user),
      tokenId: strangersToken.cliToken.id,
    },
    callers,
    restore: await rememberTable(),
  };
}

/** @returns what restores every item of the table to its present state */
export async function rememberTable(): Promise<() => Promise<void>> {
  const snapshot = keyed(await allItems());
  return () => restoreItems(snapshot);
}

interface Scope {
  organizationId: string | null;
  projectId: string | null;
  environmentId: string | null;
  memberId: string | null;
}

interface Person {
  user: UserRecord;
  session: Headers;
}

export async function seedUser(name: string, isAdmin: boolean): Promise<Person> {
  const user: UserRecord = {
    id: randomUUID(),
    email: `${name}@example.com`,
    name,
    emailVerified: false,
    isAdmin,
    passwordHash: testPasswordHash,
    sessionEpoch: 0,
    creations: 0,
    createdAt: new Date().toISOString(),
  };
  await transact([put(at(userRecord, user.id), user)]);
  return { user, session: await seedSession(user) };
}

async function seedSession(user: UserRecord): Promise<Headers> {
  const { cookie, write } = await newSession(user, source);
  await transact([write]);
  return { cookie: cookie.split(';')[0] as string, 'x-requested-with': 'service' };
}

async function expiredSession(user: UserRecord): Promise<Headers> {
  const headers = await seedSession(user);
  const hash = readCredential((headers.cookie as string).split('=')[1] as string)?.hash as string;
  await transact([update(at(sessionRecord, user.id, hash), { set: { expiresAt: nowSeconds() - 60 } })]);
  return headers;
}

function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

/** A token of a new identity, as returned by an exchange. */
async function seedIdentity(
  api: Api,
  { id: organizationId, slug }: OrganizationRecord,
  as: Headers,
  rights: { access: 'read' | 'write'; role: 'developer' | 'viewer' },
): Promise<Headers> {
  const body = identityOf({ url: 'https://issuer.example.com' }, rights);
  const { id } = (await send(api, 'POST', `/identities/${organizationId}`, body, as)).identity;
  const memberId = (await find(at(identityRecord, slug, id)))?.trustId ?? null;
  const scope = { organizationId, memberId, projectId: null, environmentId: null };
  return seedToken({ id, email: body.name }, scope, rights.access);
}

async function seedToken(
  user: Pick<UserRecord, 'id' | 'email'>,
  scope: Scope,
  access: Access,
  { expiresInDays = null }: { expiresInDays?: number | null } = {},
): Promise<Headers> {
  const settings = { name: access, access, secondFactor: false, expiresInDays };
  const { token, cliToken } = await newToken(user, { ...scope, ...settings });
  // Just used, so that the next use writes nothing.
  const used = { ...cliToken, lastUsedAt: cliToken.createdAt };
  await transact([put(at(tokenRecord, user.id, cliToken.hash), used)]);
  return bearer(token);
}

const source = { requestId: 'seed', ip: '127.0.0.1', userAgent: 'test' };

async function seedOrganization(slug: string, founder: UserRecord): Promise<OrganizationRecord> {
  const actor = { id: founder.id, email: founder.email, type: 'session' } as const;
  const { organization, writes } = await newOrganization({ name: slug, slug }, founder, actor, source);
  await transact(writes);
  return organization;
}

async function memberIdOf({ slug }: OrganizationRecord, { id }: UserRecord): Promise<string> {
  const items = await allItems();
  return items.find(({ pk, sk }) => pk === `ORG#${slug}` && sk === `MEMBER#${id}`)?.id as string;
}

export async function seedMember(
  { id, slug }: OrganizationRecord,
  user: UserRecord,
  role: Role,
  rights: Pick<MemberRecord, 'limited' | 'projectRoles' | 'grants'> = {},
): Promise<string> {
  const { id: userId, email, name } = user;
  const member = { id: randomUUID(), userId, email, name, role, ...rights, joinedAt: new Date().toISOString() };
  await transact([
    put(at(memberRecord, slug, user.id), member),
    put(at(membershipRecord, user.id, id), { organizationId: id, orgSlug: slug }),
    update(at(organizationRecord, slug), {
      add: { memberCount: 1, ownerCount: role === 'owner' ? 1 : 0 },
      set: renewedRevision(),
    }),
  ]);
  return member.id;
}

async function send(api: Api, method: string, path: string, body: unknown, headers: Headers) {
  const answer = await api.call(method, path, { body, headers });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function makeProject(api: Api, organization: OrganizationRecord, as: Headers, slug: string) {
  const { project } = await send(api, 'POST', `/projects/${organization.id}`, { name: slug, slug }, as);
  return project as Place['project'];
}

/** A project with a custom environment, a secret in each environment and a template, a webhook, and an identity. */
async function furnish(api: Api, organization: OrganizationRecord, as: Headers, slug: string): Promise<Place> {
  const project = await makeProject(api, organization, as, slug);
  await send(api, 'POST', `/projects/${organization.id}/${slug}/environments`, { name: 'Load test' }, as);
  for (const env of ['dev', 'staging', 'production', 'load-test']) {
    await send(api, 'PUT', `/secrets/${organization.slug}/${slug}/${env}`, { key: 'KEY', value: `${env} value` }, as);
  }
  await send(api, 'POST', `/templates/${organization.slug}/${slug}`, { key: 'KEY' }, as);
  const hook = { url: 'https://hooks.example.com/x', events: ['secret.created'] };
  const { webhook } = await send(api, 'POST', `/webhooks/${organization.id}`, hook, as);
  const wanted = identityOf({ url: 'https://issuer.example.com' });
  const { identity } = await send(api, 'POST', `/identities/${organization.id}`, wanted, as);
  return { organization, project, webhookId: webhook.id, identityId: identity.id };
}

type Items = Map<string, Record<string, unknown>>;

function keyed(items: Record<string, unknown>[]): Items {
  return new Map(items.map(item => [`${item.pk}\n${item.sk}`, item]));
}

const text = (item: unknown) =>
  JSON.stringify(item, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value));

async function restoreItems(snapshot: Items): Promise<void> {
  const current = keyed(await allItems());
  const added = [...current].filter(([key]) => !snapshot.has(key));
  const changed = [...snapshot].filter(([key, item]) => text(current.get(key)) !== text(item));
  const requests = [
    ...added.map(([, { pk, sk }]) => ({ DeleteRequest: { Key: { pk, sk } } })),
    ...changed.map(([, item]) => ({ PutRequest: { Item: item } })),
  ];
  for (const chunk of chunksOf(25, requests)) {
    await tableClient().send(new BatchWriteCommand({ RequestItems: { [requiredSetting('TABLE_NAME')]: chunk } }));
  }
}
