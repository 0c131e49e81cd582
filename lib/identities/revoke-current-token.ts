import { unauthenticated } from '../access/authenticate.ts';
import { isIdentityId } from '../access/identity-rights.ts';
import type { CallerContext } from '../access/request-context.ts';
import { revokeTokenOfUser, tokenNotFound } from '../accounts/tokens.ts';
import { auditWrite, identityActor } from '../audit/write.ts';
import { isThere } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import { identityRightsRecord } from '../table/records/identity.ts';
import { membershipRecord } from '../table/records/member.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { type TokenRecord, tokenRecord } from '../table/records/token.ts';
import { remove, retryOnConditionFailed, transact } from '../table/write.ts';
import { liveTokensAt, unlistToken } from './live-tokens.ts';

/**
 * Revokes the token that the request was made with.
 * @throws token_not_found for a request with a session; unauthenticated if the identity was deleted or its trust changed
 */
export async function revokeCurrentToken(context: CallerContext): Promise<void> {
  const { userId, credential } = context.principal;
  if (credential.method === 'token' && isIdentityId(userId)) await revokeTokenOfIdentity(context, credential.token);
  else await revokeTokenOfUser(context);
}

function revokeTokenOfIdentity({ source }: CallerContext, token: TokenRecord): Promise<void> {
  const { id, userId: identityId, hash, name } = token;
  return retryOnConditionFailed(async () => {
    const { organization, identity, live } = await readIdentityOf(token);
    if (organization?.status !== 'active' || identity?.trustId !== token.memberId) throw unauthenticated();
    await transact([
      remove(at(tokenRecord, identityId, hash), { if: isThere, refused: tokenNotFound }),
      ...unlistToken(live, token),
      await auditWrite(organization, identityActor(identityId, identity.name, id), source, {
        action: 'token.revoked',
        target: { type: 'token', id, name },
      }),
    ]);
  });
}

async function readIdentityOf({ userId: identityId, organizationId }: TokenRecord) {
  const membership = await find(at(membershipRecord, identityId, organizationId ?? ''));
  if (membership === undefined) throw unauthenticated();
  return readTogether({
    organization: at(organizationRecord, membership.orgSlug),
    identity: at(identityRightsRecord, membership.orgSlug, identityId),
    live: liveTokensAt(identityId),
  });
}
