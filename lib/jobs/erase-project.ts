import type { Job } from '../core/job.ts';
import type { Log } from '../core/logger.ts';
import { queueJob } from '../core/queue.ts';
import { closeEnvironments } from '../projects/delete-project.ts';
import { type Erasure, environmentErasure, projectErasure } from '../projects/deleted/erase-deleted.ts';
import type { KeptProject } from '../projects/deleted/find-deleted.ts';
import { finishRestore } from '../projects/deleted/restore-deleted.ts';
import { absent, asRead, equals } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, type Read } from '../table/read.ts';
import { type EnvironmentRecord, environmentRecord } from '../table/records/environment.ts';
import { isCounted, isKept, isKeptUntilLater, isStillKept, type Kept, type KeptRecord } from '../table/records/kept.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { projectRecord } from '../table/records/project.ts';
import { retiredEnvironmentRecord, retiredProjectRecord } from '../table/records/retired-slug.ts';
import { endWork, planWork } from '../table/records/unfinished-work.ts';
import { type WebhookRecord, webhookRecord } from '../table/records/webhook.ts';
import {
  check,
  put,
  remove,
  retryOnConditionFailed,
  transact,
  transactIfHolds,
  update,
  type Write,
} from '../table/write.ts';
import { removeLog } from '../webhooks/webhooks.ts';
import {
  eraseRange,
  isBeingErased,
  itemsPerStep,
  NotYetCommitted,
  type StepBudget,
  unlessErased,
} from './erase-range.ts';

type EraseProject = Extract<Job, { type: 'erase-project' }>;
type EraseEnvironment = Extract<Job, { type: 'erase-environment' }>;

export async function eraseProject(job: EraseProject, log: Log): Promise<void> {
  const { orgSlug, organizationId, project, projectId } = job;
  const isErased = await eraseOwner({
    job,
    item: at(projectRecord, orgSlug, project),
    id: projectId,
    settleKept: (kept, organization) => settleProject(job, kept, organization),
    isLimitedTo: webhook => webhook.project?.id === projectId,
    eraseBelow: fence => eraseBelowProject(orgSlug, project, { items: itemsPerStep }, fence),
    noteOf: () => put(at(retiredProjectRecord, orgSlug, project), { retiredAt: new Date().toISOString() }),
  });
  if (isErased) log.info('erased a project', { organizationId, projectId });
}

export async function eraseEnvironment(job: EraseEnvironment, log: Log): Promise<void> {
  const { orgSlug, organizationId, project, projectId, env, environmentId } = job;
  const range = ranges.environmentItems({ orgSlug, project, env });
  const isErased = await eraseOwner({
    job,
    item: at(environmentRecord, orgSlug, project, env),
    id: environmentId,
    settleKept: async (kept, organization) => begin(environmentErasure(organization, kept)),
    isLimitedTo: webhook => webhook.environment?.id === environmentId,
    eraseBelow: fence => eraseRange(range, { items: itemsPerStep }, fence),
    noteOf: environment => environmentNote(orgSlug, environment),
  });
  if (isErased) log.info('erased an environment', { organizationId, projectId, environmentId });
}

interface Erasable {
  id: string;
  status: 'active' | 'deleting';
  kept?: Kept | undefined;
}

interface Owner<R extends Erasable> {
  job: EraseProject | EraseEnvironment;
  item: Read<R>;
  id: string;
  /**
   * For one that can still be restored. @returns whether its erasure has begun
   * @throws NotYetCommitted before its time
   */
  settleKept(kept: KeptRecord<R>, organization: OrganizationRecord): Promise<boolean>;
  isLimitedTo(webhook: WebhookRecord): boolean;
  eraseBelow(fence: Write): Promise<boolean>;
  /** Puts the item that records that the slug was used. */
  noteOf(erased: R): Write;
}

/** Records the slug and last type of an environment, including one that is erased with its project. */
function environmentNote(orgSlug: string, { project, slug, type }: EnvironmentRecord): Write {
  return put(at(retiredEnvironmentRecord, orgSlug, project, slug), { retiredAt: new Date().toISOString(), type });
}

