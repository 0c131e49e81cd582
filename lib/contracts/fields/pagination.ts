import * as z from 'zod';
import { integerQuery } from './query.ts';

export const maxPageSize = 500;

export const Pagination = z
  .object({
    limit: z.int().meta({ description: 'The requested page size.', example: 50 }),
    offset: z.int().meta({ description: 'The number of results that were skipped.', example: 0 }),
    total: z.int().meta({ description: 'The total number of results that match the search.', example: 128 }),
  })
  .meta({ id: 'Pagination', description: 'The position of a page in the full list.' });
export type Pagination = z.infer<typeof Pagination>;

export const offsetQuery = integerQuery(0, 999_999_999, 'Results to skip. Used only together with `limit`.').default(0);

/** A list that is returned in full unless a page is requested. */
export const optionalPage = {
  limit: integerQuery(1, maxPageSize, 'Results per page. Without it, all results are returned.').optional(),
  offset: offsetQuery,
};

/** A list that is always returned in pages. */
export const alwaysPaged = {
  limit: integerQuery(1, maxPageSize, 'Results per page.').default(50),
  offset: integerQuery(0, 999_999_999, 'Results to skip.').default(0),
};
