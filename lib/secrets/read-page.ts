import type { Pagination } from '../contracts/fields/query.ts';

export interface PageWanted {
  limit?: number | undefined;
  offset?: number | undefined;
  search?: string | undefined;
}

/** The part of a sorted list that a query asks for: keys with a prefix, and one page if there is a limit. Pure. */
export function pageOf<T extends { key: string }>(
  all: readonly T[],
  { limit, offset = 0, search }: PageWanted,
): { shown: readonly T[]; pagination?: Pagination } {
  const matching = search === undefined ? all : all.filter(({ key }) => key.startsWith(search));
  if (limit === undefined) return { shown: matching };
  return { shown: matching.slice(offset, offset + limit), pagination: { limit, offset, total: matching.length } };
}
