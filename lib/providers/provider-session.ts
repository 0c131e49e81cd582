import type { UserRecord } from '../table/records/user.ts';
import { hasSecondFactor } from '../table/records/user.ts';
import type { SessionProvider } from '../table/records/via-provider.ts';
import type { OpenSignIn, Proof } from './open-sign-in.ts';
import { authenticatedAtMs } from './profile.ts';

/** What a session records about the provider that it came through. Pure. */
export function providerOfSession({ organization, signIn }: OpenSignIn, proof: Proof): SessionProvider {
  const { person, trustedFactor } = proof;
  const { id: organizationId, slug: orgSlug } = organization;
  return { organizationId, orgSlug, clientVersion: signIn.clientVersion, person, trustedFactor, confined: true };
}

/**
 * When the person last proved who they are. A provider that doesn't tell may have signed them in days ago, so the session
 * is not fresh.
 */
export function provedAtOf({ claims }: Proof): string {
  return new Date(authenticatedAtMs(claims, Date.now()) ?? 0).toISOString();
}

/** Whether the account's own factor still has to be asked for. Pure. */
export function needsOwnFactor({ trustedFactor }: Proof, user: UserRecord): boolean {
  return hasSecondFactor(user) && !trustedFactor;
}
