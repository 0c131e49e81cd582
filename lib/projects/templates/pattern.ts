import { RE2JS, RE2JSException } from 're2js';

/*
 * RE2 never backtracks. But if the deterministic automaton takes too much memory, it follows all states at once: up to
 * 0.1 µs for each character of the value and each instruction of the pattern. So the pattern is bounded when it is added,
 * a value is bounded for its pattern, and all values of one validation together are bounded in time.
 */

/** Instructions of a compiled pattern. What people write has a few hundred at the most. */
const maximumProgramSize = 1000;

/** Instructions × characters for one value: less than a second at the worst. The longest value still takes 122 instructions. */
const maximumSteps = 8_000_000;

/** For all values of one validation. */
const matchingMs = 2000;

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

/** What is wrong with a value under a pattern that `patternProblem` found nothing wrong with, or undefined. */
export type ValueCheck = (pattern: string, value: string) => string | undefined;

/** Checks the values of one validation. A value beyond the bounds is reported as unchecked, never as valid. */
export function boundedValueCheck(nowMs: () => number = () => performance.now()): ValueCheck {
  const endsAt = nowMs() + matchingMs;
  return (pattern, value) => {
    if (nowMs() >= endsAt) return 'was not checked: matching the environment’s values takes too long';
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() * value.length > maximumSteps) return 'is too long to be checked with this pattern';
    return compiled.testExact(value) ? undefined : 'does not match the pattern';
  };
}
