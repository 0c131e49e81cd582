import { cancelSubscription } from '../billing/payment-provider.ts';
import { type Job, lastRequestsSeconds } from '../core/job.ts';
import type { Log } from '../core/logger.ts';
import { queueJob } from '../core/queue.ts';
import type { Key } from '../table/entity.ts';
import { type Changes, equals, isNew, isThere } from '../table/expressions.ts';
import { keys, ranges } from '../table/keys.ts';
import { at, find, type Item, list, queryItems } from '../table/read.ts';
import { archiveCursorRecord, auditPartitionsRecord } from '../table/records/audit.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { type IdentityRecord, identityRecord } from '../table/records/identity.ts';
import { isKept, isKeptUntilLater, isStillKept } from '../table/records/kept.ts';
import type { InvitationRecord, MemberRecord, OrganizationRecord } from '../table/records/organization.ts';
import {
  invitationRecord,
  memberRecord,
  organizationPointerRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import { customerRecord } from '../table/records/platform.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { retiredOrganizationRecord } from '../table/records/retired-slug.ts';
import { domainRecord, providerLinkRecord, signInRecord } from '../table/records/sign-in.ts';
import { endWork } from '../table/records/unfinished-work.ts';
import { webhookRecord } from '../table/records/webhook.ts';
import { check, put, remove, transact, transactIfHolds, update, type Write } from '../table/write.ts';
import { eraseBelowProject } from './erase-project.ts';
import {
  eraseEach,
  eraseItems,
  eraseRange,
  isBeingErased,
  itemsPerStep,
  NotYetCommitted,
  type StepBudget,
  unlessErased,
} from './erase-range.ts';

type EraseOrganization = Extract<Job, { type: 'erase-organization' }>;

/**
 * One step of erasing a deleted organization; queues the next while anything is left. Safe to run twice, concurrently,
 * or late. A minute after all is gone, another step erases audit entries of requests that were authorized before.
 * @throws NotYetCommitted while the organization is active: the job is queued before its deletion is committed
 */
export async function eraseOrganization(queued: EraseOrganization, log: Log): Promise<void> {
  const item = at(organizationRecord, queued.orgSlug);
  const auditPartitions = at(auditPartitionsRecord, queued.organizationId);
  const [organization, spread] = await Promise.all([find(item), find(auditPartitions)]);
  // Later steps need the number, because the item is erased with the entries.
  const job = spread === undefined ? queued : { ...queued, auditPartitions: spread.partitions };
  const budget: StepBudget = { items: itemsPerStep };
  // The slug may have a new owner by now. The audit log is addressed by id.
  if (organization === undefined || organization.id !== job.organizationId) {
    if (!(await eraseAudit(job, budget))) await queueJob(job);
    return;
  }
  if (organization.status === 'active') {
    throw new NotYetCommitted(`The organization ${job.organizationId} is still active.`);
  }
  if (isKept(organization)) {
    if (isKeptUntilLater(organization)) {
      throw new NotYetCommitted(`The organization ${job.organizationId} is kept until ${organization.kept.erasedAt}.`);
    }
    const begun = update(item, { set: { kept: undefined } }, { if: isStillKept(organization) });
    // Restored first, or another step has begun.
    if (!(await transactIfHolds([begun]))) return;
  }
  await unlessErased(async () => {
    if (!(await eraseData(job, organization, budget, check(item, isBeingErased(organization.id))))) {
      await queueJob(job);
      return;
    }
    await cancelSubscription(organization, log);
    await queueJob(job, lastRequestsSeconds);
    await releaseSlug(organization);
    log.info('erased an organization', { organizationId: job.organizationId });
  });
}

/**
 * Erases everything under the organization: first the data keys, because no value can be read without them; then
 * webhooks, which act on their own; then the rest. @returns true if nothing is left
 */
async function eraseData(job: EraseOrganization, organization: OrganizationRecord, budget: StepBudget, fence: Write) {
  const audit = () => eraseAudit(job, budget);
  const first = [destroyDataKeys, eraseWebhooks, eraseIdentities, eraseProjects, eraseDomains, eraseLinks, audit];
  for (const erase of [...first, eraseInvitations, eraseMembers, eraseRest]) {
    if (!(await erase(organization, budget, fence))) return false;
  }
  return true;
}

/** The first partition last, because its item names the others. @returns true if nothing is left */
async function eraseAudit({ organizationId, auditPartitions = 1 }: EraseOrganization, budget: StepBudget) {
  for (let partition = auditPartitions - 1; partition >= 0; partition -= 1) {
    if (!(await eraseRange(ranges.audit(organizationId, partition), budget, undefined))) return false;
  }
  return true;
}

async function destroyDataKeys({ slug }: OrganizationRecord, budget: StepBudget, fence: Write): Promise<boolean> {
  for (const project of await list(projectRecord, ranges.projects(slug))) {
    if (project.status === 'deleting' && Object.keys(project.wrappedKeys).length === 0) continue;
    if (budget.items <= 0) return false;
    budget.items -= 1;
    const gone: Changes<ProjectRecord> = { set: { status: 'deleting', wrappedKeys: {} } };
    const isSame = { ...isThere, id: equals(project.id) };
    await transactIfHolds([fence, update(at(projectRecord, slug, project.slug), gone, { if: isSame })]);
  }
  return true;
}

async function eraseWebhooks({ slug }: OrganizationRecord, budget: StepBudget, fence: Write): Promise<boolean> {
  for (const { id } of await list(webhookRecord, ranges.webhooks(slug))) {
    // The webhook goes last, because its deliveries are found through it. Nothing sends once its project is gone.
    if (!(await eraseRange(ranges.deliveries(id), budget, fence))) return false;
    await eraseItems([keys.webhook(slug, id)], fence);
  }
  return true;
}

/** Their tokens stopped working with the organization, and expire within the hour. */
async function eraseIdentities({ slug, id }: OrganizationRecord, budget: StepBudget, fence: Write): Promise<boolean> {
  const identities = await list(identityRecord, ranges.identities(slug));
  const keysOf = (identity: IdentityRecord) => [keys.membership(identity.id, id), keys.identity(slug, identity.id)];
  return eraseEach(identities, keysOf, budget, fence);
}

async function eraseProjects({ slug }: OrganizationRecord, budget: StepBudget, fence: Write): Promise<boolean> {
  const [projects, environments] = await Promise.all([
    list(projectRecord, ranges.projects(slug)),
    list(environmentRecord, ranges.environments(slug)),
  ]);
  // If a project is already gone, its environments' own items still name it.
  const slugs = new Set([...projects.map(project => project.slug), ...environments.map(({ project }) => project)]);
  for (const project of slugs) {
    if (!(await eraseBelowProject(slug, project, budget, fence))) return false;
    const work = projects.filter(record => record.slug === project).map(({ id }) => keys.unfinishedWork(id));
    await eraseItems([keys.project(slug, project), ...work], fence);
  }
  return true;
}

/** The domains become free for other organizations. */
async function eraseDomains({ slug, id }: OrganizationRecord, budget: StepBudget, fence: Write): Promise<boolean> {
  const signIn = await find(at(signInRecord, slug));
  for (const { domain } of signIn?.domains ?? []) {
    if (budget.items <= 0) return false;
    budget.items -= 1;
    const own = [isNew, { organizationId: equals(id) }, { lostBy: equals(id) }];
    await transactIfHolds([fence, remove(at(domainRecord, domain), { if: own })]);
  }
  return true;
}

async function eraseLinks({ slug, id }: OrganizationRecord, budget: StepBudget, fence: Write): Promise<boolean> {
  const range = ranges.providerLinks(slug);
  const links = (await queryItems(range)).map(item => ({
    ...providerLinkRecord.parse(item),
    person: String(item.sk).slice(range.beginsWith.length),
  }));
  const keysOf = async ({ userId, person }: { userId: string; person: string }) => [
    ...(await keysInAccount(userId, id)),
    keys.providerLink(slug, person),
  ];
  return eraseEach(links, keysOf, budget, fence);
}

/**
 * What an account has of the organization, whatever its kind: the membership, the link to the provider, tokens limited
 * to it, and sessions and tokens that came through the provider.
 */
async function keysInAccount(userId: string, organizationId: string): Promise<Key[]> {
  const attributes = ['pk', 'sk', 'organizationId', 'provider'];
  const items = await queryItems({ ...ranges.account(userId), attributes });
  const isOfOrganization = ({ organizationId: own, provider }: Item) =>
    [own, (provider as Item | undefined)?.organizationId].includes(organizationId);
  return items.filter(isOfOrganization).map(({ pk, sk }) => ({ pk, sk }) as Key);
}

async function eraseInvitations({ slug }: OrganizationRecord, budget: StepBudget, fence: Write): Promise<boolean> {
  const invitations = await list(invitationRecord, ranges.invitations(slug));
  const keysOf = ({ id, hash }: InvitationRecord) => [keys.invitationPointer(hash), keys.invitation(slug, id)];
  return eraseEach(invitations, keysOf, budget, fence);
}

async function eraseMembers({ slug, id }: OrganizationRecord, budget: StepBudget, fence: Write): Promise<boolean> {
  const members = await list(memberRecord, ranges.members(slug));
  const keysOf = async ({ userId }: MemberRecord) => {
    // The member goes last, because the account's items are found through it.
    return [...(await keysInAccount(userId, id)), keys.member(slug, userId)];
  };
  return eraseEach(members, keysOf, budget, fence);
}

/** Also items of kinds that only a later version knows. */
async function eraseRest({ slug }: OrganizationRecord, budget: StepBudget, fence: Write): Promise<boolean> {
  for (const range of ranges.organizationContent(slug)) {
    if (!(await eraseRange(range, budget, fence))) return false;
  }
  return true;
}

/** The last step is one transaction: after it, the slug is free and recorded as used. */
async function releaseSlug({ slug, id, billing }: OrganizationRecord): Promise<void> {
  const customerId = billing?.customerId ?? null;
  const customer = customerId === null ? undefined : at(customerRecord, customerId);
  // The customer may belong to another organization by now. In that case, its pointer stays.
  const isOwn = customer !== undefined && (await find(customer))?.organizationId === id;
  await transact([
    remove(at(organizationRecord, slug), isBeingErased(id)),
    remove(at(organizationPointerRecord, id)),
    endWork(id),
    remove(at(archiveCursorRecord, id)),
    put(at(retiredOrganizationRecord, slug), { retiredAt: new Date().toISOString() }),
    ...(isOwn ? [remove(customer, { if: { organizationId: equals(id) } })] : []),
  ]);
}
