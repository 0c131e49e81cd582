import { readStatistics } from '#lib/admin/read-statistics.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, list, readAll } from '#lib/table/read.ts';
import { directoryBySlugRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { countPlatform } from '#lib/table/records/platform.ts';
import { transact } from '#lib/table/write.ts';
import type { Drift, Recount } from './recount.ts';

/** How many times to count until nothing was created or deleted meanwhile. */
const maximumPasses = 6;

/**
 * Compares the platform's organization and project counts with the directory and with the organizations' own counts of
 * projects, which `recountOrganization` compares. Users are not in any directory, so their count is not compared. What
 * is created while it counts would look like drift, so then it counts again, and in the end corrects nothing.
 */
export async function recountPlatform({ fix }: { fix: boolean }): Promise<Recount> {
  for (let pass = 1; ; pass += 1) {
    const before = await readStatistics();
    const counted = await countDirectory();
    const recorded = await readStatistics();
    const isQuiet = before.organizations === recorded.organizations && before.projects === recorded.projects;
    if (!isQuiet && pass < maximumPasses) continue;
    const drifts: Drift[] = (['organizations', 'projects'] as const)
      .filter(name => counted[name] !== recorded[name])
      .map(name => ({ counter: name, recorded: recorded[name], counted: counted[name] }));
    if (!isQuiet) return { drifts, unfixed: drifts };
    const missing = {
      organizations: counted.organizations - recorded.organizations,
      projects: counted.projects - recorded.projects,
    };
    // It adds what is missing, so what is created from now on is not lost.
    if (fix && drifts.length > 0) await transact([countPlatform(missing)]);
    return { drifts, unfixed: [] };
  }
}

async function countDirectory(): Promise<{ organizations: number; projects: number }> {
  const directory = await list(directoryBySlugRecord, ranges.directoryBySlug(''));
  const organizations = await readAll(directory.map(({ slug }) => at(organizationRecord, slug)));
  const projects = organizations.reduce((sum, organization) => sum + (organization?.projectCount ?? 0), 0);
  return { organizations: directory.length, projects };
}
