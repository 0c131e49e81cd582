import type { MemberContext } from '../access/request-context.ts';
import type { Project, Rotation } from '../contracts/projects/projects.ts';
import { ApiError, organizationNotFound, projectNotFound } from '../core/errors.ts';
import type { LastingJob } from '../core/job.ts';
import { queueJob } from '../core/queue.ts';
import { createDataKey } from '../crypto/data-keys.ts';
import { renewAccess } from '../organizations/change-counts.ts';
import { fenced, notRisen, stateAt } from '../secrets/engine/fencing.ts';
import { stateIn } from '../secrets/engine/read-snapshot.ts';
import { attribute, equals, isActive } from '../table/expressions.ts';
import { type EnvironmentPath, ranges } from '../table/keys.ts';
import { at, queryPage, readAll } from '../table/read.ts';
import { type EnvironmentRecord, type EnvironmentState, environmentStateRecord } from '../table/records/environment.ts';
import { isCounted } from '../table/records/kept.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { noteWork } from '../table/records/unfinished-work.ts';
import { ConditionFailed, transact, update } from '../table/write.ts';
import { firstCursor } from './re-encrypt-project.ts';
import { type FoundProject, findProject, viewProjects } from './read-projects.ts';

const maximumEnvironmentsAtOnce = 90;

/**
 * Gives the project a new data key for all later writes; a job re-encrypts the rest. If the project never stored
 * anything, the rotation completes at once. @throws project_not_found, rotation_in_progress
 */
export async function rotateKey(
  context: MemberContext,
  slug: string,
  begun: FoundProject | undefined,
): Promise<{ project: Project; rotation: Rotation }> {
  const { access, organization } = context;
  const reads = begun?.orgSlug === organization.slug ? begun : await findProject(organization.slug, slug);
  const project = access.requireProject(reads.project);
  const { rotation: last } = project;
  if (last?.status === 'in_progress' && last.failed === undefined) throw rotationInProgress();
  const environments = reads.environments.filter(isCounted);
  const toVersion = project.keyVersion + 1;
  const ids = { organizationId: organization.id, projectId: project.id };
  const job = { type: 're-encrypt-project', orgSlug: organization.slug, project: slug, ...ids, toVersion } as const;
  const [contents, [view], wrapped] = await Promise.all([
    readContents(organization.slug, environments),
    viewProjects(context, [project], environments),
    createDataKey({ ...ids, keyVersion: toVersion }),
    queueJob({ ...job, cursor: firstCursor() }, 1),
  ]);
  if (view === undefined) throw new Error('A project that exists has no view.');

  const total = contents.reduce((sum, { state }) => sum + (state?.valueCount ?? 0), 0);
  const plan = { project, toVersion, wrapped, total, job };
  const isUnused = contents.every(({ isEmpty }) => isEmpty);
  const completed = isUnused ? await completeAtOnce(context, plan, contents) : undefined;
  const rotation = completed ?? (await begin(context, plan));
  return { project: { ...view, keyVersion: toVersion, rotation }, rotation };
}

function rotationInProgress(): ApiError {
  return new ApiError('rotation_in_progress', 'The previous rotation of this key is still in progress.');
}

interface Content {
  path: EnvironmentPath;
  state: EnvironmentState | undefined;
  /** Whether its partition holds only the state, without even an uncommitted version. */
  isEmpty: boolean;
}

/**
 * One call reads a hundred states, which is enough if there are more environments than fit in the transaction.
 * Otherwise, each environment is queried, which also finds items that were never committed.
 */
async function readContents(orgSlug: string, environments: readonly EnvironmentRecord[]): Promise<Content[]> {
  if (environments.length <= maximumEnvironmentsAtOnce) {
    return Promise.all(environments.map(environment => readContent(orgSlug, environment)));
  }
  const paths = environments.map(({ project, slug }) => ({ orgSlug, project, env: slug }));
  const states = await readAll(paths.map(path => at(environmentStateRecord, path)));
  return paths.map((path, index) => ({ path, state: states[index], isEmpty: false }));
}

async function readContent(orgSlug: string, { project, slug }: EnvironmentRecord): Promise<Content> {
  const path = { orgSlug, project, env: slug };
  const { items, next } = await queryPage({ ...ranges.environmentContent(path), pageSize: 2 });
  const state = stateIn({ items });
  return { path, state, isEmpty: items.length <= 1 && next === undefined && state?.pending === undefined };
}

interface Plan {
  project: ProjectRecord;
  toVersion: number;
  wrapped: Uint8Array;
  total: number;
  job: LastingJob;
}

function rotationOf({ project, toVersion, total }: Plan, status: Rotation['status']): Rotation {
  return { status, fromVersion: project.keyVersion, toVersion, reencrypted: 0, total };
}

async function begin(context: MemberContext, plan: Plan): Promise<Rotation> {
  const { project, toVersion, wrapped, job } = plan;
  const rotation = rotationOf(plan, 'in_progress');
  const item = at(projectRecord, context.organization.slug, project.slug);
  const set = { keyVersion: toVersion, ...attribute(`wrappedKeys.${toVersion}`, wrapped), rotation };
  const refused = (current: Partial<ProjectRecord> | undefined) =>
    current?.status === 'active' && current.id === project.id ? rotationInProgress() : projectNotFound();
  await transact([
    update(item, { set }, { if: stillAt(project), refused }),
    renewAccess(context.organization, () => organizationNotFound()),
    noteWork(job),
    await auditOf(context, project),
  ]);
  return rotation;
}

/**
 * Replaces the key of a project without values, and fences its environments in the same transaction.
 * @returns undefined if a concurrent request wrote something or added an environment
 */
async function completeAtOnce(context: MemberContext, plan: Plan, contents: readonly Content[]) {
  const { project, toVersion, wrapped } = plan;
  const rotation = rotationOf({ ...plan, total: 0 }, 'completed');
  const item = at(projectRecord, context.organization.slug, project.slug);
  const set = { keyVersion: toVersion, wrappedKeys: { [toVersion]: wrapped }, rotation };
  const isSame = { ...stillAt(project), environmentCount: equals(contents.length) };
  try {
    await transact([
      update(item, { set }, { if: isSame }),
      renewAccess(context.organization, () => organizationNotFound()),
      await auditOf(context, project),
      ...contents.map(({ path, state }) => {
        if (state === undefined) throw new ConditionFailed([]);
        const set = { fence: state.fence + 1, keyVersion: toVersion };
        // Requires the status; otherwise an environment that is being erased would count in place of one added since.
        const isUsable = { ...notRisen(fenced(path, state)), projectId: equals(project.id), status: equals('active') };
        return update(stateAt(path), { set }, { if: isUsable });
      }),
    ]);
    return rotation;
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  }
}

/** Each rotation raises the key version, so if it is unchanged, no rotation has started since. */
function stillAt({ id, keyVersion }: ProjectRecord) {
  return { ...isActive(id), keyVersion: equals(keyVersion) };
}

function auditOf(context: MemberContext, { id, slug }: ProjectRecord) {
  return context.audit({ action: 'project.key_rotated', target: { type: 'project', id, name: slug } });
}
