import { RE2JS, RE2JSException } from 're2js';

/**
 * Instructions of a compiled pattern. Matching takes time in proportion to them and to the value's length, never more
 * (RE2); at this bound the longest value takes some tenths of a second, while what people write has a few hundred.
 */
const maximumProgramSize = 3000;

/** What is wrong with a pattern, or undefined. */
export function patternProblem(pattern: string): string | undefined {
  try {
    const size = RE2JS.compile(pattern).programSize();
    return size > maximumProgramSize ? 'is too large: repeat less, or repeat simpler parts' : undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `is not a regular expression in RE2 syntax (${error.message.replace(/^error parsing regexp: /, '')})`;
  }
}

/** Whether the pattern matches the whole value. The pattern must be one that `patternProblem` found nothing wrong with. */
export function matchesWhole(pattern: string, value: string): boolean {
  return RE2JS.compile(pattern).testExact(value);
}
