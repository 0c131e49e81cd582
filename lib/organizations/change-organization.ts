import { changedFields } from '../access/changed-fields.ts';
import { secondFactorMissing } from '../access/fresh-session.ts';
import type { MemberContext } from '../access/request-context.ts';
import { ApiError, organizationNotFound } from '../core/errors.ts';
import { queueJob } from '../core/queue.ts';
import { asRead, exists } from '../table/expressions.ts';
import { keys } from '../table/keys.ts';
import { at, find } from '../table/read.ts';
import {
  directoryByNameRecord,
  directoryBySlugRecord,
  type OrganizationRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import { countPlatform } from '../table/records/platform.ts';
import { noteWork, planWork } from '../table/records/unfinished-work.ts';
import { userRecord } from '../table/records/user.ts';
import { check, put, remove, retryWithFreshRead, transact, update, type Write } from '../table/write.ts';
import { keepFor } from './keep-deleted.ts';

/**
 * Renames the organization, also in the directory, or changes whether members need a second factor. Writes nothing if
 * nothing changes.
 * @throws organization_not_found if another request deleted it first; forbidden, step_up_required and
 * second_factor_required for the second-factor rule: only an owner with a second factor can require one of others
 */
export async function renameOrganization(
  context: MemberContext,
  requested: { name?: string | undefined; requireSecondFactor?: boolean | undefined },
): Promise<OrganizationRecord> {
  const { id, slug } = context.organization;
  const { requireSecondFactor } = requested;
  const item = at(organizationRecord, slug);
  const foreseen: OrganizationRecord | undefined = context.organization;
  const readAgain = () => find(item);
  return retryWithFreshRead(foreseen, readAgain, async stored => {
    if (stored?.id !== id || stored.status !== 'active') throw organizationNotFound();
    // Checked on every attempt, because a role may change while the request waits to retry.
    if (requireSecondFactor !== undefined && !context.access.isOwner) {
      throw new ApiError('forbidden', 'Only an owner can decide whether members need a second factor.');
    }
    context.requireFresh(requireSecondFactor !== undefined);
    const { name = stored.name } = requested;
    const set = { name, requireSecondFactor: requireSecondFactor ?? stored.requireSecondFactor };
    const details = changedFields(stored, set, ['name', 'requireSecondFactor']);
    if (details === undefined) return stored;
    const after = { ...stored, ...set };
    await transact([
      update(item, { set }, { if: asRead(stored, ['name', 'requireSecondFactor', 'id', 'status']) }),
      ...(stored.name === name ? [] : directoryWrites(stored, after)),
      ...(requireSecondFactor === true ? [hasFactor(context.principal.userId)] : []),
      await context.audit({ action: 'organization.updated', target: { type: 'organization', id, name }, details }),
    ]);
    return after;
  });
}

function hasFactor(userId: string): Write {
  return check(at(userRecord, userId), {
    if: [{ passkeyCount: exists }, { totp: exists }],
    refused: () => secondFactorMissing('Add a passkey or an authenticator app to your own account first.'),
  });
}

type Listed = Pick<OrganizationRecord, 'id' | 'slug' | 'name'>;

/** The organization in the directory. */
export function directoryEntries({ id, slug, name }: Listed): Write[] {
  const entry = { id, slug, name };
  return [put(at(directoryBySlugRecord, slug), entry), put(at(directoryByNameRecord, name, slug), entry)];
}

function directoryWrites(stored: Listed, renamed: Listed): Write[] {
  const byName = ({ name, slug }: Listed) => at(directoryByNameRecord, name, slug);
  // The directory ignores case, and a transaction can write an item only once.
  const isMoved = byName(stored).key.sk !== byName(renamed).key.sk;
  return [...directoryEntries(renamed), ...(isMoved ? [remove(byName(stored))] : [])];
}

/**
 * Makes the organization inaccessible in one transaction; a background job erases it with its audit log, after
 * `keepDays`, so the deletion is recorded in the service's own log.
 * @throws organization_not_found if another request deleted it first
 */
export async function deleteOrganization(context: MemberContext, keepDays: number): Promise<void> {
  const { id, slug } = context.organization;
  const job = { type: 'erase-organization', orgSlug: slug, organizationId: id } as const;
  const kept = keepFor(context, keepDays);
  if (kept === undefined) await queueJob(job, 1);
  const item = at(organizationRecord, slug);
  const foreseen: OrganizationRecord | undefined = context.organization;
  const readAgain = () => find(item);
  await retryWithFreshRead(foreseen, readAgain, async organization => {
    if (organization?.id !== id || organization.status !== 'active') throw organizationNotFound();
    const { projectCount, name } = organization;
    // The platform's count and the directory change by the values that were read.
    const unchanged = asRead(organization, ['id', 'status', 'projectCount', 'name']);
    await transact([
      update(item, { set: { status: 'deleting', kept } }, { if: unchanged }),
      remove({ key: keys.directoryBySlug(slug) }),
      remove({ key: keys.directoryByName(name, slug) }),
      kept === undefined ? noteWork(job) : planWork(job, kept.erasedAt),
      countPlatform({ organizations: -1, projects: -projectCount }),
    ]);
  });
  const { userId } = context.principal;
  context.log.account('organization_deleted', { organizationId: id, userId, erasedAt: kept?.erasedAt });
}
