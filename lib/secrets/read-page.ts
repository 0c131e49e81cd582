import type { Pagination } from '../contracts/fields/query.ts';

export interface PageQuery {
  limit?: number | undefined;
  offset?: number | undefined;
  search?: string | undefined;
}

export function pageOf<T extends { key: string }>(
  all: readonly T[],
  { limit, offset = 0, search }: PageQuery,
): { shown: readonly T[]; pagination?: Pagination } {
  const matching = search === undefined ? all : all.filter(({ key }) => key.startsWith(search));
  if (limit === undefined) return { shown: matching };
  return { shown: matching.slice(offset, offset + limit), pagination: { limit, offset, total: matching.length } };
}
