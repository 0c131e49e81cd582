import { hash } from 'node:crypto';

/*
 * An order-independent digest of an environment's heads, deleted ones included: the sum modulo 2^128 of one hash per head.
 * A change adjusts it by what it replaces, so no writer has to know the other heads. A reader whose heads do not add up to
 * the digest in the state has seen items of different changes. It is no protection against an attacker who writes to the
 * table: the additional data of the ciphertexts is.
 *
 * A head's hash binds the change that wrote it, by its fencing token. In states of format 1 it bound the version alone.
 * Such a digest is read with a mark, verified as long as it is stored, and replaced by the next change.
 */
const modulus = 2n ** 128n;
const hexDigits = 32;
const format1Mark = '1:';

/** The digest of an environment without any key. */
export const emptyDigest = '0'.repeat(hexDigits);

interface DigestedHead {
  key: string;
  version: number;
  fence?: number | undefined;
}

/** Keys have no `#`, so no two heads make the same text. Heads from before there were fencing tokens have none. */
const termOf = ({ key, version, fence = 0 }: DigestedHead) => hashed(`${key}#${version}#${fence}`);
const termOfFormat1 = ({ key, version }: DigestedHead) => hashed(`${key}#${version}`);

function hashed(text: string): bigint {
  return BigInt(`0x${hash('sha256', text, 'hex').slice(0, hexDigits)}`);
}

function sum(heads: Iterable<DigestedHead>, term: (head: DigestedHead) => bigint): bigint {
  let total = 0n;
  for (const head of heads) total += term(head);
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

/** The digest after some heads made room for others. */
export function changedDigest(digest: string, removed: Iterable<DigestedHead>, added: Iterable<DigestedHead>): string {
  if (bindsVersionsOnly(digest)) throw new Error('A digest of format 1 can only be replaced as a whole.');
  return hex(BigInt(`0x${digest}`) + sum(added, termOf) - sum(removed, termOf));
}

/** Whether it is a digest of format 1. */
export function bindsVersionsOnly(digest: string): boolean {
  return digest.startsWith(format1Mark);
}

/** Whether the heads are exactly those that the digest was made of. */
export function addUpTo(digest: string, heads: Iterable<DigestedHead>): boolean {
  if (bindsVersionsOnly(digest)) return hex(sum(heads, termOfFormat1)) === digest.slice(format1Mark.length);
  return digestOf(heads) === digest;
}
