import type { Access, TokenLimit, TokenRequirement } from '../contracts/contract.ts';
import { namesOnly, tokenLevels } from '../contracts/fields/role.ts';
import { ApiError, organizationNotFound } from '../core/errors.ts';
import type { Caller } from './authenticate.ts';
import {
  requireAdminFactor,
  requireFactorIn,
  requireFreshSession,
  requireProviderIn,
  requireRecheckIn,
} from './fresh-session.ts';
import type { MemberAccess } from './member-access.ts';
import { type AccountPrincipal, confinementOf, hasAccount, isNamesOnly, limitOf, type Principal } from './principal.ts';

const limitOrder: readonly TokenLimit[] = ['none', 'organization', 'project', 'environment'];

const insufficientScope = (message: string) => new ApiError('insufficient_scope', message);

/** @throws insufficient_scope for a token that may do less than the route requires */
function requireScope(
  principal: Principal,
  required: TokenRequirement,
  narrowest: TokenLimit,
  admitsNames = false,
): void {
  if (isNamesOnly(principal) && !admitsNames) {
    throw insufficientScope('A token or a request for names only may not do this.');
  }
  if (principal.credential.method === 'session') return;
  if (required === 'session') throw sessionRequired();
  const { access } = principal.credential.token;
  if (access !== namesOnly && tokenLevels.indexOf(access) < tokenLevels.indexOf(required)) {
    throw insufficientScope(`The token's access is "${access}"; this requires "${required}".`);
  }
  const limit = limitOf(principal);
  if (limitOrder.indexOf(limit) > limitOrder.indexOf(narrowest)) {
    throw insufficientScope(`The token is limited to one ${limit}; this exceeds it.`);
  }
}

/**
 * Whoever manages a company's provider decides who signs in through it, so it must not reach the rest of the account.
 * @throws session_confined
 */
function requireUnconfined(access: Extract<Access, { kind: 'account' | 'admin' }>, principal: Principal): void {
  if (principal.credential.method === 'token' || confinementOf(principal) === undefined) return;
  if (access.kind !== 'account' || access.confined !== true) throw sessionConfined();
}

export const sessionConfined = () =>
  new ApiError(
    'session_confined',
    'This session is limited to the organization of its sign-in provider. Confirm it with your own password or passkey ' +
      'first.',
  );

/** The caller as a handler receives it, by the kind of the route's access rule. */
export interface Admitted {
  public: { principal?: undefined };
  optional: { principal: AccountPrincipal | undefined };
  caller: { principal: Principal };
  account: { principal: AccountPrincipal };
  admin: { principal: AccountPrincipal };
  member: { principal: Principal; access: MemberAccess };
}

export const sessionRequired = () =>
  insufficientScope('This requires a session: no token may do it. Sign in and try again.');

/** Decides who is admitted at all. `requireRights` then checks what they may do. */
const admit: { readonly [Kind in Access['kind']]: (caller: Caller | undefined) => Admitted[Kind] } = {
  public: () => ({}),
  optional: caller => {
    const principal = caller?.principal;
    if (principal === undefined || hasAccount(principal)) return { principal };
    throw sessionRequired();
  },
  caller: caller => ({ principal: requireCaller(caller).principal }),
  account: caller => {
    const { principal } = requireCaller(caller);
    if (hasAccount(principal)) return { principal };
    throw new ApiError('unauthenticated', 'This route requires an account, and an identity has none.');
  },
  admin: caller => {
    const { principal } = requireCaller(caller);
    if (!hasAccount(principal) || principal.user.isAdmin !== true) {
      throw new ApiError('admin_required', 'Only a platform administrator can do this.');
    }
    requireAdminFactor(principal);
    return { principal };
  },
  member: caller => {
    const { principal, access } = requireCaller(caller);
    if (access === undefined) throw organizationNotFound();
    return { principal, access };
  },
};

function requireCaller(caller: Caller | undefined): Caller {
  if (caller === undefined) throw new ApiError('unauthenticated', 'Sign in first.');
  return caller;
}

/**
 * Applies a route's access rule to its caller; denies by default. For rules about a project, an environment or another
 * member, the handler asks `MemberAccess`.
 * @throws unauthenticated, organization_not_found, insufficient_scope, forbidden, admin_required, session_confined,
 * provider_required, second_factor_required, step_up_required
 */
export function authorize<Kind extends Access['kind']>(kind: Kind, access: Access, caller: Caller | undefined) {
  const admitted = admit[kind](caller);
  if (caller !== undefined) {
    requireRights(access, caller);
    // Last, so that a caller who lacks the right is not asked to step up.
    if ('fresh' in access && access.fresh === 'always') requireFreshSession(caller.principal);
  }
  return admitted;
}

function requireRights(access: Access, { principal, access: memberAccess }: Caller): void {
  if (access.kind === 'public') return;
  const isLeaving = access.kind === 'member' && access.leaves === true;
  if (memberAccess !== undefined && !isLeaving) {
    const { organization } = memberAccess;
    requireProviderIn(organization, memberAccess.isOwner, principal);
    requireRecheckIn(organization, memberAccess.member, principal);
    requireFactorIn(organization, principal);
  }
  if (access.kind === 'optional') requireScope(principal, 'session', 'none');
  else if (access.kind === 'admin') requireScope(principal, access.tokens ?? 'full', 'none');
  else requireScope(principal, access.tokens, access.narrowestToken, access.names !== undefined);
  if (access.kind === 'account' || access.kind === 'admin') requireUnconfined(access, principal);
  memberAccess?.requireRole();
}
