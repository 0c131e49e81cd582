import { sessionRequired } from '../access/authorize.ts';
import type { MemberContext } from '../access/request-context.ts';
import { ApiError } from '../core/errors.ts';

/**
 * Who may let changes of an environment's secrets need fewer approvals, or none: as for a change that bypasses them.
 * @throws insufficient_scope for a token, forbidden
 */
export function requireMayLowerApprovals({ access, principal }: MemberContext): void {
  if (principal.credential.method === 'token') throw sessionRequired();
  if (access.isOwner) return;
  const message = 'Only an owner may lower the number of approvals that changes need, or delete what requires them.';
  throw new ApiError('forbidden', message);
}
