import type { MemberContext } from '../access/request-context.ts';
import { organizationNotFound } from '../core/errors.ts';
import { queueJob } from '../core/queue.ts';
import { asRead } from '../table/expressions.ts';
import { keys } from '../table/keys.ts';
import { at, find } from '../table/read.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { countPlatform } from '../table/records/platform.ts';
import { noteWork } from '../table/records/unfinished-work.ts';
import { remove, retryWithFreshRead, transact, update } from '../table/write.ts';

/**
 * Makes the organization inaccessible in one transaction; a background job erases it with its audit log, so the
 * deletion is recorded in the service's own log. @throws organization_not_found if another request deleted it first
 */
export async function deleteOrganization(context: MemberContext): Promise<void> {
  const { id, slug } = context.organization;
  const job = { type: 'erase-organization', orgSlug: slug, organizationId: id } as const;
  await queueJob(job, 1);
  const item = at(organizationRecord, slug);
  const foreseen: OrganizationRecord | undefined = context.organization;
  const readAgain = () => find(item);
  await retryWithFreshRead(foreseen, readAgain, async organization => {
    if (organization?.id !== id || organization.status !== 'active') throw organizationNotFound();
    const { projectCount, name } = organization;
    // The platform's count and the directory change by the values that were read.
    const unchanged = asRead(organization, ['id', 'status', 'projectCount', 'name']);
    await transact([
      update(item, { set: { status: 'deleting' } }, { if: unchanged }),
      remove({ key: keys.directoryBySlug(slug) }),
      remove({ key: keys.directoryByName(name, slug) }),
      noteWork(job),
      countPlatform({ organizations: -1, projects: -projectCount }),
    ]);
  });
  context.log.account('organization_deleted', { organizationId: id, userId: context.principal.userId });
}
