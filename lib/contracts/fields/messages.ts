import * as z from 'zod';
import type { Problem } from '../error-codes.ts';

/** What a value of each type must be. `int` and the string formats are narrower than the types they belong to. */
const types: Readonly<Record<string, string>> = {
  string: 'must be text',
  number: 'must be a number',
  int: 'must be a whole number',
  safeint: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  tuple: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
  null: 'must be null',
  undefined: 'must be left out',
  never: 'must be left out',
  email: 'must be an e-mail address',
  guid: 'must be a UUID',
  uuid: 'must be a UUID',
  url: 'must be an absolute URL',
  datetime: 'must be an ISO 8601 date and time in UTC',
};

const units: Readonly<Record<string, string>> = { string: 'character', array: 'item', object: 'field' };

/** The message of a check without its own, in plain words and without the value, which may be a secret. */
export function messageOf(issue: z.core.$ZodRawIssue): string {
  // Each kind of schema reports a missing member as a wrong type or a wrong choice.
  if (['invalid_type', 'invalid_value'].includes(issue.code) && issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return typeMessage(issue.expected, issue.inst);
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return types[issue.format] ?? 'does not have the right format';
    case 'too_small':
      return boundMessage(issue.origin, issue.minimum, issue.exact === true ? '' : 'at least ');
    case 'too_big':
      return boundMessage(issue.origin, issue.maximum, issue.exact === true ? '' : 'at most ');
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return 'is not a known field';
    case 'invalid_union':
      return 'does not match any of the allowed forms';
    case 'invalid_key':
      return 'has a name that is not allowed';
    case 'invalid_element':
      return 'has an item that is not allowed';
    default:
      return 'is not valid';
  }
}

function typeMessage(expected: string, inst: unknown): string {
  // A number that must be whole, or a string with a format, is first checked to be a number or string at all.
  const format = (inst as { _zod?: { def: { format?: string } } } | undefined)?._zod?.def.format ?? '';
  return types[format] ?? types[expected] ?? 'has the wrong type';
}

function boundMessage(origin: string, bound: number | bigint, comparison: string): string {
  const unit = units[origin];
  if (unit === undefined) return `must be ${comparison}${bound}`;
  return `must have ${comparison}${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`;
}

z.config({ localeError: messageOf });

/** Converts a zod issue to the API's problems: a dotted path and a message, without the value. */
export function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map(String);
  const paths = issue.code === 'unrecognized_keys' ? issue.keys.map(key => [...path, key]) : [path];
  return paths.map(names => ({ path: names.join('.'), message: issue.message }));
}
