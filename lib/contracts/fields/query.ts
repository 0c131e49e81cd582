import * as z from 'zod';
import { text } from './text.ts';

/** The query of an endpoint without parameters. Queries are strict: a misspelled `dryRun` must never apply a change. */
export const NoQuery = z.strictObject({});

/** An integer with one to nine decimal digits; nothing is coerced from '1.5', ' 1' or '0x1'. */
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
  return z
    .string()
    .regex(/^-?\d{1,16}$/, { message: 'must be a revision, which is a whole number' })
    .transform(Number)
    .refine(Number.isSafeInteger, { message: 'must be a revision, which is a whole number' })
    .meta({ description, example: 1, documentedAs: () => z.int() });
}

/** Exactly 'true' or 'false'. */
export function flagQuery(description: string) {
  return z
    .enum(['true', 'false'])
    .transform(value => value === 'true')
    .meta({ description, documentedAs: () => z.boolean() });
}

/** A prefix. An empty one is an error, because it would silently mean "everything". */
export function prefixQuery(description: string) {
  return text(1, 256).meta({ description });
}

/** A time in ISO 8601 with a time zone, as the service writes times: UTC with milliseconds. */
export function timeQuery(description: string) {
  return z.iso
    .datetime({ offset: true, message: 'must be a time in ISO 8601 with a time zone, such as 2026-01-31T09:26:53Z' })
    .transform(time => new Date(time).toISOString())
    .meta({ description, documentedAs: () => z.iso.datetime() });
}
