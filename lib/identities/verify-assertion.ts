import { createHash } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, errors, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { ApiError } from '../core/errors.ts';
import type { VerificationKey } from '../table/records/identity.ts';

/** Asymmetric ones only: a public key can never be taken for the key of an HMAC. */
const algorithms = ['RS256', 'ES256', 'ES384', 'EdDSA'];
const clockSkewSeconds = 60;
const maximumAgeSeconds = 600;

/** One answer for all that an assertion can lack, so that a stranger learns nothing of identities and keys. */
export function invalidAssertion(cause?: unknown): ApiError {
  return new ApiError('invalid_assertion', 'The token proves no identity of this organization.', { cause });
}

/** What an assertion says of itself. Nothing of it is proven yet. @throws invalid_assertion if it is none */
export function unverifiedClaims(subjectToken: string): JWTPayload {
  try {
    return decodeJwt(subjectToken);
  } catch (error) {
    throw invalidAssertion(error);
  }
}

/** The audience must be the only one: a token for several services can be used by each of them. Pure. */
export function isOnlyAudience({ aud }: JWTPayload, audience: string): boolean {
  return aud === audience || (Array.isArray(aud) && aud.length === 1 && aud[0] === audience);
}

/**
 * The claims of an assertion that one of the keys signed, for this audience, by this issuer, not long ago. The header chooses
 * among the given keys and never brings one: `jku`, `x5u`, `x5c` and `jwk` are not looked at.
 * @returns undefined if none of the keys is the one that the header names
 * @throws invalid_assertion
 */
export async function verifyAssertion(
  subjectToken: string,
  { issuer, audience }: { issuer: string; audience: string },
  keys: readonly VerificationKey[],
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(subjectToken, createLocalJWKSet({ keys: keys as JWK[] }), {
      algorithms,
      issuer,
      audience,
      maxTokenAge: maximumAgeSeconds,
      clockTolerance: clockSkewSeconds,
      requiredClaims: ['exp', 'iat'],
    });
    if (isOnlyAudience(payload, audience)) return payload;
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return undefined;
    throw invalidAssertion(error);
  }
  throw invalidAssertion();
}

/** From when on `verifyAssertion` refuses the assertion for its age, in epoch seconds. Pure. */
export function endOfAssertion({ exp = 0, iat = 0 }: JWTPayload): number {
  return Math.ceil(Math.min(exp, iat + maximumAgeSeconds)) + clockSkewSeconds + 1;
}

/**
 * What is the same however often an assertion is presented: its `jti`, else its header and payload. Signatures don't
 * count, because some can be altered and still verify (ECDSA). Pure.
 */
export function assertionHash(purpose: string, identityId: string, subjectToken: string, { jti }: JWTPayload): string {
  const signed = subjectToken.slice(0, subjectToken.lastIndexOf('.'));
  const same = typeof jti === 'string' ? ['jti', jti] : ['signed', signed];
  return createHash('sha256')
    .update(JSON.stringify([purpose, identityId, ...same]))
    .digest('base64url');
}
