import type { Job } from '../core/job.ts';
import type { Log } from '../core/logger.ts';
import { queueJob } from '../core/queue.ts';
import { equals, isThere } from '../table/expressions.ts';
import { keys, ranges } from '../table/keys.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { projectRecord } from '../table/records/project.ts';
import { retiredProjectRecord } from '../table/records/retired-slug.ts';
import { webhookRecord } from '../table/records/webhook.ts';
import { at, ConditionFailed, check, find, list, put, remove, transact, update, type Write } from '../table/store.ts';
import { AlreadyErased, eraseItems, eraseRange, isBeingErased, itemsPerStep, type StepBudget } from './erase-range.ts';

type EraseProject = Extract<Job, { type: 'erase-project' }>;

/** The job came before the change that it follows was visible; the queue hands it over again. */
export class NotYetCommitted extends Error {
  override readonly name = 'NotYetCommitted';
}

/**
 * One step of erasing a deleted project; queues the next one while anything is left. Safe to run twice, at once, or long
 * after another step has finished the work.
 * @throws NotYetCommitted while the project is still active: its deletion is committed after the job was queued
 */
export async function eraseProject(job: EraseProject, log: Log): Promise<void> {
  const item = at(projectRecord, job.orgSlug, job.project);
  const project = await find(item);
  if (project === undefined || project.id !== job.projectId) return;
  if (project.status === 'active') throw new NotYetCommitted(`The project ${job.projectId} is still active.`);
  await removeScopedWebhooks(job);
  try {
    const fence = check(item, isBeingErased(project.id));
    if (!(await eraseBelowProject(job.orgSlug, job.project, { items: itemsPerStep }, fence))) {
      await queueJob(job);
      return;
    }
    // The last step, all at once: from here on the slug is free, and known to have been used.
    await transact([
      remove(item, isBeingErased(project.id)),
      put(at(retiredProjectRecord, job.orgSlug, job.project), { retiredAt: new Date().toISOString() }),
    ]);
    log.info('erased a project', { organizationId: job.organizationId, projectId: job.projectId });
  } catch (error) {
    if (!(error instanceof AlreadyErased)) throw error;
  }
}

/** Webhooks limited to the project can never fire again. Each one that goes gives its place in the plan back. */
async function removeScopedWebhooks({ orgSlug, organizationId, projectId }: EraseProject): Promise<void> {
  for (const webhook of await list(webhookRecord, ranges.webhooks(orgSlug))) {
    if (webhook.project?.id !== projectId) continue;
    try {
      await transact([
        remove(at(webhookRecord, orgSlug, webhook.id), { if: isThere }),
        update(at(organizationRecord, orgSlug), { add: { webhookCount: -1 } }, { if: { id: equals(organizationId) } }),
      ]);
    } catch (error) {
      // Another request or step deleted it, and counted it.
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}

/**
 * Erases what hangs below a project, but not the project's own item, by which an interrupted step is found again.
 * @returns true when nothing is left
 */
export async function eraseBelowProject(
  orgSlug: string,
  project: string,
  budget: StepBudget,
  fence: Write,
): Promise<boolean> {
  for (const { slug } of await list(environmentRecord, ranges.projectEnvironments(orgSlug, project))) {
    // The state is the first item of its partition. With it goes every change that is still being written.
    if (!(await eraseRange(ranges.environmentItems(orgSlug, project, slug), budget, fence))) return false;
    await eraseItems([keys.environment(orgSlug, project, slug)], fence);
  }
  return eraseRange(ranges.templateKeys(orgSlug, project), budget, fence);
}
