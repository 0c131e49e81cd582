import { hash } from 'node:crypto';

/*
 * An order-independent digest of an environment's live heads: the sum modulo 2^128 of one hash per head. A change adjusts
 * it by what it replaces, so no writer has to know the other heads. A reader whose heads do not add up to the digest in the
 * state has seen items of different changes. It is no protection against an attacker who writes to the table: the
 * additional data of the ciphertexts is.
 *
 * A head's hash binds the change that wrote it, by its fencing token. Heads of deleted keys do not count, so moving them
 * out of the way changes no digest.
 *
 * Older digests are read with a mark, verified as long as they are stored, and replaced by the next change: format 2
 * counted the heads of deleted keys, and format 1 bound the version alone as well.
 */
const modulus = 2n ** 128n;
const hexDigits = 32;
const mark = /^([12]):/;

/** The digest of an environment without any secret. */
export const emptyDigest = '0'.repeat(hexDigits);

interface DigestedHead {
  key: string;
  version: number;
  fence?: number | undefined;
  deleted?: true | undefined;
}

type Term = (head: DigestedHead) => bigint;

/** Keys have no `#`, so no two heads make the same text. Heads from before there were fencing tokens have none. */
const termOfFormat2: Term = ({ key, version, fence = 0 }) => hashed(`${key}#${version}#${fence}`);
const termOfFormat1: Term = ({ key, version }) => hashed(`${key}#${version}`);
const termOf: Term = head => (head.deleted === true ? 0n : termOfFormat2(head));

function hashed(text: string): bigint {
  return BigInt(`0x${hash('sha256', text, 'hex').slice(0, hexDigits)}`);
}

function sum(heads: Iterable<DigestedHead>, term: Term): bigint {
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
  if (countsDeadHeads(digest)) throw new Error('A digest of an older format can only be replaced as a whole.');
  return hex(BigInt(`0x${digest}`) + sum(added, termOf) - sum(removed, termOf));
}

/** Whether it is of an older format, which counted the heads of deleted keys. */
export function countsDeadHeads(digest: string): boolean {
  return mark.test(digest);
}

/** Whether the heads are exactly those that the digest was made of. */
export function addUpTo(digest: string, heads: Iterable<DigestedHead>): boolean {
  const format = mark.exec(digest)?.[1];
  const term = format === '1' ? termOfFormat1 : format === '2' ? termOfFormat2 : termOf;
  return hex(sum(heads, term)) === digest.replace(mark, '');
}
