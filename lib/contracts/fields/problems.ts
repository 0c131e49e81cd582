import type * as z from 'zod';
import type { Problem } from '../error-codes.ts';
// Sets the messages of the issues.
import './messages.ts';

/** Converts a zod issue to the API's problems: a dotted path and a message, without the value. */
export function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({ path: [...path, key].join('.'), message: issue.message }));
  }
  return [{ path: path.join('.'), message: issue.message }];
}
