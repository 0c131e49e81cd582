import { createLocalJWKSet, errors, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { clockSkewSeconds } from '../contracts/fields/identity-limits.ts';
import { equalInConstantTime } from '../crypto/credentials.ts';
import { signatureAlgorithms } from '../identities/verify-assertion.ts';
import type { VerificationKey } from '../table/records/identity.ts';

interface Expected {
  issuer: string;
  clientId: string;
  nonce: string;
}

/** `unknown-key`: the header names none of the keys. `isSigned`: the provider signed it, though it is not acceptable. */
export type VerifiedIdToken =
  | { claims: JWTPayload & { sub: string } }
  | { problem: 'unknown-key' | 'invalid'; isSigned: boolean };

/**
 * Verifies an id token (OpenID Connect Core 1.0, section 3.1.3.7): signature, issuer, audience, authorized party, times,
 * nonce and subject. Only the given keys count; whatever the header says about others is ignored.
 */
export async function verifyIdToken(
  idToken: string,
  { issuer, clientId, nonce }: Expected,
  keys: readonly VerificationKey[],
): Promise<VerifiedIdToken> {
  const invalid = (isSigned: boolean) => ({ problem: 'invalid', isSigned }) as const;
  let claims: JWTPayload;
  try {
    ({ payload: claims } = await jwtVerify(idToken, createLocalJWKSet({ keys: keys as JWK[] }), {
      algorithms: signatureAlgorithms,
      issuer,
      audience: clientId,
      clockTolerance: clockSkewSeconds,
      requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
    }));
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return { problem: 'unknown-key', isSigned: false };
    // Claims are only looked at after the signature was verified.
    return invalid(error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired);
  }
  const { sub, iat = Number.POSITIVE_INFINITY } = claims;
  const isAcceptable =
    isSubject(sub) &&
    iat <= Date.now() / 1000 + clockSkewSeconds &&
    isForClient(claims, clientId) &&
    typeof claims.nonce === 'string' &&
    equalInConstantTime(claims.nonce, nonce);
  return isAcceptable && isSubject(sub) ? { claims: { ...claims, sub } } : invalid(true);
}

/** At most 255 characters (section 2); more are accepted only from providers that don't keep to it. */
function isSubject(sub: unknown): sub is string {
  return typeof sub === 'string' && sub !== '' && sub.length <= 1000;
}

/** With further audiences, the authorized party must be the client; where it is named, it must be so in any case. */
function isForClient({ aud, azp }: JWTPayload, clientId: string): boolean {
  const hasOthers = Array.isArray(aud) && aud.some(one => one !== clientId);
  return azp === undefined ? !hasOthers : azp === clientId;
}
