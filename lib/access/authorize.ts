import type { Access, TokenLimit, TokenRequirement } from '../contracts/contract.ts';
import { tokenAccesses } from '../contracts/fields/token-access.ts';
import { ApiError, organizationNotFound } from '../core/errors.ts';
import type { Caller } from './authenticate.ts';
import { requireFactorIn, requireFreshSession } from './fresh-session.ts';
import { type Principal, tokenLimitOf } from './principal.ts';

const limitOrder: readonly TokenLimit[] = ['none', 'organization', 'project', 'environment'];

const insufficientScope = (message: string) => new ApiError('insufficient_scope', message);

/** @throws insufficient_scope if the credential is a token that may do less than the route requires. */
function requireScope(principal: Principal, required: TokenRequirement, narrowest: TokenLimit): void {
  if (principal.credential.method === 'session') return;
  if (required === 'session')
    throw insufficientScope('This needs a session: no token may do it. Sign in and try again.');
  const { access } = principal.credential.token;
  if (tokenAccesses.indexOf(access) < tokenAccesses.indexOf(required)) {
    throw insufficientScope(`The token's access is "${access}"; this needs "${required}".`);
  }
  const limit = tokenLimitOf(principal);
  if (limitOrder.indexOf(limit) > limitOrder.indexOf(narrowest)) {
    throw insufficientScope(`The token is limited to one ${limit}; this reaches further.`);
  }
}

/**
 * The verdict of a route's access rule on its caller; deny unless allowed. What depends on a project, an environment
 * or another member is asked by the handler through `MemberAccess`.
 */
export function authorize(access: Access, caller: Caller | undefined): void {
  requireRights(access, caller);
  // Last, so that a caller who may not do it at all is not asked to step up.
  if ('fresh' in access && access.fresh === 'always' && caller !== undefined) requireFreshSession(caller.principal);
}

function requireRights(access: Access, caller: Caller | undefined): void {
  if (access.kind === 'public') return;
  if (access.kind === 'optional') {
    if (caller !== undefined) requireScope(caller.principal, 'session', 'none');
    return;
  }
  if (caller === undefined) throw new ApiError('unauthenticated', 'Sign in first.');
  if (access.kind === 'account') {
    if (caller.principal.user === undefined) {
      throw new ApiError('unauthenticated', 'This is about an account, and an identity has none.');
    }
    requireScope(caller.principal, access.tokens, access.narrowestToken);
    return;
  }
  if (access.kind === 'admin') {
    if (caller.principal.user?.isAdmin !== true) {
      throw new ApiError('admin_required', 'Only a platform administrator may do this.');
    }
    requireScope(caller.principal, 'full', 'none');
    return;
  }
  if (caller.access === undefined) throw organizationNotFound();
  requireFactorIn(caller.access.organization, caller.principal);
  requireScope(caller.principal, access.tokens, access.narrowestToken);
  if (!access.roles.includes(caller.access.member.role)) {
    throw new ApiError(
      'forbidden',
      `The role ${caller.access.member.role} may not do this; it takes ${access.roles.join(' or ')}.`,
    );
  }
}
