import { ranges } from '../table/keys.ts';
import { list } from '../table/read.ts';
import { platformCountRecord } from '../table/records/platform-count.ts';

/** How many users, organizations and projects there are: the sum over the shards that count them. */
export async function readStatistics(): Promise<{ users: number; organizations: number; projects: number }> {
  const shards = await list(platformCountRecord, ranges.platformCounts());
  const sum = (name: 'users' | 'organizations' | 'projects') => shards.reduce((total, shard) => total + shard[name], 0);
  return { users: sum('users'), organizations: sum('organizations'), projects: sum('projects') };
}
