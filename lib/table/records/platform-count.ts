import { randomInt } from 'node:crypto';
import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { at } from '../read.ts';
import { upsert, type Write } from '../write.ts';

/** The counts are spread over this many items, so that concurrent changes rarely conflict. */
const platformCountShards = 16;

/** One shard of the platform's counts. Only the sum of all shards is meaningful. */
export const platformCountRecord = entity('platformCount', keys.platformCount, {
  users: z.int().default(0),
  organizations: z.int().default(0),
  projects: z.int().default(0),
});

/** Belongs in the transaction that creates or removes the counted item. */
export function countPlatform(changes: { users?: number; organizations?: number; projects?: number }): Write {
  return upsert(at(platformCountRecord, randomInt(platformCountShards)), { add: changes });
}
