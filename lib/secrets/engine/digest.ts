import { hash } from 'node:crypto';

/*
 * An order-independent digest of an environment's live heads: the sum modulo 2^128 of one hash per head. A change adjusts
 * it by what it replaces, so no writer has to know the other heads. A reader whose heads do not add up to the digest in the
 * state has seen items of different changes. It is no protection against an attacker who writes to the table: the
 * additional data of the ciphertexts is.
 *
 * A head's hash binds the change that wrote it, by its fencing token. Heads of deleted keys do not count, so moving them
 * out of the way changes no digest.
 */
const modulus = 2n ** 128n;
const hexDigits = 32;

/** The digest of an environment without any secret. */
export const emptyDigest = '0'.repeat(hexDigits);

interface DigestedHead {
  key: string;
  version: number;
  fence: number;
  deleted?: true | undefined;
}

/** Keys have no `#`, so no two heads make the same text. */
function termOf({ key, version, fence, deleted }: DigestedHead): bigint {
  if (deleted === true) return 0n;
  return BigInt(`0x${hash('sha256', `${key}#${version}#${fence}`, 'hex').slice(0, hexDigits)}`);
}

function sum(heads: Iterable<DigestedHead>): bigint {
  let total = 0n;
  for (const head of heads) total += termOf(head);
  return total;
}

function hex(total: bigint): string {
  const rest = total % modulus;
  return (rest < 0n ? rest + modulus : rest).toString(16).padStart(hexDigits, '0');
}

/** 32 hex digits. */
export function digestOf(heads: Iterable<DigestedHead>): string {
  return changedDigest(emptyDigest, [], heads);
}

/** The digest after some heads were replaced by others. */
export function changedDigest(digest: string, removed: Iterable<DigestedHead>, added: Iterable<DigestedHead>): string {
  return hex(BigInt(`0x${digest}`) + sum(added) - sum(removed));
}

/** Whether the heads are exactly those that the digest was made of. */
export function addUpTo(digest: string, heads: Iterable<DigestedHead>): boolean {
  return digestOf(heads) === digest;
}
