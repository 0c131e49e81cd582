import { at, find } from '#lib/table/read.ts';
import { memberRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Api, type Caller, createToken } from '../support/api.ts';
import { identityOf } from '../support/issuer.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { expectStatus, join } from '../support/sample-requests.ts';

/*
 * Two organizations with the same projects, `shop` and the smaller `till`, and the same members. Only one also has
 * `ledger`, in which members have roles, grants and requests, and all that a project can have.
 */

export interface Project {
  id: string;
  slug: string;
  environments: { id: string; slug: string }[];
}

interface Member extends Person {
  memberId: string;
}

const limited = {
  admin: { role: 'viewer', inShop: 'admin' },
  developer: { role: 'viewer', inShop: 'developer' },
  viewer: { role: 'developer', inShop: 'viewer' },
  guest: { role: 'developer', inShop: undefined },
} as const;
type LimitedName = keyof typeof limited;
export const limitedNames = Object.keys(limited) as LimitedName[];

export interface Twin {
  owner: Person;
  shop: Project;
  /** Limited to `shop`, or with nothing but a grant there. */
  limited: Record<LimitedName, Member>;
  /** Unlimited members: the bookkeeper works in `ledger` where there is one, the bystander in `shop`. */
  bookkeeper: Member;
  bystander: Member;
  callers: Readonly<Record<string, Caller>>;
  /** What requests name in each twin. */
  names: Readonly<Record<string, string>>;
  /** Ids that are in both under different values, by what they stand for. */
  ids: Record<string, string>;
}

/** What `ledger` has, by name: ids, slugs and keys that a limited member must never be told. */
export type Hidden = Readonly<Record<string, string>>;

export async function buildTwin(api: Api): Promise<Twin> {
  const owner = await seedPerson({ name: 'Owner', emailVerified: true });
  const { id: organizationId, slug } = owner.organization;
  const limitOverrides = { maxProjects: -1, maxMembers: -1, maxWebhooks: -1, maxEnvironmentsPerProject: -1 };
  await transact([update(at(organizationRecord, slug), { set: { limitOverrides } })]);
  const add = async (name: string, role: string): Promise<Member> => {
    const person = await seedPerson({ name, emailVerified: true });
    return { ...person, memberId: (await join(api, owner, person, role)).id };
  };
  const shop = await makeProject(api, owner, 'shop', 'KEY');
  const bookkeeper = await add('bookkeeper', 'developer');
  const bystander = await add('bystander', 'developer');
  const limitTo = ({ memberId }: Member, projectRoles: object[]) => {
    const path = `/members/${organizationId}/${memberId}/projects`;
    return expectStatus(api.put(path, { limited: true, projectRoles }, owner.session), 200);
  };
  const people = {} as Record<LimitedName, Member>;
  for (const [name, { role, inShop }] of Object.entries(limited)) {
    const member = await add(name, role);
    people[name as LimitedName] = member;
    const projectRoles = inShop === undefined ? [] : [{ projectId: shop.id, role: inShop }];
    await limitTo(member, projectRoles);
  }
  const around = await furnish(api, owner, { project: shop, member: bystander });
  await giveGrant(api, owner, people.guest, shop);
  const till = await makeProject(api, owner, 'till', 'KEY');
  const cashier = await add('cashier', 'viewer');
  await limitTo(cashier, [{ projectId: till.id, role: 'admin' }]);
  const callers: Record<string, Caller> = { owner: owner.session, cashier: cashier.session };
  for (const name of limitedNames) {
    callers[name] = people[name].session;
    callers[`${name}: token`] = await createToken(api, people[name], { organizationId });
  }
  const everybody = { owner, bookkeeper, bystander, cashier, ...people };
  const ids: Record<string, string> = {
    [organizationId]: 'organization',
    [slug]: 'organization',
    [shop.id]: 'shop',
    [till.id]: 'till',
  };
  for (const { id, slug: env } of shop.environments) ids[id] = env;
  for (const [name, id] of Object.entries(around)) ids[id] = name;
  for (const [name, { user, email, organization }] of Object.entries(everybody)) {
    Object.assign(ids, {
      [user.id]: name,
      [email]: name,
      [organization.id]: `${name}’s`,
      [organization.slug]: `${name}’s`,
    });
    const member = await find(at(memberRecord, slug, user.id));
    if (member !== undefined) ids[member.id] = `member ${name}`;
  }
  const names = {
    ...around,
    orgId: organizationId,
    orgSlug: slug,
    shopId: shop.id,
    production: idOf(shop, 'production'),
    bookkeeper: bookkeeper.memberId,
    bystander: bystander.memberId,
  };
  return { owner, shop, limited: people, bookkeeper, bystander, callers, names, ids };
}

