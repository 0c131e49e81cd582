import { ranges } from '#lib/table/keys.ts';
import { queryItems } from '#lib/table/read.ts';

/** What the service counts of the whole platform, over all shards. */
export async function platformCounts() {
  const shards = await queryItems(ranges.platformCounts());
  const sum = (name: string) => shards.reduce((total, shard) => total + Number(shard[name] ?? 0), 0);
  return { users: sum('users'), organizations: sum('organizations'), projects: sum('projects') };
}
