import { ranges } from '../table/keys.ts';
import { list } from '../table/read.ts';
import { platformCountRecord } from '../table/records/platform.ts';

/** The numbers of users, organizations and projects, summed over the counter shards. */
export async function readStatistics(): Promise<{ users: number; organizations: number; projects: number }> {
  const shards = await list(platformCountRecord, ranges.platformCounts());
  const sum = (name: 'users' | 'organizations' | 'projects') => shards.reduce((total, shard) => total + shard[name], 0);
  return { users: sum('users'), organizations: sum('organizations'), projects: sum('projects') };
}
