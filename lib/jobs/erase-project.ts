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

/** What has a slug inside an organization, and how it is erased. */
interface Owner {
  job: EraseProject | EraseEnvironment;
  item: Read<{ id: string; status: 'active' | 'deleting' }>;
  id: string;
  isLimitedTo(webhook: WebhookRecord): boolean;
  /** Erases what hangs below the item. @returns true when nothing is left */
  eraseBelow(fence: Write): Promise<boolean>;
  /** What stays behind to say that the slug was used. */
  retired: Read<{ retiredAt: string }>;
}

/**
 * One step of erasing what was deleted; queues the next one while anything is left. Safe to run twice, at once, or long
 * after another step has finished the work.
 * @throws NotYetCommitted while it is still active: its deletion is committed after the job was queued
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
    // The last step, all at once: from here on the slug is free, and known to have been used.
    await transact([remove(item, isBeingErased(id)), put(retired, { retiredAt: new Date().toISOString() })]);
    over();
  } catch (error) {
    if (!(error instanceof AlreadyErased)) throw error;
  }
}

/** Webhooks limited to what is erased can never fire again. Removing one frees its place in the plan. */
async function removeLimitedWebhooks(
  { orgSlug, organizationId }: Pick<EraseProject, 'orgSlug' | 'organizationId'>,
  isLimited: (webhook: WebhookRecord) => boolean,
): Promise<void> {
  // Another request or step may delete it first, and count it, or free it from its limit.
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
 * @returns true when nothing is left
 */
export async function eraseBelowProject(
  orgSlug: string,
  project: string,
  budget: StepBudget,
  fence: Write,
): Promise<boolean> {
  for (const { slug } of await list(environmentRecord, ranges.projectEnvironments(orgSlug, project))) {
    // The state is the first item of its partition. Removing it stops every change that is still being written.
    if (!(await eraseRange(ranges.environmentItems(orgSlug, project, slug), budget, fence))) return false;
    await eraseItems([keys.environment(orgSlug, project, slug)], fence);
  }
  // After the environments: the erasure of one of them leaves its slug here as long as its description is there.
  return (
    (await eraseRange(ranges.retiredEnvironments(orgSlug, project), budget, fence)) &&
    (await eraseRange(ranges.templateKeys(orgSlug, project), budget, fence))
  );
}