/** Adds the other project to one of the twins. */
export async function addLedger(api: Api, { owner, bookkeeper }: Twin): Promise<Hidden> {
  const { id: organizationId } = owner.organization;
  const ledger = await makeProject(api, owner, 'ledger', 'LEDGER_KEY');
  const path = `/projects/${organizationId}/${ledger.slug}/environments`;
  const { environment } = (await expectStatus(api.post(path, { name: 'Closing' }, owner.session), 201)).body;
  const rights = { limited: false, projectRoles: [{ projectId: ledger.id, role: 'admin' }] };
  await expectStatus(api.put(`/members/${organizationId}/${bookkeeper.memberId}/projects`, rights, owner.session), 200);
  const around = await furnish(api, owner, { project: ledger, member: bookkeeper });
  const archive = await makeProject(api, owner, 'archive', 'ARCHIVED_KEY');
  await expectStatus(api.delete(`/projects/${organizationId}/archive?keepDays=7`, owner.session), 200);
  const environments = ledger.environments.map(({ id, slug }) => [`${slug} of ledger`, id]);
  return {
    project: ledger.slug,
    projectId: ledger.id,
    key: 'LEDGER_KEY',
    env: environment.slug,
    environmentId: environment.id,
    archiveId: archive.id,
    ...Object.fromEntries(environments),
    ...around,
  };
}

async function makeProject(api: Api, { organization, session }: Person, slug: string, key: string): Promise<Project> {
  const made = await expectStatus(api.post(`/projects/${organization.id}`, { name: slug, slug }, session), 201);
  for (const env of ['dev', 'staging', 'production']) {
    const value = { key, value: `${env} value` };
    await expectStatus(api.put(`/secrets/${organization.slug}/${slug}/${env}`, value, session), 201);
  }
  await expectStatus(api.post(`/templates/${organization.slug}/${slug}`, { key }, session), 201);
  return made.body.project;
}

interface Furnished {
  project: Project;
  /** Asks for access and gets some. */
  member: Member;
}

async function furnish(api: Api, owner: Person, { project, member }: Furnished) {
  const { id, slug } = owner.organization;
  const post = async (path: string, body: unknown, as: Caller = owner.session) =>
    (await expectStatus(api.post(path, body, as), 201)).body;
  const { identity } = await post(
    `/identities/${id}`,
    identityOf({ url: 'https://issuer.example.com' }, { projectId: project.id }),
  );
  const hook = { url: 'https://hooks.example.com/x', events: ['secret.created'], projectId: project.id };
  const { webhook } = await post(`/webhooks/${id}`, hook);
  const proposed = { set: [{ key: 'PROPOSED', value: 'x' }] };
  const { proposal } = await post(`/secrets/${slug}/${project.slug}/dev/proposals`, proposed);
  const grant = await giveGrant(api, owner, member, project);
  const asked = { environmentId: idOf(project, 'production'), access: 'write', minutes: 60, reason: 'An incident' };
  const { request } = await post(`/grants/${id}/requests`, asked, member.session);
  return {
    identityId: identity.id,
    webhookId: webhook.id,
    proposalId: proposal.id,
    grantId: grant.id,
    requestId: request.id,
  };
}

async function giveGrant(api: Api, { organization, session }: Person, { memberId }: Member, project: Project) {
  const body = { environmentId: idOf(project, 'production'), access: 'read', minutes: 600, reason: 'An incident' };
  const path = `/members/${organization.id}/${memberId}/grants`;
  return (await expectStatus(api.post(path, body, session), 201)).body.grant;
}

const idOf = ({ environments }: Project, env: string) => environments.find(({ slug }) => slug === env)?.id as string;
