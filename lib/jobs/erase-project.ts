import type { Job } from '../core/job.ts';
import type { Log } from '../core/logger.ts';
import { queueJob } from '../core/queue.ts';
import { asRead, equals } from '../table/expressions.ts';
import { keys, ranges } from '../table/keys.ts';
import { at, find, list, type Read } from '../table/read.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { projectRecord } from '../table/records/project.ts';
import { retiredEnvironmentRecord, retiredProjectRecord } from '../table/records/retired-slug.ts';
import { type WebhookRecord, webhookRecord } from '../table/records/webhook.ts';
import { check, put, remove, retryOnConditionFailed, transact, update, type Write } from '../table/write.ts';
import { removeLog } from '../webhooks/remove-log.ts';
import {
  AlreadyErased,
  eraseItems,
  eraseRange,
  isBeingErased,
  itemsPerStep,
  NotYetCommitted,
  type StepBudget,
} from './erase-range.ts';

type EraseProject = Extract<Job, { type: 'erase-project' }>;
type EraseEnvironment = Extract<Job, { type: 'erase-environment' }>;

export async function eraseProject(job: EraseProject, log: Log): Promise<void> {
  const { orgSlug, organizationId, project, projectId } = job;
  await eraseOwner(
    {
      job,
      item: at(projectRecord, orgSlug, project),
      id: projectId,
      isLimitedTo: webhook => webhook.project?.id === projectId,
      eraseBelow: fence => eraseBelowProject(orgSlug, project, { items: itemsPerStep }, fence),
      retired: at(retiredProjectRecord, orgSlug, project),
    },
    () => log.info('erased a project', { organizationId, projectId }),
  );
}

export async function eraseEnvironment(job: EraseEnvironment, log: Log): Promise<void> {
  const { orgSlug, organizationId, project, projectId, env, environmentId } = job;
  await eraseOwner(
    {
      job,
      item: at(environmentRecord, orgSlug, project, env),
      id: environmentId,
      isLimitedTo: webhook => webhook.environment?.id === environmentId,
      eraseBelow: fence => eraseRange(ranges.environmentItems(orgSlug, project, env), { items: itemsPerStep }, fence),
      retired: at(retiredEnvironmentRecord, orgSlug, project, env),
    },
    () => log.info('erased an environment', { organizationId, projectId, environmentId }),
  );
}

/** Something with a slug inside an organization, and how to erase it. */
interface Owner {
  job: EraseProject | EraseEnvironment;
  item: Read<{ id: string; status: 'active' | 'deleting' }>;
  id: string;
  isLimitedTo(webhook: WebhookRecord): boolean;
  /** Erases everything below the item. @returns true if nothing is left */
  eraseBelow(fence: Write): Promise<boolean>;
  /** The item that records that the slug was used. */
  retired: Read<{ retiredAt: string }>;
}

/**
 * One step of erasing a deleted project or environment; queues the next step while anything is left. Safe to run twice,
 * concurrently, or long after another step has finished the work.
 * @throws NotYetCommitted while it is still active: the job is queued before the deletion is committed
 */
async function eraseOwner({ job, item, id, isLimitedTo, eraseBelow, retired }: Owner, over: () => void): Promise<void> {
  const owner = await find(item);
  if (owner === undefined || owner.id !== id) return;
  if (owner.status === 'active') throw new NotYetCommitted(`${id} is still active.`);
  await removeLimitedWebhooks(job, isLimitedTo);
  try {
    if (!(await eraseBelow(check(item, isBeingErased(id))))) {
      await queueJob(job);
      return;
    }
    // The last step is one transaction: from here on the slug is free, and recorded as used before.
    await transact([remove(item, isBeingErased(id)), put(retired, { retiredAt: new Date().toISOString() })]);
    over();
  } catch (error) {
    if (!(error instanceof AlreadyErased)) throw error;
  }
}

/**
 * Webhooks limited to an erased project or environment can never fire again. Deleting one frees its slot in the plan.
 */
async function removeLimitedWebhooks(
  { orgSlug, organizationId }: Pick<EraseProject, 'orgSlug' | 'organizationId'>,
  isLimited: (webhook: WebhookRecord) => boolean,
): Promise<void> {
  // Another request or step may delete it first and count it, or lift its limit.
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
 * Erases everything below a project. The project's own item stays, so that an interrupted step can be repeated.
 * @returns true if nothing is left
 */
export async function eraseBelowProject(
  orgSlug: string,
  project: string,
  budget: StepBudget,
  fence: Write,
): Promise<boolean> {
  for (const { slug } of await list(environmentRecord, ranges.projectEnvironments(orgSlug, project))) {
    // The state is the first item of its partition. Removing it stops all changes that are still in flight.
    if (!(await eraseRange(ranges.environmentItems(orgSlug, project, slug), budget, fence))) return false;
    await eraseItems([keys.environment(orgSlug, project, slug)], fence);
  }
  // After the environments: erasing one records its slug here for as long as its description exists.
  return (
    (await eraseRange(ranges.retiredEnvironments(orgSlug, project), budget, fence)) &&
    (await eraseRange(ranges.templateKeys(orgSlug, project), budget, fence))
  );
}
