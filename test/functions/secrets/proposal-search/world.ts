import { expect } from 'vitest';
import { ranges } from '#lib/table/keys.ts';
import { queryItems } from '#lib/table/read.ts';
import type { Answer, Api } from '#test/support/api.ts';
import { expireLease, openWorkplace, type Workplace } from '#test/support/environments.ts';
import { type Person, seedOwner, seedPerson } from '#test/support/people.ts';
import { join } from '#test/support/sample-requests.ts';

/* The environment that a sequence changes, the people who do it, and how it looks from outside. */

export const env = 'production';
const roles = ['developer', 'admin', 'developer', 'admin'] as const;

export interface Group {
  owner: Person;
  people: readonly Person[];
}

/** People who several sequences share, one after the other. Their sessions are fresh for some minutes. */
export async function openGroup(api: Api): Promise<Group> {
  const owner = await seedOwner();
  const people: Person[] = [];
  for (const role of roles) {
    const person = await seedPerson({ name: role });
    await join(api, owner, person, role);
    people.push(person);
  }
  return { owner, people };
}

/** What is shown to approvers of one digest, and after which revision it was proposed. */
interface Shown {
  values: Record<string, { before?: string; after?: string }>;
  revision: number;
}

export interface Known {
  id: string;
  author: string;
  purpose: string | null;
  shown: Map<string, Shown>;
  digest: string;
  approvedBy: Set<string>;
  state: string;
}

export interface Member {
  id: string;
  userId: string;
  role: string;
  projectRoles: { projectId: string; role: string }[];
}

export interface World {
  api: Api;
  place: Workplace;
  people: readonly Person[];
  known: Known[];
  /** The steps of the rotations that were queued and are not done. */
  jobs: string[];
  before: Look;
  /** Those who may write to production now. */
  writers: ReadonlySet<string>;
}

export async function openWorld(api: Api, { owner, people }: Group, approvals: number): Promise<World> {
  const place = await openWorkplace(api, owner);
  for (const [index, person] of people.entries()) await restoreRole(api, owner, person, roles[index] as string);
  await place.importAll(env, { A: '1', B: '1', C: '1' });
  await place.importAll('dev', { A: '2', D: '2' });
  const environment = `${place.projectPath}/environments/${env}`;
  expect((await api.patch(environment, { approvals }, owner.session)).status).toBe(200);
  const before = await look(api, place);
  const world = { api, place, people, known: [], jobs: [], before, writers: new Set<string>() };
  return { ...world, writers: await writersNow(world) };
}

const membersPath = ({ organization }: Person) => `/members/${organization.id}`;

export async function membersOf(api: Api, owner: Person): Promise<Member[]> {
  const { status, body } = await api.get(membersPath(owner), owner.session);
  expect(status).toBe(200);
  return body.members;
}

async function restoreRole(api: Api, owner: Person, person: Person, role: string): Promise<void> {
  const member = (await membersOf(api, owner)).find(({ userId }) => userId === person.user.id);
  if (member === undefined) await join(api, owner, person, role);
  else if (member.role !== role) {
    const changed = await api.patch(`${membersPath(owner)}/${member.id}`, { role }, owner.session);
    expect(changed.status).toBe(200);
  }
}

/** Makes the person a viewer, in the organization or only in the project, or what they were before. */
export async function demote({ api, place, people }: World, number: number, isInProject: boolean): Promise<void> {
  const { owner, project } = place;
  const person = people[number] as Person;
  const member = (await membersOf(api, owner)).find(({ userId }) => userId === person.user.id);
  if (member === undefined) return;
  const path = `${membersPath(owner)}/${member.id}`;
  const isViewer = member.projectRoles.some(({ projectId }) => projectId === project.id);
  if (isInProject || isViewer) {
    const projectRoles = isViewer ? [] : [{ projectId: project.id, role: 'viewer' }];
    await api.put(`${path}/projects`, { limited: false, projectRoles }, owner.session);
  } else {
    const role = member.role === 'viewer' ? roles[number] : 'viewer';
    await api.patch(path, { role }, owner.session);
  }
}

/** Ends the person's membership, or gives them another one. Whoever joins again has not approved. */
export async function leave({ api, place, people, known }: World, number: number): Promise<void> {
  const { owner } = place;
  const person = people[number] as Person;
  for (const one of known) one.approvedBy.delete(person.user.id);
  const member = (await membersOf(api, owner)).find(({ userId }) => userId === person.user.id);
  if (member !== undefined) await api.delete(`${membersPath(owner)}/${member.id}`, owner.session);
  else await join(api, owner, person, roles[number] as string);
}

export async function writersNow({ api, place }: Pick<World, 'api' | 'place'>): Promise<ReadonlySet<string>> {
  const members = await membersOf(api, place.owner);
  const roleOf = ({ role, projectRoles }: Member) =>
    projectRoles.find(({ projectId }) => projectId === place.project.id)?.role ?? role;
  return new Set(members.filter(member => roleOf(member) !== 'viewer').map(({ userId }) => userId));
}

export const proposalPath = (place: Workplace, rest = '') => place.at(env, `/proposals${rest}`);

interface Revision {
  revision: number;
  action: string;
  createdBy: { id: string };
  created: string[];
  updated: string[];
  deleted: string[];
  proposal?: { id: string };
  approvedBy?: { id: string }[];
}

export interface ShownProposal {
  id: string;
  state: string;
  digest: string;
  purpose: string | null;
  needed: number;
  createdBy: { id: string };
  approvals: { id: string }[];
}

export interface Look {
  /** Everything that is stored, as text. */
  stored: string;
  values: Record<string, string>;
  /** Newest first. */
  revisions: Revision[];
  proposals: ShownProposal[];
  needed: number;
}

/** Base64 of binary attributes is enough to tell whether anything has changed. */
async function storedIn(place: Workplace): Promise<string> {
  const asText = (_: string, content: unknown) =>
    content instanceof Uint8Array ? Buffer.from(content).toString('base64') : content;
  return JSON.stringify(await queryItems(ranges.environmentItems(place.pathOf(env))), asText);
}

function bodyOf({ status, body }: Answer) {
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** @param last how it looked, which is still true if neither the environment's items nor the people have changed */
export async function look(api: Api, place: Workplace, last?: Look): Promise<Look> {
  const found = await storedIn(place);
  if (last?.stored === found) return last;
  if (found.includes('"pending"')) await expireLease(place, env);
  const { session } = place.owner;
  const [pulled, changed, listed, read] = (
    await Promise.all([
      place.pull(env),
      api.get(place.at(env, '/revisions?limit=100'), session),
      api.get(proposalPath(place, '?limit=100'), session),
      api.get(place.projectPath, session),
    ])
  ).map(bodyOf);
  const secrets: { key: string; value: string }[] = pulled.secrets;
  const { approvals } = read.project.environments.find(({ slug }: { slug: string }) => slug === env);
  return {
    // Listing closes what has expired.
    stored: await storedIn(place),
    values: Object.fromEntries(secrets.map(({ key, value }) => [key, value])),
    revisions: changed.revisions,
    proposals: listed.proposals,
    needed: approvals,
  };
}
