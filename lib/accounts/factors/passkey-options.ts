import type { PasskeyCreationOptions, PasskeyRequestOptions } from '../../contracts/auth/passkeys.ts';
import { dashboardOrigin } from '../../core/dashboard-origin.ts';
import { serviceName } from '../../mail/account-mails.ts';
import type { PasskeyRecord, UserRecord } from '../../table/records/user.ts';

/*
 * WebAuthn options for the browser. Written by hand so that functions that only issue challenges don't load the heavy
 * library that verifies the answers.
 */

export const challengeSeconds = 5 * 60;

/** WebAuthn's relying party is the dashboard. */
export async function relyingPartyId(): Promise<string> {
  return new URL(await dashboardOrigin()).hostname;
}

/** EdDSA, ES256 and RS256, which authenticators support. */
export const passkeyAlgorithms = [-8, -7, -257];

const base64url = (text: string) => Buffer.from(text, 'utf8').toString('base64url');

export const signedChallenge = base64url;

export function userOfHandle(handle: string | undefined): string | undefined {
  if (handle === undefined) return undefined;
  const userId = Buffer.from(handle, 'base64url').toString('utf8');
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(userId) ? userId : undefined;
}

const common = (challenge: string) => ({ challenge: signedChallenge(challenge), timeout: challengeSeconds * 1000 });

function descriptors(passkeys: readonly PasskeyRecord[]) {
  return passkeys.map(({ credentialId: id, transports }) => ({ type: 'public-key' as const, id, transports }));
}

/** Options to authenticate with one of the passkeys, or with any passkey for this site if none is given. */
export async function requestOptions(
  challenge: string,
  passkeys: readonly PasskeyRecord[],
): Promise<PasskeyRequestOptions> {
  const allowed = { rpId: await relyingPartyId(), allowCredentials: descriptors(passkeys) };
  return { ...common(challenge), ...allowed, userVerification: 'required' };
}

/** Options to create a passkey on an authenticator that doesn't have one for the account yet. */
export async function creationOptions(
  challenge: string,
  { id, email, name }: UserRecord,
  passkeys: readonly PasskeyRecord[],
): Promise<PasskeyCreationOptions> {
  return {
    ...common(challenge),
    rp: { id: await relyingPartyId(), name: serviceName },
    user: { id: base64url(id), name: email, displayName: name },
    pubKeyCredParams: passkeyAlgorithms.map(alg => ({ type: 'public-key', alg })),
    excludeCredentials: descriptors(passkeys),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  };
}
