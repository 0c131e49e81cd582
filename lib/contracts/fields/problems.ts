import type * as z from 'zod';
import type { Problem } from '../error-codes.ts';
// Gives the issues their messages.
import './messages.ts';

/** A zod issue as problems of the API: dotted path, a sentence, no value. */
export function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({ path: [...path, key].join('.'), message: issue.message }));
  }
  return [{ path: path.join('.'), message: issue.message }];
}
