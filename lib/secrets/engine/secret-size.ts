import { ApiError } from '../../core/errors.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { expandsBytes } from './references.ts';

/** A pull without `limit` must fit in Lambda's response limit of 6 MB, even base64-encoded. */
export const maxEnvironmentBytes = 4 * 1024 * 1024;

/** Room for the other members of a secret in a pull. */
const bytesBesideKeyAndValue = 256;

/** A secret's share of its environment's size limit: key and value as JSON, and a flat 256 bytes for the rest. */
export function secretSizeBytes(key: string, value: string): number {
  return Buffer.byteLength(JSON.stringify(key)) + Buffer.byteLength(JSON.stringify(value)) + bytesBesideKeyAndValue;
}

/** @throws payload_too_large if the values, of several revisions or environments, don't fit in one response */
export function requireFitting(heads: readonly Pick<HeadRecord, 'sizeBytes'>[]): void {
  const sizeBytes = heads.reduce((sum, head) => sum + (head.sizeBytes ?? 0), 0);
  if (sizeBytes <= maxEnvironmentBytes) return;
  const message = 'The values of this comparison do not fit in one response; request it without them.';
  throw new ApiError('payload_too_large', message, { details: { sizeBytes, maximumBytes: maxEnvironmentBytes } });
}

const itemOverheadBytes = 1000;

/** An upper bound on the size of a head or version as an item of the table. */
export function headBytes({ key, sealed, expands }: Pick<HeadRecord, 'key' | 'sealed' | 'expands'>): number {
  return (sealed?.length ?? 0) + expandsBytes(expands) + 2 * key.length + itemOverheadBytes;
}
