import { cancelSubscription } from '../billing/cancel-subscription.ts';
import type { Job } from '../core/job.ts';
import type { Log } from '../core/logger.ts';
import { queueJob } from '../core/queue.ts';
import { tokensBoundTo } from '../organizations/members/remove-member.ts';
import { eraseRange, itemsPerStep, type StepBudget } from '../table/erase-range.ts';
import { type Changes, equals, isThere } from '../table/expressions.ts';
import { keys, ranges } from '../table/keys.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { invitationRecord } from '../table/records/invitation.ts';
import { memberRecord } from '../table/records/member.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { webhookRecord } from '../table/records/webhook.ts';
import { at, ConditionFailed, find, list, remove, removeAll, transact, update } from '../table/store.ts';
import { eraseProjectData, NotYetCommitted } from './erase-project.ts';

type EraseOrganization = Extract<Job, { type: 'erase-organization' }>;

/** No request lives longer, so what one of them wrote after it was authorized is there by then. */
const lastRequestsSeconds = 60;

/**
 * One step of erasing a deleted organization; queues the next one while anything is left. Safe to run twice, also at
 * once. When all is gone one more step looks after a minute for what requests, authorized before the deletion, left in
 * the audit log.
 * @throws NotYetCommitted while the organization is active: its deletion is committed after the job was queued
 */
export async function eraseOrganization(job: EraseOrganization, log: Log): Promise<void> {
  const organization = await find(at(organizationRecord, job.orgSlug));
  const budget: StepBudget = { items: itemsPerStep };
  // The slug may belong to somebody new by now; the audit log has its own id.
  if (organization === undefined || organization.id !== job.organizationId) {
    if (!(await eraseRange(ranges.audit(job.organizationId), budget))) await queueJob(job);
    return;
  }
  if (organization.status === 'active') {
    throw new NotYetCommitted(`The organization ${job.organizationId} is still active.`);
  }
  if (!(await eraseData(organization, budget))) {
    await queueJob(job);
    return;
  }
  await cancelSubscription(organization, log);
  await queueJob(job, lastRequestsSeconds);
  await releaseSlug(organization);
  log.info('erased an organization', { organizationId: job.organizationId });
}

/**
 * Everything under the organization but its own item, in this order: the data keys, without which no value can be read
 * any more; then what acts by itself (webhooks); then the rest.
 * @returns true when nothing is left
 */
async function eraseData(organization: OrganizationRecord, budget: StepBudget): Promise<boolean> {
  return (
    (await destroyDataKeys(organization, budget)) &&
    (await eraseWebhooks(organization, budget)) &&
    (await eraseProjects(organization, budget)) &&
    (await eraseRange(ranges.audit(organization.id), budget)) &&
    (await eraseInvitations(organization, budget)) &&
    (await eraseMembers(organization, budget))
  );
}

async function destroyDataKeys({ slug }: OrganizationRecord, budget: StepBudget): Promise<boolean> {
  for (const project of await list(projectRecord, ranges.projects(slug))) {
    if (project.status === 'deleting' && Object.keys(project.wrappedKeys).length === 0) continue;
    if (budget.items <= 0) return false;
    budget.items -= 1;
    try {
      const gone: Changes<ProjectRecord> = { set: { status: 'deleting', wrappedKeys: {} } };
      await transact([
        update(at(projectRecord, slug, project.slug), gone, { if: { ...isThere, id: equals(project.id) } }),
      ]);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
  return true;
}

async function eraseWebhooks({ slug }: OrganizationRecord, budget: StepBudget): Promise<boolean> {
  for (const { id } of await list(webhookRecord, ranges.webhooks(slug))) {
    // The webhook goes last, for its deliveries are found through it; nothing sends any more once its project is gone.
    if (!(await eraseRange(ranges.deliveries(id), budget))) return false;
    await removeAll([keys.webhook(slug, id)]);
  }
  return true;
}

async function eraseProjects({ slug }: OrganizationRecord, budget: StepBudget): Promise<boolean> {
  const [projects, environments] = await Promise.all([
    list(projectRecord, ranges.projects(slug)),
    list(environmentRecord, ranges.environments(slug)),
  ]);
  // An environment whose project is gone already is found by its own item.
  const slugs = new Set([...projects.map(project => project.slug), ...environments.map(({ project }) => project)]);
  for (const project of slugs) {
    if (!(await eraseProjectData(slug, project, budget))) return false;
  }
  return true;
}

async function eraseInvitations({ slug }: OrganizationRecord, budget: StepBudget): Promise<boolean> {
  for (const { id, hash } of await list(invitationRecord, ranges.invitations(slug))) {
    if (budget.items <= 0) return false;
    budget.items -= 2;
    await removeAll([keys.invitationPointer(hash), keys.invitation(slug, id)]);
  }
  return true;
}

async function eraseMembers({ slug, id }: OrganizationRecord, budget: StepBudget): Promise<boolean> {
  for (const { userId } of await list(memberRecord, ranges.members(slug))) {
    if (budget.items <= 0) return false;
    const tokens = await tokensBoundTo(id, userId);
    budget.items -= tokens.length + 2;
    // The member goes last, for the tokens are found through it.
    await removeAll(tokens.map(({ hash }) => keys.token(userId, hash)));
    await removeAll([keys.membership(userId, id)]);
    await removeAll([keys.member(slug, userId)]);
  }
  return true;
}

/** The last step, all at once: from here on the slug is free. */
async function releaseSlug({ slug, id, billing }: OrganizationRecord): Promise<void> {
  const customerId = billing?.customerId ?? null;
  try {
    await transact([
      remove(at(organizationRecord, slug), { if: { id: equals(id), status: equals('deleting') } }),
      remove({ key: keys.organizationPointer(id) }),
      ...(customerId === null ? [] : [remove({ key: keys.customer(customerId) })]),
    ]);
  } catch (error) {
    // The same step, run twice: the other one was first.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
