import { changedFields } from '../access/changed-fields.ts';
import { secondFactorMissing } from '../access/fresh-session.ts';
import type { MemberContext } from '../access/request-context.ts';
import { ApiError, organizationNotFound } from '../core/errors.ts';
import { asRead, exists } from '../table/expressions.ts';
import { at, find } from '../table/read.ts';
import {
  directoryByNameRecord,
  directoryBySlugRecord,
  type OrganizationRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import { userRecord } from '../table/records/user.ts';
import { check, put, remove, retryWithFreshRead, transact, update, type Write } from '../table/write.ts';

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
    if (requireSecondFactor !== undefined && context.access.member.role !== 'owner') {
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

function directoryWrites(stored: OrganizationRecord, { id, slug, name }: OrganizationRecord): Write[] {
  const entry = { id, slug, name };
  const [old, renamed] = [at(directoryByNameRecord, stored.name, slug), at(directoryByNameRecord, name, slug)];
  // The directory ignores case, and a transaction can write an item only once.
  const isMoved = old.key.sk !== renamed.key.sk;
  return [put(at(directoryBySlugRecord, slug), entry), put(renamed, entry), ...(isMoved ? [remove(old)] : [])];
}
