import type { JWTPayload } from 'jose';
import { ApiError } from '../core/errors.ts';
import { atMost, type Condition, isNew } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type AssertionRecord, assertionRecord, type IdentityRecord } from '../table/records/identity.ts';
import { put, type Write } from '../table/write.ts';
import { assertionHash, endOfAssertion } from './verify-assertion.ts';

interface ProvenAssertion {
  identity: IdentityRecord;
  /** The verified claims. */
  proven: JWTPayload;
  subjectToken: string;
}

/**
 * The write that records an assertion as exchanged. It can't be made twice, unless the identity accepts assertions more
 * than once; they are recorded even then, because the identity may stop accepting them.
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

/** The write that records the outcome of an assertion. */
export function recordOf(
  purpose: 'exchanged' | 'claims_mismatch' | 'assertion_replayed',
  { identity, subjectToken, proven }: ProvenAssertion,
  options: { if: Condition<AssertionRecord> | Condition<AssertionRecord>[]; refused: () => Error },
): Write {
  const hash = assertionHash(purpose, identity.id, subjectToken, proven);
  const record = { identityId: identity.id, expiresAt: endOfAssertion(proven) };
  return put(at(assertionRecord, hash), record, options);
}