/**
 * One step of erasing a deleted project or environment; queues the next while anything is left. Safe to run twice,
 * concurrently, or late.
 * @returns true if this step erased the last item
 * @throws NotYetCommitted while it is still active: the job is queued before the deletion is committed
 */
async function eraseOwner<R extends Erasable>({ job, item, id, ...erasure }: Owner<R>): Promise<boolean> {
  const erasable: Read<Erasable> = item;
  const owner = await find(item);
  if (owner?.id !== id) return false;
  if (owner.status === 'active') throw new NotYetCommitted(`${id} is still active.`);
  if (isKept(owner)) {
    const organization = await find(at(organizationRecord, job.orgSlug));
    // The erasure of the organization erases it as well.
    if (organization?.id !== job.organizationId || !isCounted(organization)) return false;
    if (!(await erasure.settleKept(owner, organization))) return false;
  }
  await removeLimitedWebhooks(job, erasure.isLimitedTo);
  const isDone = await unlessErased(async () => {
    if (!(await erasure.eraseBelow(check(erasable, isBeingErased(id))))) return false;
    // The last step is one transaction: after it, the slug is free and recorded as used.
    await transact([remove(erasable, isBeingErased(id)), endWork(id), erasure.noteOf(owner)]);
    return true;
  });
  if (isDone === false) await queueJob(job);
  return isDone === true;
}

/** Also closes what the deletion, or ends what the restore of many environments has not got to. */
async function settleProject(job: EraseProject, project: KeptProject, organization: OrganizationRecord) {
  if (project.restoring === true) {
    await finishRestore(organization, project);
    return false;
  }
  if (isKeptUntilLater(project)) {
    const { orgSlug } = job;
    await closeEnvironments(
      orgSlug,
      project,
      await list(environmentRecord, ranges.projectEnvironments(orgSlug, project.slug)),
    );
    const isSame = check(at(projectRecord, orgSlug, project.slug), {
      if: { ...isStillKept(project), restoring: absent },
    });
    await transactIfHolds([isSame, planWork(job, project.kept.erasedAt, { ifStarted: true })]);
  }
  return begin(projectErasure(organization, project));
}

/**
 * The entry of the deletion says when it is erased, so this writes none: the job may not add to the audit log.
 * @returns whether it was the first to end the keeping
 */
async function begin({ kept, facts, writes }: Erasure): Promise<boolean> {
  if (isKeptUntilLater({ kept })) throw new NotYetCommitted(`${facts.target.id} is kept until ${kept.erasedAt}.`);
  return transactIfHolds(writes);
}

/** Webhooks limited to what is erased can never fire again. Deleting one frees its slot in the plan. */
async function removeLimitedWebhooks(
  { orgSlug, organizationId }: Pick<EraseProject, 'orgSlug' | 'organizationId'>,
  isLimited: (webhook: WebhookRecord) => boolean,
): Promise<void> {
  // Another request or step may delete it first and count it, or remove its limit.
  await retryOnConditionFailed(async () => {
    const limited = (await list(webhookRecord, ranges.webhooks(orgSlug))).filter(isLimited);
    for (const webhook of limited) {
      await transact([
        ...(await removeLog(webhook.id)),
        remove(at(webhookRecord, orgSlug, webhook.id), { if: asRead(webhook, ['updatedAt']) }),
        update(at(organizationRecord, orgSlug), { add: { webhookCount: -1 } }, { if: { id: equals(organizationId) } }),
      ]);
    }
  });
}

/**
 * Erases everything below a project, and records the slug and type of each environment. The project's own item stays,
 * so an interrupted step can be repeated. @returns true if nothing is left
 */
export async function eraseBelowProject(orgSlug: string, project: string, budget: StepBudget, fence: Write) {
  for (const environment of await list(environmentRecord, ranges.projectEnvironments(orgSlug, project))) {
    // The state is the first item of its partition. Removing it stops every change that is still being written.
    const { slug } = environment;
    if (!(await eraseRange(ranges.environmentItems({ orgSlug, project, env: slug }), budget, fence))) return false;
    await transact([
      fence,
      remove(at(environmentRecord, orgSlug, project, slug)),
      endWork(environment.id),
      environmentNote(orgSlug, environment),
    ]);
  }
  return eraseRange(ranges.templateKeys(orgSlug, project), budget, fence);
}
