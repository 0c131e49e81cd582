import { ApiError } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { dayMs } from '../core/time.ts';
import type { MemberRecord, OrganizationRecord } from '../table/records/organization.ts';
import { hasSecondFactor } from '../table/records/user.ts';
import { type Principal, providerOf } from './principal.ts';

/** Whether the session, or the one that created the token, was verified with a second factor of the account itself. */
export function hasOwnFactorProved({ credential, user, identity }: Principal): boolean {
  // An identity proves itself with a signature for every token, so it needs no factor.
  if (identity !== undefined) return true;
  if (credential.method === 'token') return credential.token.secondFactor;
  // A factor that has been removed since no longer proves anything.
  return credential.session.secondFactor && user !== undefined && hasSecondFactor(user);
}

/** The same, or with a factor that the organization trusts its provider to have asked for. */
export function hasProvedFactor(principal: Principal): boolean {
  return hasOwnFactorProved(principal) || providerOf(principal)?.trustedFactor === true;
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

/** @throws second_factor_required (403) if the organization requires a factor and the credential was created without */
export function requireFactorIn(organization: OrganizationRecord, principal: Principal): void {
  if (!organization.requireSecondFactor || hasOwnFactorProved(principal)) return;
  const isTrusted = organization.trustProviderFactor === true && providerOf(principal)?.trustedFactor === true;
  if (isTrusted && cameThroughProviderOf(organization, principal)) return;
  throw secondFactorMissing('This organization requires a second factor. Sign in with one.');
}

/** @throws second_factor_required (403) for a platform administrator whose credential was created without a factor */
export function requireAdminFactor(principal: Principal): void {
  if (!settings().ADMIN_FACTOR_REQUIRED || hasOwnFactorProved(principal)) return;
  const message = 'A platform administrator needs a second factor: add one to your account, and log in with it.';
  throw secondFactorMissing(message);
}

/** Whether the credential came through the organization's current provider. */
export function cameThroughProviderOf({ id, providerVersion }: OrganizationRecord, principal: Principal): boolean {
  const provider = providerOf(principal);
  return provider?.organizationId === id && provider.clientVersion === providerVersion;
}

/**
 * An owner's session whose log-in broke glass in this organization passes: if the provider fails, somebody must be able
 * to switch it off (see `break-glass.ts`). Tokens never pass.
 * @throws provider_required if the organization requires its provider and the credential did not come through it
 */
export function requireProviderIn(organization: OrganizationRecord, isOwner: boolean, principal: Principal): void {
  if (organization.requireProvider !== true || principal.identity !== undefined) return;
  if (cameThroughProviderOf(organization, principal)) return;
  if (isOwner && brokeGlassIn(organization.id, principal)) return;
  throw new ApiError('provider_required', 'This organization requires its sign-in provider. Sign in with it.');
}

/**
 * Somebody who has left the company can no longer sign in through its provider, so their tokens end.
 * @throws provider_required for the token of a member whose last sign-in through the provider is too long ago
 */
export function requireRecheckIn(
  { id, recheckDays }: OrganizationRecord,
  { providerSignInAt }: Pick<MemberRecord, 'providerSignInAt'>,
  { credential, identity }: Principal,
): void {
  if (recheckDays === undefined || identity !== undefined || credential.method === 'session') return;
  const { provider, createdAt } = credential.token;
  // Earlier releases didn't record sign-ins, but a token made in a session through the provider proves one.
  const signedInAt = providerSignInAt ?? (provider?.organizationId === id ? createdAt : undefined);
  if (!isRecheckDue(recheckDays, signedInAt)) return;
  const message =
    `Your last sign-in through this organization’s provider is more than ${recheckDays} days ago, so your tokens are ` +
    'refused. Sign in with it in the dashboard; then they are accepted again.';
  throw new ApiError('provider_required', message);
}

/** Never for somebody who hasn't signed in through the provider. */
export function isRecheckDue(recheckDays: number | undefined, signedInAt: string | undefined): boolean {
  if (recheckDays === undefined || signedInAt === undefined) return false;
  return Date.now() - Date.parse(signedInAt) > recheckDays * dayMs;
}

function brokeGlassIn(organizationId: string, principal: Principal): boolean {
  const { credential } = principal;
  if (credential.method !== 'session' || credential.session.provider !== undefined) return false;
  return credential.session.brokeGlassIn?.includes(organizationId) === true && hasOwnFactorProved(principal);
}

export function secondFactorMissing(message: string): ApiError {
  return new ApiError('second_factor_required', message, { inOrganization: true });
}
