import * as z from 'zod';
import { text, ZonedTime } from './text.ts';

/** The query of an endpoint without parameters. Queries are strict: a misspelled `dryRun` must never apply a change. */
export const NoQuery = z.strictObject({});

/** One to nine decimal digits; nothing is coerced from '1.5', ' 1' or '0x1'. */
export function integerQuery(minimum: number, maximum: number, description: string) {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, { message, abort: true })
    .transform(Number)
    .refine(value => value >= minimum && value <= maximum, { message })
    .meta({ description, documentedAs: () => z.int().min(minimum).max(maximum) });
}

/**
 * A revision of an environment. In an environment whose slug was used before, revisions start at a timestamp in
 * milliseconds. Negative revisions are well-formed, but no environment has them.
 */
export function revisionQuery(description: string) {
  const message = 'must be a revision, which is a whole number';
  return z
    .string()
    .regex(/^-?\d{1,16}$/, { message })
    .transform(Number)
    .refine(Number.isSafeInteger, { message })
    .meta({ description, example: 1, documentedAs: () => z.int() });
}

/** Exactly 'true' or 'false'. */
export function flagQuery(description: string) {
  return z
    .enum(['true', 'false'])
    .transform(value => value === 'true')
    .meta({ description, documentedAs: () => z.boolean() });
}

/** Of a deletion. */
export const keepQuery = {
  keepDays: integerQuery(
    0,
    30,
    'For how many days it can be restored. Until then nobody can reach it, its slug stays taken, and it counts towards ' +
      'the plan’s limits. 0: it is erased at once.',
  ).default(0),
};

/** A prefix. An empty one is an error, because it would silently mean "everything". */
export function prefixQuery(description: string) {
  return text(1, 256).describe(description);
}

/** A time in ISO 8601 with a time zone, as the service writes times: UTC with milliseconds. */
export function timeQuery(description: string) {
  return ZonedTime.meta({ description, documentedAs: () => z.iso.datetime() });
}

export const maxPageSize = 500;

export const Pagination = z
  .object({
    limit: z.int().meta({ description: 'The requested page size.', example: 50 }),
    offset: z.int().meta({ description: 'The number of results that were skipped.', example: 0 }),
    total: z.int().meta({ description: 'The total number of results that match the search.', example: 128 }),
  })
  .meta({ id: 'Pagination', description: 'The position of a page in the full list.' });
export type Pagination = z.infer<typeof Pagination>;

const maxOffset = 999_999_999;

export const offsetQuery = integerQuery(0, maxOffset, 'Results to skip. Used only together with `limit`.').default(0);

/** A list that is returned in full unless a page is requested. */
export const optionalPage = {
  limit: integerQuery(1, maxPageSize, 'Results per page. Without it, all results are returned.').optional(),
  offset: offsetQuery,
};

/** A list that is always returned in pages. */
export const alwaysPaged = {
  limit: integerQuery(1, maxPageSize, 'Results per page.').default(50),
  offset: integerQuery(0, maxOffset, 'Results to skip.').default(0),
};
