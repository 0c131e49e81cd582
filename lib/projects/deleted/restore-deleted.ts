import type { MemberContext } from '../../access/request-context.ts';
import { chunksOf } from '../../core/chunks-of.ts';
import { ApiError } from '../../core/errors.ts';
import type { LastingJob } from '../../core/job.ts';
import { queueJob } from '../../core/queue.ts';
import { changeCounts } from '../../organizations/change-counts.ts';
import { deletedNotFound, detailsOf } from '../../organizations/keep-deleted.ts';
import { reopenEnvironment } from '../../secrets/engine/fencing.ts';
import { absent, equals, isActive } from '../../table/expressions.ts';
import { ranges } from '../../table/keys.ts';
import { at, list } from '../../table/read.ts';
import { environmentRecord } from '../../table/records/environment.ts';
import { isStillKept } from '../../table/records/kept.ts';
import type { OrganizationRecord } from '../../table/records/organization.ts';
import { type ProjectRecord, projectRecord } from '../../table/records/project.ts';
import { endWork, noteWork } from '../../table/records/unfinished-work.ts';
import { check, put, transact, transactIfHolds, update, type Write } from '../../table/write.ts';
import { environmentsAtOnce } from '../delete-project.ts';
import { getDeleted, type KeptEnvironment, type KeptProject, type Listed } from './find-deleted.ts';

type Place = Pick<OrganizationRecord, 'id' | 'slug'>;

/**
 * Undoes a deletion: everything is as it was.
 * @throws deleted_not_found, also if it was erased first; project_not_found for an environment of a deleted project
 */
export async function restoreDeleted(context: MemberContext, id: string, begun: Listed | undefined): Promise<void> {
  const found = await getDeleted(context, id, begun);
  if (found.project === undefined) await restoreEnvironment(context, found.environment);
  else await restoreProject(context, found.project);
}

async function restoreEnvironment(context: MemberContext, environment: KeptEnvironment): Promise<void> {
  const { slug: orgSlug } = context.organization;
  const { id, slug, project, projectId, type } = environment;
  const { kept, ...before } = environment;
  const audit = await context.audit({
    action: 'environment.restored',
    target: { type: 'environment', id, name: slug },
    project: { id: projectId, slug: project },
    environment: { id, slug },
    details: { type, ...detailsOf(kept) },
  });
  await transact([
    // The whole item, so that it gets the format back that earlier releases read.
    put(
      at(environmentRecord, orgSlug, project, slug),
      { ...before, status: 'active' },
      {
        if: isStillKept(environment),
        refused: deletedNotFound,
      },
    ),
    check(at(projectRecord, orgSlug, project), { if: isActive(projectId), refused: projectIsDeleted }),
    reopenEnvironment({ orgSlug, project, env: slug }, id),
    endWork(id),
    audit,
  ]);
}

function projectIsDeleted(): ApiError {
  return new ApiError('project_not_found', 'The environment’s project was deleted too: restore the project first.');
}

async function restoreProject(context: MemberContext, project: KeptProject): Promise<void> {
  const { organization } = context;
  const openings = await listOpenings(organization.slug, project);
  const { id, slug, kept } = project;
  if (project.restoring === true) return finishRestore(organization, project, openings);
  const target = { type: 'project', id, name: slug } as const;
  const audit = await context.audit({ action: 'project.restored', target, details: detailsOf(kept) });
  const isOwn = { if: { ...isStillKept(project), restoring: absent }, refused: deletedNotFound };
  if (openings.length > environmentsAtOnce) {
    const begun = update(at(projectRecord, organization.slug, slug), { set: { restoring: true } }, isOwn);
    // From here on, the job that would have erased the project finishes its restore if this process does not.
    await transact([
      begun,
      changeCounts(organization, { projectCount: 0 }),
      noteWork(erasureOf(organization, project)),
      audit,
    ]);
    return finishRestore(organization, project, openings);
  }
  await transact([...reactivation(organization, project, isOwn), audit, ...openings.map(({ write }) => write)]);
  await continueRotation(organization, project);
}

function erasureOf({ id, slug }: Place, project: ProjectRecord): LastingJob {
  return { type: 'erase-project', orgSlug: slug, organizationId: id, project: project.slug, projectId: project.id };
}

/** Its environments that were not deleted before it. */
async function listOpenings(orgSlug: string, { id, slug: project }: ProjectRecord) {
  const environments = await list(environmentRecord, ranges.projectEnvironments(orgSlug, project));
  return environments
    .filter(({ projectId, status }) => projectId === id && status === 'active')
    .map(environment => ({ write: reopenEnvironment({ orgSlug, project, env: environment.slug }, environment.id) }));
}

/**
 * Ends a restore of many environments, which is decided: opens each, and then the project. Can be repeated, also while
 * another process does the same.
 */
export async function finishRestore(
  organization: Place,
  project: KeptProject,
  openings?: Awaited<ReturnType<typeof listOpenings>>,
): Promise<void> {
  const item = at(projectRecord, organization.slug, project.slug);
  const isRestoring = { ...isStillKept(project), restoring: equals(true) } as const;
  const all = openings ?? (await listOpenings(organization.slug, project));
  for (const chunk of chunksOf(environmentsAtOnce, all)) {
    await transactIfHolds([check(item, { if: isRestoring }), ...chunk.map(({ write }) => write)]);
  }
  const isDone = await transactIfHolds(reactivation(organization, project, { if: isRestoring }));
  if (isDone) await continueRotation(organization, project);
}

function reactivation(
  organization: Place,
  project: KeptProject,
  options: NonNullable<Parameters<typeof update<ProjectRecord>>[2]>,
): Write[] {
  const { id, slug } = project;
  const rotation = rotationOf(organization, project);
  const set = { status: 'active', kept: undefined, restoring: undefined } as const;
  return [
    update(at(projectRecord, organization.slug, slug), { set }, options),
    changeCounts(organization, { projectCount: 0 }),
    rotation === undefined ? endWork(id) : noteWork(rotation),
  ];
}

/** The deletion stopped the job of a key rotation in progress, and its mark replaced the rotation's. */
async function continueRotation(organization: Place, project: KeptProject): Promise<void> {
  const job = rotationOf(organization, project);
  if (job !== undefined) await queueJob(job);
}

function rotationOf({ id, slug }: Place, { rotation, ...project }: KeptProject): LastingJob | undefined {
  if (rotation?.status !== 'in_progress' || rotation.failed !== undefined) return undefined;
  const ids = { organizationId: id, projectId: project.id };
  return { type: 're-encrypt-project', orgSlug: slug, project: project.slug, ...ids, toVersion: rotation.toVersion };
}
