import * as z from 'zod';
import { integerQuery } from './query.ts';

export const maxPageSize = 500;

export const Pagination = z
  .object({
    limit: z.int().meta({ description: 'The page size asked for.', example: 50 }),
    offset: z.int().meta({ description: 'How many results were skipped.', example: 0 }),
    total: z.int().meta({ description: 'How many results there are in all, with the search applied.', example: 128 }),
  })
  .meta({ id: 'Pagination', description: 'Where a page stands in the whole list.' });
export type Pagination = z.infer<typeof Pagination>;

export const offsetQuery = integerQuery(0, 999_999_999, 'Results to skip; used only together with `limit`.').default(0);

/** A list that is whole unless a page is asked for. */
export const optionalPage = {
  limit: integerQuery(1, maxPageSize, 'Results per page; without it all results are returned.').optional(),
  offset: offsetQuery,
};

/** A list that always comes in pages. */
export const alwaysPaged = {
  limit: integerQuery(1, maxPageSize, 'Results per page.').default(50),
  offset: integerQuery(0, 999_999_999, 'Results to skip.').default(0),
};
