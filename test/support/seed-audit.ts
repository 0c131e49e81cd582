import { randomUUID } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { AuditAction } from '#lib/contracts/fields/audit-action.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { requiredSetting } from '#lib/core/settings.ts';
import { tableClient } from '#lib/table/client.ts';
import { at } from '#lib/table/read.ts';
import { type AuditRecord, auditRecord } from '#lib/table/records/audit.ts';

/** An entry like one that the service would have written at that time. */
export function auditEntry(action: AuditAction, createdAtMs: number, more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: randomUUID(),
    action,
    actor: { id: randomUUID(), email: 'ada@example.com', type: 'token', tokenId: randomUUID() },
    target: { type: 'project', id: randomUUID(), name: 'web-shop' },
    environment: { id: randomUUID(), slug: 'production' },
    revision: 17,
    ip: '203.0.113.7',
    userAgent: 'example-cli/1.4 (linux; x64)',
    requestId: randomUUID(),
    createdAt: new Date(createdAtMs).toISOString(),
    ...more,
  };
}

/** Writes entries to an organization's log, 25 at a time. */
export async function seedAudit(organizationId: string, entries: readonly AuditRecord[], partition = 0): Promise<void> {
  const table = requiredSetting('TABLE_NAME');
  for (const parallel of chunksOf(4, chunksOf(25, entries))) {
    await Promise.all(
      parallel.map(async chunk => {
        const puts = chunk.map(entry => {
          const { key } = at(auditRecord, organizationId, partition, entry);
          return { PutRequest: { Item: auditRecord.toItem(key, entry) } };
        });
        const answer = await tableClient().send(new BatchWriteCommand({ RequestItems: { [table]: puts } }));
        if (Object.keys(answer.UnprocessedItems ?? {}).length > 0) throw new Error('Some entries were not written.');
      }),
    );
  }
}
