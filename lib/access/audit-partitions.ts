import { randomInt } from 'node:crypto';
import type { AuditAction } from '../contracts/fields/audit-action.ts';
import type { Log } from '../core/logger.ts';
import { processCollection } from '../core/process-memory.ts';
import { at } from '../table/read.ts';
import { auditPartitionsRecord } from '../table/records/audit-partitions.ts';
import { isPartitionThrottled } from '../table/retry.ts';
import { put, putAlone, type Write } from '../table/write.ts';

/*
 * A partition accepts 1,000 write units a second, so one partition of entries would limit an organization to 1,000 pulls
 * a second. Once DynamoDB has throttled it for that reason, the process spreads the organization's pulls over several
 * partitions. An item says so first, because readers of the log have to look into all of them. Every process finds out
 * for itself: the item costs those that pull nothing, and a quiet organization has none.
 *
 * An entry is never moved by a retry: if an attempt's response was lost, there would be two.
 */

/** For 10,000 pulls a second, with room for an uneven spread. */
export const auditPartitions = 16;

/** The one action that is recorded often enough. All others follow a change, or are read by people. */
export const spreadAction: AuditAction = 'secret.pulled';

/** The organizations whose entries this process spreads. */
const busy = processCollection('busy-organizations', new Set<string>());
const maximumBusy = 10_000;

/** The partition for a new entry. */
export function partitionOf(organizationId: string, action: AuditAction): number {
  return action === spreadAction && busy.has(organizationId) ? randomInt(auditPartitions) : 0;
}

/** Puts the entry of a read, and spreads the following ones if its partition has reached its limit. */
export async function putReadEntry(entry: Write, organizationId: string, log: Log): Promise<void> {
  if (!(await isPartitionThrottled(() => putAlone(entry))) || busy.has(organizationId)) return;
  try {
    await putAlone(put(at(auditPartitionsRecord, organizationId), { partitions: auditPartitions }));
  } catch (error) {
    // The next throttled read tries again.
    log.warn('could not spread audit entries', { organizationId, reason: String(error) });
    return;
  }
  if (busy.size >= maximumBusy) busy.clear();
  busy.add(organizationId);
}
