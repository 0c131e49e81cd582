import { createHash } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, errors, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { clockSkewSeconds, maximumAssertionAgeMinutes } from '../contracts/fields/identity-limits.ts';
import { isOnlyAudience } from '../contracts/fields/match-claims.ts';
import { ApiError } from '../core/errors.ts';
import { atMost, type Condition, isNew } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import {
  type AssertionRecord,
  assertionRecord,
  type IdentityRecord,
  type VerificationKey,
} from '../table/records/identity.ts';
import { put, type Write } from '../table/write.ts';

/** Asymmetric only, so that a public key can never be used as an HMAC key. */
export const signatureAlgorithms = ['RS256', 'ES256', 'ES384', 'EdDSA'];

/** The same error for every flaw but the times, so that strangers learn nothing about identities and keys. */
export function invalidAssertion(cause?: unknown): ApiError {
  return new ApiError('invalid_assertion', 'The token does not prove any identity of this organization.', { cause });
}

/** The claims of an assertion before any verification. @throws invalid_assertion if it is malformed */
export function unverifiedClaims(subjectToken: string): JWTPayload {
  try {
    return decodeJwt(subjectToken);
  } catch (error) {
    throw invalidAssertion(error);
  }
}

/**
 * The claims of an assertion after checking signature, issuer, audience and age. The header selects one of the given
 * keys but can't supply one: `jku`, `x5u`, `x5c` and `jwk` are ignored.
 * @returns undefined if the header names none of the keys
 * @throws invalid_assertion, which says what is wrong with the times once everything else is right
 */
export async function verifyAssertion(
  subjectToken: string,
  { issuer, audience, maximumAgeMinutes }: { issuer: string; audience: string; maximumAgeMinutes: number },
  keys: readonly VerificationKey[],
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(subjectToken, createLocalJWKSet({ keys: keys as JWK[] }), {
      algorithms: signatureAlgorithms,
      issuer,
      audience,
      maxTokenAge: maximumAgeMinutes * 60,
      clockTolerance: clockSkewSeconds,
      requiredClaims: ['exp', 'iat'],
    });
    if (isOnlyAudience(payload, audience)) return payload;
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return undefined;
    throw isOfTimes(error, issuer, audience) ? badTimes(error, maximumAgeMinutes) : invalidAssertion(error);
  }
  throw invalidAssertion();
}

type ClaimError = errors.JWTExpired | errors.JWTClaimValidationFailed;

/** `jose` checks the claims after the signature. */
function isOfTimes(error: unknown, issuer: string, audience: string): error is ClaimError {
  if (!(error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed)) return false;
  const { claim, payload } = error;
  return ['exp', 'iat', 'nbf'].includes(claim) && payload.iss === issuer && isOnlyAudience(payload, audience);
}

/** Shown only to holders of a token that the issuer signed for this identity. */
function badTimes(error: ClaimError, maximumAgeMinutes: number): ApiError {
  const { claim, payload } = error;
  const time = payload[claim];
  const seconds = typeof time === 'number' ? Math.round(Date.now() / 1000 - time) : undefined;
  const problem = problemOfTime(claim, seconds, maximumAgeMinutes);
  return new ApiError('invalid_assertion', `The token was rejected: ${problem}.`, { cause: error });
}

/** @param seconds since the claim's time; undefined if it is missing or not a number */
function problemOfTime(claim: string, seconds: number | undefined, maximumAgeMinutes: number): string {
  if (seconds === undefined) return `its ${claim} is missing or not a number`;
  if (claim === 'exp')
    return `it expired ${seconds} seconds ago (exp). Get a new one, or check the clock of its issuer`;
  if (seconds < 0) {
    const means = claim === 'nbf' ? 'is not valid before' : 'was issued';
    return `it ${means} ${-seconds} seconds from now (${claim}). Check the clock of its issuer`;
  }
  return (
    `it was issued ${seconds} seconds ago (iat), and the identity accepts ${maximumAgeMinutes * 60}. ` +
    'Get a new one, or ask an owner or admin to raise `maxAssertionAgeMinutes`'
  );
}

/** From then on, `verifyAssertion` rejects the assertion, even after a rise of the maximum age. In epoch seconds. */
export function endOfAssertion({ exp = 0, iat = 0 }: JWTPayload): number {
  return Math.ceil(Math.min(exp, iat + maximumAssertionAgeMinutes * 60)) + clockSkewSeconds + 1;
}

/**
 * The same hash each time an assertion is presented. It covers the `jti` or, if there is none, the header and payload,
 * but not the signature: some signatures can be altered and still verify (ECDSA).
 */
export function assertionHash(purpose: string, identityId: string, subjectToken: string, { jti }: JWTPayload): string {
  const signed = subjectToken.slice(0, subjectToken.lastIndexOf('.'));
  const unique = typeof jti === 'string' ? ['jti', jti] : ['signed', signed];
  const identified = JSON.stringify([purpose, identityId, ...unique]);
  return createHash('sha256').update(identified).digest('base64url');
}

export interface ProvenAssertion {
  identity: IdentityRecord;
  proven: JWTPayload;
  subjectToken: string;
}

/**
 * The write that records an assertion as exchanged. It fails the second time, unless the identity accepts assertions
 * more than once. They are recorded even then, because the identity may stop accepting them.
 */
export function recordOfUse(assertion: ProvenAssertion): Write {
  const { singleUse } = assertion.identity;
  if (singleUse) return recordOf('exchanged', assertion, { if: isNew, refused: assertionReplayed });
  // An issuer may repeat a `jti`. The record must outlive each token that has it.
  const endsNoLater = { expiresAt: atMost(endOfAssertion(assertion.proven)) };
  return recordOf('exchanged', assertion, { if: [isNew, endsNoLater], refused: () => new RecordedForLonger() });
}

/** The record of another assertion with the same `jti` ends later. */
export class RecordedForLonger extends Error {}

function assertionReplayed(): ApiError {
  return new ApiError(
    'assertion_replayed',
    'This token was already exchanged. Get a new one from its issuer. If this is a workload that can only present the ' +
      'same token again, ask an owner or admin to set `singleUse: false` on the identity.',
  );
}

/** Why a genuine assertion is rejected, for its audit entry. */
export type RefusalReason = 'claims_mismatch' | 'assertion_replayed' | 'network_not_allowed';

export function recordOf(
  purpose: 'exchanged' | RefusalReason,
  { identity, subjectToken, proven }: ProvenAssertion,
  options: { if: Condition<AssertionRecord> | Condition<AssertionRecord>[]; refused: () => Error },
): Write {
  const hash = assertionHash(purpose, identity.id, subjectToken, proven);
  const record = { identityId: identity.id, expiresAt: endOfAssertion(proven) };
  return put(at(assertionRecord, hash), record, options);
}
