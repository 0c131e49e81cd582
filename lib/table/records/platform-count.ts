import { randomInt } from 'node:crypto';
import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { at } from '../read.ts';
import { upsert, type Write } from '../write.ts';

/** How many items share the platform's counts, so that changes at the same moment rarely meet on one. */
export const platformCountShards = 16;

/** One shard of the platform's counts; only the sum over all shards means anything. */
export const platformCountRecord = entity({
  kind: 'platformCount',
  key: keys.platformCount,
  schema: z.object({
    users: z.int().default(0),
    organizations: z.int().default(0),
    projects: z.int().default(0),
  }),
});

/** The write that counts. It belongs in the transaction that makes or removes what is counted. */
export function countPlatform(changes: { users?: number; organizations?: number; projects?: number }): Write {
  return upsert(at(platformCountRecord, randomInt(platformCountShards)), { add: changes });
}
