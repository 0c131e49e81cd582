import { hash } from 'node:crypto';
import type { HeadRecord } from '../../table/records/secret.ts';

/*
 * An order-independent digest of an environment's live heads: the sum modulo 2^128 of one hash per head, with the token
 * of the change that wrote it. A change updates it from the heads that it replaces. Heads that don't match the state's
 * digest are of different changes. Against an attacker who writes to the table, only the ciphertexts' additional data
 * protects.
 */
const modulus = 2n ** 128n;
const hexDigits = 32;

export const emptyDigest = '0'.repeat(hexDigits);

type DigestedHead = Pick<HeadRecord, 'key' | 'version' | 'fence' | 'deleted'>;

/** Keys contain no `#`, so no two heads give the same text. */
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
export const digestOf = (heads: Iterable<DigestedHead>): string => changedDigest(emptyDigest, [], heads);

export function changedDigest(digest: string, removed: Iterable<DigestedHead>, added: Iterable<DigestedHead>): string {
  return hex(BigInt(`0x${digest}`) + sum(added) - sum(removed));
}

export const addUpTo = (digest: string, heads: Iterable<DigestedHead>): boolean => digestOf(heads) === digest;
