import { ApiError } from '../../core/errors.ts';
import type { HeadRecord } from '../../table/records/secret.ts';

/** A pull without `limit` must fit Lambda's answer of 6 MB, also when it goes to the gateway base64-encoded. */
export const maxEnvironmentBytes = 4 * 1024 * 1024;

/** What the other members of a secret take in a pull. */
const bytesBesideKeyAndValue = 256;

/** What a secret counts for the bound of its environment: key and value as JSON, and the rest as a flat 256 bytes. */
export function secretSizeBytes(key: string, value: string): number {
  return Buffer.byteLength(JSON.stringify(key)) + Buffer.byteLength(JSON.stringify(value)) + bytesBesideKeyAndValue;
}

/** @throws payload_too_large where the values of these, of several moments or environments, do not fit one answer */
export function requireFitting(heads: readonly HeadRecord[]): void {
  const sizeBytes = heads.reduce((sum, head) => sum + (head.sizeBytes ?? 0), 0);
  if (sizeBytes <= maxEnvironmentBytes) return;
  throw new ApiError('payload_too_large', 'The values of this comparison do not fit one answer; ask for it without.', {
    details: { sizeBytes, maximumBytes: maxEnvironmentBytes },
  });
}

/** More than keys, names and everything but the value take in an item. */
const itemOverheadBytes = 1000;

/** An upper bound of a head's or version's size as an item of the table. */
export function headBytes({ key, sealed }: Pick<HeadRecord, 'key' | 'sealed'>): number {
  return (sealed?.length ?? 0) + 2 * key.length + itemOverheadBytes;
}
