import { randomUUID } from 'node:crypto';
import type { RequestSource } from '../core/request-source.ts';
import { effectiveLimits, isUnlimited, recentPlanConfigs } from '../plans/effective-limits.ts';
import { isNew } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type AuditRecord, auditRecord } from '../table/records/audit.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { currentWork } from '../table/request-work.ts';
import { put, type Write } from '../table/write.ts';
import { keysThatFit } from './keys-that-fit.ts';
import { partitionOf } from './partitions.ts';
import { expiryOf } from './retention.ts';

type DescribedFact =
  | 'action'
  | 'target'
  | 'project'
  | 'environment'
  | 'revision'
  | 'message'
  | 'details'
  | 'from'
  | 'grants';

/** The content of an entry besides actor and source. No secret value ever appears here. */
export interface AuditFacts extends Pick<AuditRecord, DescribedFact> {
  /** Names of secrets. */
  keys?: readonly string[];
  /** Keys that already had their value, according to the response to a change. */
  unchanged?: readonly string[];
  /** The same for each attempt at a change, so that all attempts write the same entry. */
  entry?: { id: string; createdAtMs: number };
}

export type AuditActor = AuditRecord['actor'];

/** An identity has no e-mail address. */
export function identityActor(id: string, name: string, tokenId?: string): AuditActor {
  return { id, email: null, name, type: 'identity', tokenId };
}

/** The service, acting without a user's request. */
export const systemActor: AuditActor = { id: null, email: null, type: 'system' };

/** DynamoDB limits an item to 400 KB. 1,000 of the longest keys fit; only a promotion can have more. */
const maximumKeyBytes = 300_000;

function namedKeys(allKeys: readonly string[], allUnchanged: readonly string[]) {
  const { keys, keysOmitted } = keysThatFit(allKeys, maximumKeyBytes);
  const unchanged = keysThatFit(allUnchanged, maximumKeyBytes - JSON.stringify(keys).length);
  const omitted = keysOmitted + unchanged.keysOmitted;
  return {
    keys: [...keys],
    unchanged: unchanged.keys.length === 0 ? undefined : [...unchanged.keys],
    keysOmitted: omitted === 0 ? undefined : omitted,
  };
}

/**
 * All entries older than this are in the table. An entry's time is taken before its write, and a request begins its
 * writes within 27 s (see `requireTimeToWrite`). The rest is for late calls and for clocks that differ.
 */
export const longestWriteMs = 60_000;

export function newAuditEntry(): { id: string; createdAtMs: number } {
  return { id: randomUUID(), createdAtMs: Date.now() };
}

/**
 * The write of one audit entry, for the transaction of the change that it records. For a read, send it before values
 * leave the service. The entry expires according to the retention of the organization's current plan.
 */
export async function auditWrite(
  organization: Pick<OrganizationRecord, 'id' | 'plan' | 'limitOverrides'>,
  actor: AuditActor,
  source: RequestSource,
  { keys, unchanged = [], entry, ...facts }: AuditFacts,
): Promise<Write> {
  const { auditRetentionDays } = effectiveLimits(organization, await recentPlanConfigs()).effective;
  const { id, createdAtMs } = entry ?? newAuditEntry();
  const record: AuditRecord = {
    ...facts,
    id,
    actor,
    ...(keys && namedKeys(keys, unchanged)),
    ip: source.ip,
    userAgent: source.userAgent,
    requestId: source.requestId,
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: isUnlimited(auditRetentionDays) ? undefined : expiryOf(createdAtMs, auditRetentionDays),
  };
  const work = currentWork();
  if (work !== undefined) work.auditBytes += JSON.stringify(record).length;
  const partition = partitionOf(organization.id, facts.action);
  return put(at(auditRecord, organization.id, partition, record), record, { if: isNew });
}
