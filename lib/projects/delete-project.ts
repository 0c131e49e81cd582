import type { MemberContext } from '../access/request-context.ts';
import { chunksOf } from '../core/chunks-of.ts';
import { queueJob } from '../core/queue.ts';
import { changeCounts } from '../organizations/change-counts.ts';
import { detailsOf, keepFor } from '../organizations/keep-deleted.ts';
import { closeEnvironment, closeRestOf } from '../secrets/engine/fencing.ts';
import { absent, equals } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list } from '../table/read.ts';
import { type EnvironmentRecord, environmentRecord } from '../table/records/environment.ts';
import { isCounted, isKept, isStillKept, type Kept, type KeptRecord } from '../table/records/kept.ts';
import { countPlatform } from '../table/records/platform.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { noteWork, planWork } from '../table/records/unfinished-work.ts';
import { check, retryWithFreshRead, transact, transactIfHolds, update, type Write } from '../table/write.ts';
import type { FoundProject } from './read-projects.ts';

/** Reads the project first: if its count is unchanged at the deletion, the list has every environment. */
async function readInOrder(orgSlug: string, slug: string): Promise<FoundProject> {
  const project = await find(at(projectRecord, orgSlug, slug));
  return { orgSlug, project, environments: await list(environmentRecord, ranges.projectEnvironments(orgSlug, slug)) };
}

/** Whether a project and environments that were read in parallel are consistent, by the project's count. */
function fitsTogether({ project, environments }: FoundProject): boolean {
  return project === undefined || project.environmentCount === environments.filter(isCounted).length;
}

const isActive = ({ status }: EnvironmentRecord) => status === 'active';

/** How many environments fit in the transaction that deletes or restores alongside its other five writes. */
export const environmentsAtOnce = 90;

/**
 * Makes a project inaccessible. Unless it is kept for some days, that also destroys its data keys, and a job erases the
 * rest. @throws project_not_found
 */
export async function deleteProject(
  context: MemberContext,
  { slug, keepDays }: { slug: string; keepDays: number },
  begun: FoundProject | undefined,
): Promise<void> {
  const { organization, access } = context;
  const readAgain = () => readInOrder(organization.slug, slug);
  const firstRead = begun?.orgSlug === organization.slug && fitsTogether(begun) ? begun : await readAgain();
  const later = await retryWithFreshRead(firstRead, readAgain, async reads => {
    const project = access.requireProject(reads.project);
    const closings = closingsOf(organization.slug, project, reads.environments);
    const [first = [], ...others] = chunksOf(environmentsAtOnce, closings);
    const target = { type: 'project', id: project.id, name: slug } as const;
    const kept = keepFor(context, keepDays);
    const audit = await context.audit({ action: 'project.deleted', target, ...(kept && { details: detailsOf(kept) }) });
    const ids = { organizationId: organization.id, projectId: project.id };
    const job = { type: 'erase-project', orgSlug: organization.slug, project: slug, ...ids } as const;
    // The job of one that is kept closes the environments that this process may not get to.
    const isPlanned = kept !== undefined && others.length === 0;
    if (!isPlanned) await queueJob(job, 1);
    const work = isPlanned ? planWork(job, kept.erasedAt) : noteWork(job);
    await transact([...deletion(context, project, kept), work, audit, ...first]);
    if (kept === undefined) return others;
    if (others.length > 0) {
      await closeEnvironments(organization.slug, { ...project, status: 'deleting', kept }, reads.environments);
    }
    return [];
  });
  // The deletion is committed, so nothing may depend on the project, and the job may have erased some environments.
  for (const chunk of later) await Promise.all(chunk.map(write => transactIfHolds([write])));
}

/**
 * The writes that close a project's environments. Those that can be restored are closed; a restore between the read and
 * the deletion doesn't change the project's count, so they are checked.
 */
function closingsOf(orgSlug: string, { id, slug: project }: ProjectRecord, environments: readonly EnvironmentRecord[]) {
  const own = environments.filter(({ projectId }) => projectId === id);
  const isSame = (environment: EnvironmentRecord) =>
    isKept(environment)
      ? [check(at(environmentRecord, orgSlug, project, environment.slug), { if: isStillKept(environment) })]
      : [];
  return [
    ...own.flatMap(isSame),
    ...own
      .filter(isActive)
      .map(environment => closeEnvironment({ orgSlug, project, env: environment.slug }, environment.id)),
  ];
}

/**
 * Closes the environments of a project that can be restored: those that its deletion has not got to, because they don't
 * fit in its transaction. Can be repeated.
 */
export async function closeEnvironments(
  orgSlug: string,
  project: KeptRecord<ProjectRecord>,
  environments: readonly EnvironmentRecord[],
): Promise<void> {
  const { id, slug } = project;
  // Once its restore has begun, that decides which of them are open.
  const isClosed = { ...isStillKept(project), restoring: absent };
  const fence = check(at(projectRecord, orgSlug, slug), { if: isClosed });
  const closings = environments
    .filter(environment => environment.projectId === id && isActive(environment))
    .map(environment => closeRestOf({ orgSlug, project: slug, env: environment.slug }, environment.id));
  for (const chunk of chunksOf(environmentsAtOnce, closings)) await transactIfHolds([fence, ...chunk]);
}

function deletion({ organization }: MemberContext, project: ProjectRecord, kept: Kept | undefined): Write[] {
  const { id, slug, environmentCount } = project;
  const item = at(projectRecord, organization.slug, slug);
  return [
    update(
      item,
      { set: { status: 'deleting', ...(kept === undefined ? { wrappedKeys: {} } : { kept }) } },
      // A conditional pull could still reach an environment that was added after the list was read.
      { if: { status: equals('active'), id: equals(id), environmentCount: equals(environmentCount) } },
    ),
    // A deleted organization has already taken its projects out of the platform's count.
    changeCounts(organization, { projectCount: kept === undefined ? -1 : 0 }),
    ...(kept === undefined ? [countPlatform({ projects: -1 })] : []),
  ];
}
