import type { MemberContext } from '../access/request-context.ts';
import { equals, isThere } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { identityRecord } from '../table/records/identity.ts';
import { membershipRecord } from '../table/records/member.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { remove, transact, update } from '../table/write.ts';
import { identityNotFound, identityTarget } from './identity-view.ts';
import { requireIdentity } from './read-identities.ts';

/** Deletes the identity. Its tokens end with it, because every request with one reads it. @throws identity_not_found */
export async function deleteIdentity(context: MemberContext, identityId: string): Promise<void> {
  const { organization } = context;
  const identity = await requireIdentity(context, identityId);
  await transact([
    remove(at(identityRecord, organization.slug, identityId), { if: isThere, refused: identityNotFound }),
    remove(at(membershipRecord, identityId, organization.id)),
    update(
      at(organizationRecord, organization.slug),
      { add: { identityCount: -1 } },
      { if: { id: equals(organization.id) }, refused: identityNotFound },
    ),
    await context.audit({ action: 'identity.deleted', target: identityTarget(identity) }),
  ]);
}
