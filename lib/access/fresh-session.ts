import { ApiError } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { hasSecondFactor } from '../table/records/user.ts';
import type { Principal } from './principal.ts';

/** Whether the session, or the one that created the token, was verified with a second factor. Identities need none. */
export function hasProvedFactor({ credential, user, identity }: Principal): boolean {
  // An identity proves itself with a signature for every token.
  if (identity !== undefined) return true;
  if (credential.method === 'token') return credential.token.secondFactor;
  // A factor that has been removed since no longer proves anything.
  return credential.session.secondFactor && user !== undefined && hasSecondFactor(user);
}

/**
 * Until when a session is fresh, in epoch milliseconds. Undefined for a token, and for a session without a second
 * factor if the account has one; otherwise a session from before the factor was added could remove it.
 */
export function freshUntilMs(principal: Principal): number | undefined {
  const { credential, user } = principal;
  if (credential.method === 'token' || user === undefined) return undefined;
  if (hasSecondFactor(user) && !hasProvedFactor(principal)) return undefined;
  return Date.parse(credential.session.provedAt) + settings().STEP_UP_FRESH_SECONDS * 1000;
}

/** Lets tokens pass: routes that need a session reject them anyway. @throws step_up_required */
export function requireFreshSession(principal: Principal): void {
  if (principal.credential.method === 'token') return;
  const untilMs = freshUntilMs(principal);
  if (untilMs !== undefined && Date.now() < untilMs) return;
  throw new ApiError('step_up_required', 'Confirm that it’s you: step up, then send the request again.');
}

/**
 * @throws second_factor_required (403) if the organization requires a factor and this credential was created without
 * one
 */
export function requireFactorIn(organization: { requireSecondFactor: boolean }, principal: Principal): void {
  if (!organization.requireSecondFactor || hasProvedFactor(principal)) return;
  throw secondFactorMissing('This organization requires a second factor. Sign in with one.');
}

export function secondFactorMissing(message: string): ApiError {
  return new ApiError('second_factor_required', message, { inOrganization: true });
}
