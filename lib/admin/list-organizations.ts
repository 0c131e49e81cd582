import type { OrganizationWithUsage } from '../contracts/admin/organization-with-usage.ts';
import { chunksOf } from '../core/chunks-of.ts';
import { ApiError } from '../core/errors.ts';
import { readUsage, usageOf } from '../plans/usage.ts';
import { ranges } from '../table/keys.ts';
import { at, list, readAll } from '../table/read.ts';
import { directoryByNameRecord, directoryBySlugRecord, organizationRecord } from '../table/records/organization.ts';

interface Search {
  /** All of them where undefined. */
  limit?: number | undefined;
  offset: number;
  /** Start of slug or name, in any case. */
  search?: string | undefined;
}

interface OrganizationPage {
  organizations: OrganizationWithUsage[];
  pagination?: { limit: number; offset: number; total: number };
}

/** How many organizations are counted at the same time. More would only wait for the client's connections. */
const countedAtOnce = 50;

/** More would not fit an answer, and counting their usage would take longer than a request may. */
const maximumWithoutPages = 10_000;

function askForPages(total: number): ApiError {
  return new ApiError('payload_too_large', `There are ${total} organizations. Ask for them in pages, with limit.`);
}

/** The organizations or a page of them, by slug, each with what it uses. Those being deleted are not in the directory. */
export async function listOrganizations({ limit, offset, search }: Search): Promise<OrganizationPage> {
  const slugs = await matchingSlugs(search?.toLowerCase() ?? '');
  if (limit === undefined && slugs.length > maximumWithoutPages) throw askForPages(slugs.length);
  const wanted = limit === undefined ? slugs : slugs.slice(offset, offset + limit);
  const organizations: OrganizationWithUsage[] = [];
  for (const chunk of chunksOf(countedAtOnce, wanted)) {
    // Counting needs only the slug, so it runs while the organizations are read.
    const [records, usages] = await Promise.all([
      readAll(chunk.map(slug => at(organizationRecord, slug))),
      Promise.all(chunk.map(slug => readUsage(slug))),
    ]);
    for (const [index, record] of records.entries()) {
      const usage = usages[index];
      // Deleted, or the slug has another owner since one of the two was read.
      if (record?.status !== 'active' || usage?.organizationId !== record.id) continue;
      organizations.push({ ...record, usage: usageOf(record, usage) });
    }
  }
  return limit === undefined
    ? { organizations }
    : { organizations, pagination: { limit, offset, total: slugs.length } };
}

async function matchingSlugs(start: string): Promise<string[]> {
  const [bySlug, byName] = await Promise.all([
    list(directoryBySlugRecord, ranges.directoryBySlug(start)),
    start === '' ? [] : list(directoryByNameRecord, ranges.directoryByName(start)),
  ]);
  // In the key, `#` and the slug follow the name, and a search may contain `#` as well.
  const named = byName.filter(({ name }) => name.toLowerCase().startsWith(start));
  return [...new Set([...bySlug, ...named].map(({ slug }) => slug))].sort();
}
