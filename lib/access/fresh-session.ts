import { ApiError } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { hasSecondFactor } from '../table/records/user.ts';
import type { Principal } from './principal.ts';

/** Whether the session, or the one that made the token, was proved with a second factor, or needs none. */
export function hasProvedFactor({ credential, user, identity }: Principal): boolean {
  // An identity has no factors. What proves it is a signature, each time anew.
  if (identity !== undefined) return true;
  if (credential.method === 'token') return credential.token.secondFactor;
  // A factor that was taken away since proves nothing any more.
  return credential.session.secondFactor && user !== undefined && hasSecondFactor(user);
}

/**
 * Until when a session is fresh, in epoch milliseconds; undefined for a token, and for a session that was not proved with
 * a second factor although the account has one. Otherwise one from before the factor was added could take it away.
 */
export function freshUntilMs(principal: Principal): number | undefined {
  const { credential, user } = principal;
  if (credential.method === 'token' || user === undefined) return undefined;
  if (hasSecondFactor(user) && !hasProvedFactor(principal)) return undefined;
  return Date.parse(credential.session.provedAt) + settings().STEP_UP_FRESH_SECONDS * 1000;
}

/** Tokens are not asked: what needs a session they cannot do. @throws step_up_required */
export function requireFreshSession(principal: Principal): void {
  if (principal.credential.method === 'token') return;
  const untilMs = freshUntilMs(principal);
  if (untilMs !== undefined && Date.now() < untilMs) return;
  throw new ApiError('step_up_required', 'Confirm that it is you: step up, and send the request again.');
}

/** @throws second_factor_required (403) if the organization demands what the session or token was not proved with */
export function requireFactorIn(organization: { requireSecondFactor: boolean }, principal: Principal): void {
  if (!organization.requireSecondFactor || hasProvedFactor(principal)) return;
  throw secondFactorDemanded('This organization demands a second factor. Sign in with one.');
}

export function secondFactorDemanded(message: string): ApiError {
  return new ApiError('second_factor_required', message, { inOrganization: true });
}
