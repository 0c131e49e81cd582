import type { Job } from '../core/job.ts';
import type { Log } from '../core/logger.ts';
import { queueJob } from '../core/queue.ts';
import { eraseRange, itemsPerStep, type StepBudget } from '../table/erase-range.ts';
import { isThere } from '../table/expressions.ts';
import { keys, ranges } from '../table/keys.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { projectRecord } from '../table/records/project.ts';
import { webhookRecord } from '../table/records/webhook.ts';
import { at, ConditionFailed, find, list, remove, removeAll, transact, update } from '../table/store.ts';

type EraseProject = Extract<Job, { type: 'erase-project' }>;

/** The job came before the change that it follows was visible; the queue hands it over again. */
export class NotYetCommitted extends Error {
  override readonly name = 'NotYetCommitted';
}

/**
 * One step of erasing a deleted project; queues the next one while anything is left. Safe to run twice, also at once.
 * @throws NotYetCommitted while the project is still active: its deletion is committed after the job was queued
 */
export async function eraseProject(job: EraseProject, log: Log): Promise<void> {
  const project = await find(at(projectRecord, job.orgSlug, job.project));
  if (project === undefined || project.id !== job.projectId) return;
  if (project.status === 'active') throw new NotYetCommitted(`The project ${job.projectId} is still active.`);
  await removeScopedWebhooks(job);
  const done = await eraseProjectData(job.orgSlug, job.project, { items: itemsPerStep });
  if (done) log.info('erased a project', { organizationId: job.organizationId, projectId: job.projectId });
  else await queueJob(job);
}

/** Webhooks limited to the project can never fire again; each gives its place in the plan back as it goes. */
async function removeScopedWebhooks({ orgSlug, projectId }: EraseProject): Promise<void> {
  for (const webhook of await list(webhookRecord, ranges.webhooks(orgSlug))) {
    if (webhook.project?.id !== projectId) continue;
    try {
      await transact([
        remove(at(webhookRecord, orgSlug, webhook.id), { if: isThere }),
        update(at(organizationRecord, orgSlug), { add: { webhookCount: -1 } }, { if: isThere }),
      ]);
    } catch (error) {
      // Somebody else deleted it, and counted it.
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}

/**
 * Erases what hangs below a project, and last the project's own item, so that an interrupted step is found again.
 * @returns true when nothing is left
 */
export async function eraseProjectData(orgSlug: string, project: string, budget: StepBudget): Promise<boolean> {
  for (const environment of await list(environmentRecord, ranges.projectEnvironments(orgSlug, project))) {
    if (!(await eraseRange(ranges.environmentItems(orgSlug, project, environment.slug), budget))) return false;
    await removeAll([keys.environment(orgSlug, project, environment.slug)]);
  }
  if (!(await eraseRange(ranges.templateKeys(orgSlug, project), budget))) return false;
  await removeAll([keys.project(orgSlug, project)]);
  return true;
}
