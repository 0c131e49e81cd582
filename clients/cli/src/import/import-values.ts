import { maxKeysPerChange } from '@holdfast/contracts/fields/secret-rules.ts';
import type { Environment, NewValues, Plan } from '@holdfast/sdk';
import type { ShownPlan } from '../change.ts';
import { exitCodes, Failure } from '../failure.ts';
import type { Project } from '../place.ts';
import { countOf } from '../proposal.ts';
import type { Session } from '../session.ts';
import { type Destination, nameOf } from './destination.ts';

/** What an environment gets, and what that changes. */
export interface PlannedImport {
  destination: Destination;
  set: NewValues;
  /** What is made first. */
  missing: 'project' | 'environment' | undefined;
  plan: ShownPlan;
  /** Of an environment that exists. */
  current?: { environment: Environment; plan: Plan<{ revision: number }> };
}

export const titleOf = ({ destination, missing }: PlannedImport): string => {
  const from = destination.places.map(({ name }) => name).join(' and ');
  return `import ${from} into ${nameOf(destination)}${missing === undefined ? '' : ', which is new'}`;
};

/** @throws Failure if there are more keys than one revision takes */
export async function planImports(
  session: Session,
  contents: readonly { destination: Destination; set: NewValues }[],
  message: string,
): Promise<PlannedImport[]> {
  for (const { destination, set } of contents) {
    const count = Object.keys(set).length;
    if (count <= maxKeysPerChange) continue;
    const problem = `${nameOf(destination)} would get ${count} keys, and one revision takes ${maxKeysPerChange}`;
    throw new Failure(exitCodes.other, 'too_many_keys', `${problem}; nothing was imported.`);
  }
  const path = { orgId: await session.organizationId() };
  const { projects } = await session.request('GET', '/v1/projects/{orgId}', { path });
  const planned: PlannedImport[] = [];
  for (const content of contents) planned.push(await planImport(session, projects, { ...content, message }));
  return planned;
}

async function planImport(
  session: Session,
  projects: readonly Project[],
  { destination, set, message }: { destination: Destination; set: NewValues; message: string },
): Promise<PlannedImport> {
  const project = projects.find(({ slug }) => slug === destination.project);
  const current = project?.environments.find(({ slug }) => slug === destination.environment);
  if (current === undefined) {
    const none = { updated: [], unchanged: [], deleted: [], skipped: [] };
    // A new project has some environments from the start.
    const missing = project === undefined ? 'project' : 'environment';
    return { destination, set, missing, plan: { created: Object.keys(set).toSorted(), ...none } };
  }
  const environment = await environmentOf(session, destination);
  const plan = await environment.plan({ set, message });
  if (current.approvals > 0 && countOf(plan) > 0) throw approvalNeeded(destination);
  return { destination, set, missing: undefined, plan, current: { environment, plan } };
}

export const approvalNeeded = (destination: Destination): Failure =>
  new Failure(exitCodes.conflict, 'approval_required', `Changes of ${nameOf(destination)} need approval.`, {
    hint: 'Leave it out with --map, and propose its values: holdfast push FILE --propose',
  });

async function environmentOf(session: Session, { project, environment }: Destination): Promise<Environment> {
  return (await session.client()).environment((await session.place('organization')).organization, project, environment);
}

/** Creates what is missing. @returns the environment and the plan of its change */
export async function prepare(
  session: Session,
  { destination, set, missing, current }: PlannedImport,
  message: string,
): Promise<NonNullable<PlannedImport['current']>> {
  if (current !== undefined) return current;
  const orgId = await session.organizationId();
  const { project: slug, environment: env } = destination;
  const existing = missing === 'environment' ? undefined : await createProject(session, orgId, slug);
  if (existing === undefined || !existing.includes(env)) {
    const path = { orgId, slug };
    await session.request('POST', '/v1/projects/{orgId}/{slug}/environments', { path, body: { name: env, slug: env } });
    session.output.note(`Created the environment ${nameOf(destination)}.`);
  }
  const environment = await environmentOf(session, destination);
  return { environment, plan: await environment.plan({ set, message }) };
}

/** @returns its environments. Another destination may have made it. */
async function createProject(session: Session, orgId: string, slug: string): Promise<string[]> {
  const { projects } = await session.request('GET', '/v1/projects/{orgId}', { path: { orgId } });
  const existing = projects.find(project => project.slug === slug);
  if (existing !== undefined) return existing.environments.map(one => one.slug);
  const created = await session.request('POST', '/v1/projects/{orgId}', {
    path: { orgId },
    body: { name: slug, slug },
  });
  session.output.note(`Created the project ${slug}.`);
  return created.project.environments.map(one => one.slug);
}
