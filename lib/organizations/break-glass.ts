import { ApiError } from '../core/errors.ts';
import { equals, exists, isNew } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, list, readAll } from '../table/read.ts';
import { type MemberRecord, memberRecord } from '../table/records/member.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { signInRecord } from '../table/records/sign-in.ts';
import { hasSecondFactor, userRecord } from '../table/records/user.ts';
import { check, type Write } from '../table/write.ts';

/*
 * If an organization requires its sign-in provider and the provider fails, an owner with a second factor of their own can
 * still log in (break glass). So there must always be one.
 */

type Place = Pick<OrganizationRecord, 'slug'>;

/**
 * The checks that an owner with a second factor exists, for the transaction that depends on it. They throw
 * `ConditionFailed`, because another such owner may still be there: read again.
 * @throws `missing` if none of the owners has one
 */
export async function breakGlassOwner(
  place: Place,
  owners: readonly MemberRecord[],
  missing: () => Error,
): Promise<Write[]> {
  const users = await readAll(owners.map(({ userId }) => at(userRecord, userId)));
  const index = users.findIndex(user => user !== undefined && hasSecondFactor(user));
  const owner = owners[index];
  if (owner === undefined) throw missing();
  return [
    check(at(memberRecord, place.slug, owner.userId), { if: { id: equals(owner.id), role: equals('owner') } }),
    check(at(userRecord, owner.userId), { if: [{ passkeyCount: exists }, { totp: exists }] }),
  ];
}

export async function listOwners({ slug }: Place): Promise<MemberRecord[]> {
  return (await list(memberRecord, ranges.members(slug))).filter(({ role }) => role === 'owner');
}

/**
 * The checks that an owner can lose the role or the second factor. If the organization requires its provider meanwhile,
 * they throw `ConditionFailed`: read again.
 * @throws last_owner if the owner is the last one with a second factor, and the organization requires its provider
 */
export async function ownerIsDispensable(organization: OrganizationRecord, userId: string): Promise<Write[]> {
  const { slug, requireProvider } = organization;
  if (requireProvider === true) {
    const others = (await listOwners(organization)).filter(owner => owner.userId !== userId);
    return breakGlassOwner(organization, others, lastBreakGlassOwner);
  }
  return [check(at(signInRecord, slug), { if: [isNew, { required: equals(false) }] })];
}

const lastBreakGlassOwner = () =>
  new ApiError(
    'last_owner',
    'This is the last owner with a second factor, and the organization requires its sign-in provider. If the provider ' +
      'failed, nobody could get in: another owner needs a passkey or an authenticator app first.',
  );
