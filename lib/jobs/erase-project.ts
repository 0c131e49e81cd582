import type { Job } from '../core/job.ts';
import type { Log } from '../core/logger.ts';
import { queueJob } from '../core/queue.ts';
import { asRead, equals } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, type Read } from '../table/read.ts';
import { type EnvironmentRecord, environmentRecord } from '../table/records/environment.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { projectRecord } from '../table/records/project.ts';
import { retiredEnvironmentRecord, retiredProjectRecord } from '../table/records/retired-slug.ts';
import { endWork } from '../table/records/unfinished-work.ts';
import { type WebhookRecord, webhookRecord } from '../table/records/webhook.ts';
import { check, put, remove, retryOnConditionFailed, transact, update, type Write } from '../table/write.ts';
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
    isLimitedTo: webhook => webhook.environment?.id === environmentId,
    eraseBelow: fence => eraseRange(range, { items: itemsPerStep }, fence),
    noteOf: environment => environmentNote(orgSlug, environment),
  });
  if (isErased) log.info('erased an environment', { organizationId, projectId, environmentId });
}

interface Erasable {
  id: string;
  status: 'active' | 'deleting';
}

interface Owner<R extends Erasable> {
  job: EraseProject | EraseEnvironment;
  item: Read<R>;
  id: string;
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
