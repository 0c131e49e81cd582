import type { MemberContext } from '../access/request-context.ts';
import { countIdentitiesEnded, identityEndings } from '../organizations/members/made-by-member.ts';
import { retryOnConditionFailed, transact } from '../table/write.ts';
import { requireIdentity } from './read-identities.ts';

/** Deletes the identity, which also invalidates its tokens. @throws identity_not_found */
export async function deleteIdentity(context: MemberContext, identityId: string): Promise<void> {
  await retryOnConditionFailed(async () => {
    const identity = await requireIdentity(context, identityId);
    await transact([countIdentitiesEnded(context.organization, 1), ...(await identityEndings(context, [identity]))]);
  });
}
