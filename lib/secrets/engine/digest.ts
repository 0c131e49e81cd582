import { hash } from 'node:crypto';

/*
 * An order-independent digest of an environment's heads, deleted ones included: the sum modulo 2^128 of one hash per
 * (key, version). A change adjusts it by what it replaces, so no writer has to know the other heads. A reader whose heads
 * do not add up to the digest in the state has seen items of different revisions. It is no protection against somebody
 * who writes to the table: the additional data of the ciphertexts is.
 */
const modulus = 2n ** 128n;
const hexDigits = 32;

/** The digest of an environment without any key. */
export const emptyDigest = '0'.repeat(hexDigits);

interface HeadVersion {
  key: string;
  version: number;
}

/** Keys have no `#`, so no two pairs make the same text. */
function term({ key, version }: HeadVersion): bigint {
  return BigInt(`0x${hash('sha256', `${key}#${version}`, 'hex').slice(0, hexDigits)}`);
}

function sum(heads: Iterable<HeadVersion>): bigint {
  let total = 0n;
  for (const head of heads) total += term(head);
  return total;
}

/** 32 hex digits. */
export function digestOf(heads: Iterable<HeadVersion>): string {
  return changedDigest(emptyDigest, [], heads);
}

/** The digest after some heads made room for others. */
export function changedDigest(digest: string, removed: Iterable<HeadVersion>, added: Iterable<HeadVersion>): string {
  const total = (BigInt(`0x${digest}`) + sum(added) - sum(removed)) % modulus;
  return (total < 0n ? total + modulus : total).toString(16).padStart(hexDigits, '0');
}
