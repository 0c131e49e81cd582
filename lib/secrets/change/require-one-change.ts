import { maxKeysPerChange } from '../../contracts/fields/secret-rules.ts';
import { ApiError } from '../../core/errors.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { expandsBytes, expandsOf } from '../engine/references.ts';
import type { Decision, Put } from './change-request.ts';

/**
 * The write units of a change. An environment's partition takes 1,000 a second (Developer Guide, "Designing partition
 * keys"), and a request has to write its changes within the 22 seconds after which it no longer retries. The rest is
 * for what it reads (docs/performance.md).
 */
export const maximumChangeUnits = 17_500;

const bytesPerUnit = 1024;
/** Names of attributes, ids, times and numbers of a version, the nonce and the tag, and the longest slugs. */
const bytesBesideKeyAndValue = 450;

type Content = Pick<Decision<unknown>, 'puts' | 'deletions'>;

/** A key in the record of the revision. */
const recordedBytes = (key: string) => Buffer.byteLength(key) + 16;

function storedBytes({ value, expand }: Put): number {
  return Buffer.byteLength(value) + (expand === true ? expandsBytes(expandsOf(value)) : 0);
}

/**
 * An upper bound on what the change's heads, versions and record cost. A write costs as much as the larger of the old and the
 * new item, and in a transaction twice as much. Pure.
 */
export function changeUnits(
  { puts, deletions }: Content,
  before: ReadonlyMap<string, HeadRecord>,
  author: { email: string },
): number {
  const unitsOf = (key: string, valueBytes: number) => {
    const bytes = bytesBesideKeyAndValue + Buffer.byteLength(author.email) + 2 * Buffer.byteLength(key) + valueBytes;
    return Math.ceil(bytes / bytesPerUnit);
  };
  const unitsOfKey = (key: string, valueBytes: number) => {
    const replaced = before.get(key);
    const replacedBytes = (replaced?.sealed?.length ?? 0) + expandsBytes(replaced?.expands);
    return 2 * (unitsOf(key, valueBytes) + unitsOf(key, Math.max(valueBytes, replacedBytes)));
  };
  const sizes = [
    ...puts.map(put => ({ key: put.key, valueBytes: storedBytes(put) })),
    ...deletions.map(key => ({ key, valueBytes: 0 })),
  ];
  const ofRecord = 2 * Math.ceil(sizes.reduce((sum, { key }) => sum + recordedBytes(key), 0) / bytesPerUnit);
  return sizes.reduce((sum, { key, valueBytes }) => sum + unitsOfKey(key, valueBytes), ofRecord);
}

/**
 * Rejects a change that would be undone at its deadline, however often it is sent. One that may name its keys (an import,
 * a plan) always passes: its limits are those of the contract. @throws payload_too_large
 */
export function requireOneChange(
  content: Content,
  before: ReadonlyMap<string, HeadRecord>,
  author: { email: string },
): void {
  const keyCount = content.puts.length + content.deletions.length;
  const writeUnits = changeUnits(content, before, author);
  if (keyCount <= maxKeysPerChange || writeUnits <= maximumChangeUnits) return;
  const fitting = Math.floor((keyCount * maximumChangeUnits) / writeUnits);
  const message =
    `This would change ${keyCount} keys at once, and about ${fitting} of this size fit into one change. ` +
    'Make several changes, each of some of the keys.';
  throw new ApiError('payload_too_large', message, {
    details: { keyCount, maximumKeyCount: fitting, writeUnits, maximumWriteUnits: maximumChangeUnits },
  });
}
