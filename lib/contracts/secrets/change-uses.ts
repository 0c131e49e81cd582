/**
 * What every change of secrets uses. Even a deletion may have to undo another writer's abandoned change during a key
 * rotation (`undo-change.ts`), which requires decryption.
 */
export const changeUses = {
  table: ['GetItem', 'Query', 'DeleteItem'],
  reads: ['ENV', 'PLANS'],
  writes: ['ENV', 'AUDIT', 'PAYLOAD', 'DELIVERIES'],
  key: { project: ['Decrypt'] },
  queues: ['webhooks'],
} as const;
