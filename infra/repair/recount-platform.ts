import { readStatistics } from '#lib/admin/read-statistics.ts';
import { ranges } from '#lib/table/keys.ts';
import { list } from '#lib/table/read.ts';
import { directoryBySlugRecord } from '#lib/table/records/organization.ts';
import { countPlatform } from '#lib/table/records/platform.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { transact } from '#lib/table/write.ts';
import type { Drift } from './recount.ts';

/**
 * Compares the platform's organization and project counts with the directory. Users are not in any directory, so their
 * count is not compared. Run it at a quiet time: anything created during the recount shows up as drift.
 */
export async function recountPlatform({ fix }: { fix: boolean }): Promise<Drift[]> {
  const directory = await list(directoryBySlugRecord, ranges.directoryBySlug(''));
  let projects = 0;
  for (const { slug } of directory) {
    const all = await list(projectRecord, ranges.projects(slug));
    projects += all.filter(({ status }) => status === 'active').length;
  }
  const recorded = await readStatistics();
  const missing = { organizations: directory.length - recorded.organizations, projects: projects - recorded.projects };
  if (fix && (missing.organizations !== 0 || missing.projects !== 0)) await transact([countPlatform(missing)]);
  return (['organizations', 'projects'] as const)
    .filter(name => missing[name] !== 0)
    .map(name => ({ counter: name, recorded: recorded[name], counted: recorded[name] + missing[name] }));
}
