import type { listOrganizations as contract } from '../contracts/admin/organizations.ts';
import type { AnswerOf, QueryOf } from '../contracts/contract.ts';
import { chunksOf } from '../core/chunks-of.ts';
import { ApiError } from '../core/errors.ts';
import { readUsage, usageOf } from '../plans/usage.ts';
import { ranges } from '../table/keys.ts';
import { at, list, readAll } from '../table/read.ts';
import { directoryByNameRecord, directoryBySlugRecord, organizationRecord } from '../table/records/organization.ts';

type OrganizationPage = AnswerOf<typeof contract>;

/** How many organizations are counted in parallel; more would only wait for the client's connections. */
const countedAtOnce = 50;

/** More would not fit in a response, and counting their usage would take too long for one request. */
const maximumWithoutPages = 10_000;

/** A page of the organizations (or all of them) by slug, each with its usage, without those being deleted. */
export async function listOrganizations(query: QueryOf<typeof contract>): Promise<OrganizationPage> {
  const { limit, offset, search = '' } = query;
  const slugs = await matchingSlugs(search.toLowerCase());
  const total = slugs.length;
  if (limit === undefined && total > maximumWithoutPages) {
    throw new ApiError('payload_too_large', `There are ${total} organizations. Use limit to request them in pages.`);
  }
  const pageSlugs = limit === undefined ? slugs : slugs.slice(offset, offset + limit);
  const organizations: OrganizationPage['organizations'] = [];
  for (const chunk of chunksOf(countedAtOnce, pageSlugs)) {
    // Counting needs only the slug, so it runs while the organizations are read.
    const [records, usages] = await Promise.all([
      readAll(chunk.map(slug => at(organizationRecord, slug))),
      Promise.all(chunk.map(slug => readUsage(slug))),
    ]);
    for (const [index, record] of records.entries()) {
      const usage = usages[index];
      // The organization was deleted or its slug was reused between the two reads.
      if (record?.status !== 'active' || usage?.organizationId !== record.id) continue;
      organizations.push({ ...record, usage: usageOf(record, usage) });
    }
  }
  return limit === undefined ? { organizations } : { organizations, pagination: { limit, offset, total } };
}

async function matchingSlugs(start: string): Promise<string[]> {
  const [bySlug, byName] = await Promise.all([
    list(directoryBySlugRecord, ranges.directoryBySlug(start)),
    start === '' ? [] : list(directoryByNameRecord, ranges.directoryByName(start)),
  ]);
  // In the key, `#` and the slug follow the name, and a search may also contain `#`.
  const named = byName.filter(({ name }) => name.toLowerCase().startsWith(start));
  return [...new Set([...bySlug, ...named].map(({ slug }) => slug))].sort();
}
