import type { components, paths } from './api-types.ts';
import type { CallOptions } from './environment-options.ts';
import type { Holdfast } from './holdfast.ts';

export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditPage = components['schemas']['ListAuditEntriesResponse'];
type ListQuery = NonNullable<paths['/v1/audit/{orgId}']['get']['parameters']['query']>;

/** Which entries, and how many of the newest to skip. `limit` is the size of a page. */
export type AuditQuery = Omit<ListQuery, 'after'>;

export interface PageOptions<Page> extends CallOptions {
  /** Called with every page as it arrives, to show how far it has come. */
  onPage?: ((page: Page) => void) | undefined;
}

/** A request that reads much of the log takes up to 20 seconds, and the service's gateway waits for 30. */
export const limits = { attemptTimeoutMs: 30_000 } as const;

/**
 * The entries of an organization's audit log, newest first, to the end of the log. Each request reads a limited part of
 * the log, so a rare match may take several.
 *
 * @example for await (const entry of auditLog(hf, organizationId, { key: 'API_KEY' })) console.log(entry.action);
 */
export async function* auditLog(
  client: Holdfast,
  organizationId: string,
  query: AuditQuery = {},
  { signal, onPage }: PageOptions<AuditPage> = {},
): AsyncGenerator<AuditEntry, void, undefined> {
  const options = { path: { orgId: organizationId }, limits, ...(signal === undefined ? {} : { signal }) };
  const seen = new Set<string>();
  for (let asked: ListQuery | undefined = query; asked !== undefined; ) {
    const page: AuditPage = await client.request('GET', '/v1/audit/{orgId}', { ...options, query: asked });
    onPage?.(page);
    for (const entry of page.entries) {
      // New entries move earlier ones to the next page.
      if (!seen.has(entry.id)) yield entry;
      seen.add(entry.id);
    }
    const next = nextOf(page);
    asked = next && { ...asked, ...next };
  }
}

/** What to ask for after a page; undefined after the last one. */
function nextOf({ entries, next, pagination: { offset, total } }: AuditPage): ListQuery | undefined {
  if (next !== undefined) return { after: next };
  const reached = offset + entries.length;
  return entries.length > 0 && total !== null && reached < total ? { offset: reached } : undefined;
}
