import { actorOf, auditWrite } from '../audit/audit-write.ts';
import { ApiError } from '../http/errors.ts';
import type { Log } from '../http/logger.ts';
import type { Principal } from '../http/principal.ts';
import type { RequestSource } from '../http/request.ts';
import { membershipRecord, organizationRecord } from '../organizations/records.ts';
import { isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, remove, transact } from '../table/store.ts';
import { listTokens } from './list-tokens.ts';
import { tokenRecord } from './records.ts';

/**
 * Revokes one of the caller's own tokens, at once. One that was limited to an organization is recorded in that
 * organization's audit log.
 * @throws token_not_found
 */
export async function revokeToken(
  principal: Principal,
  source: RequestSource,
  tokenId: string,
  log: Log,
): Promise<void> {
  const { userId } = principal;
  const [tokens, memberships] = await Promise.all([
    listTokens(userId),
    list(membershipRecord, ranges.memberships(userId)),
  ]);
  const token = tokens.find(({ id }) => id === tokenId);
  if (token === undefined) throw tokenNotFound();
  const membership = memberships.find(({ organizationId }) => organizationId === token.organizationId);
  const organization = membership === undefined ? undefined : await find(at(organizationRecord, membership.orgSlug));
  const revocation = remove(at(tokenRecord, userId, token.hash), { if: isThere, refused: tokenNotFound });
  if (organization === undefined || organization.id !== token.organizationId || organization.status !== 'active') {
    await transact([revocation]);
    log.account('token_revoked', { userId, tokenId });
    return;
  }
  await transact([
    revocation,
    await auditWrite(organization, actorOf(principal), source, {
      action: 'token.revoked',
      target: { type: 'token', id: tokenId, name: token.name },
    }),
  ]);
}

const tokenNotFound = () => new ApiError('token_not_found', 'You have no active token with this identifier.');
