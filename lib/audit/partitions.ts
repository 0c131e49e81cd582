import { randomInt } from 'node:crypto';
import type { AuditAction } from '../contracts/fields/audit-action.ts';
import { CapacityMissing, evenIfThrottled } from '../core/capacity.ts';
import type { Log } from '../core/logger.ts';
import { processCollection } from '../core/process-memory.ts';
import { ranges } from '../table/keys.ts';
import { at } from '../table/read.ts';
import { auditPartitionsRecord } from '../table/records/audit.ts';
import { watchPut } from '../table/retry.ts';
import { put, putAlone, type Write } from '../table/write.ts';

/*
 * A partition accepts 1,000 write units a second, so one partition limits an organization to 1,000 pulls a second. A
 * process whose writes are throttled spreads the entries of further pulls over several partitions. Before that, it
 * stores an item for readers of the log, who must then read all partitions. Pulls never read this item.
 *
 * An entry moves to another partition only if nothing was executed in its first one. Otherwise there might be two.
 */

/** Enough for 10,000 pulls a second, even if they are spread unevenly. */
export const auditPartitions = 16;

/** Only pulls are frequent enough. All other entries record changes, or reads by people. */
export const spreadAction: AuditAction = 'secret.pulled';

/** The organizations whose entries this process spreads. */
const busy = processCollection('busy-organizations', new Set<string>());
const maximumBusy = 10_000;

export function partitionOf(organizationId: string, action: AuditAction): number {
  return action === spreadAction && busy.has(organizationId) ? randomInt(auditPartitions) : 0;
}

/** Writes the entry of a read. If its partition is throttled, this and the following entries are spread. */
export async function putReadEntry(entry: Write, organizationId: string, log: Log): Promise<void> {
  const { wasThrottled, rejected } = await watchPut(() => putAlone(entry));
  if (wasThrottled && !busy.has(organizationId)) await spread(organizationId, log);
  if (rejected === undefined) return;
  if (!(rejected instanceof CapacityMissing) || !busy.has(organizationId)) throw rejected;
  await putAlone(moved(entry, organizationId));
}

async function spread(organizationId: string, log: Log): Promise<void> {
  try {
    const item = put(at(auditPartitionsRecord, organizationId), { partitions: auditPartitions });
    // It is in the partition that is throttled, because readers find it there.
    await evenIfThrottled(() => putAlone(item));
  } catch (error) {
    // The next throttled read tries again.
    log.warn('could not spread audit entries', { organizationId, reason: String(error) });
    return;
  }
  if (busy.size >= maximumBusy) busy.clear();
  busy.add(organizationId);
}

function moved({ key, item, ...entry }: Write, organizationId: string): Write {
  const { pk } = ranges.audit(organizationId, randomInt(1, auditPartitions));
  return { ...entry, key: { ...key, pk }, item: { ...item, pk } };
}
