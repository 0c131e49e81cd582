import { RE2JS, RE2JSException } from 're2js';

/*
 * RE2 never backtracks. But if the deterministic automaton needs too much memory, it tracks all states at once: up to
 * 0.1 µs per character and instruction. So the pattern, its values and the time of a validation are limited.
 */

/** Maximum instructions of a compiled pattern. Hand-written patterns have a few hundred at most. */
const maximumProgramSize = 1000;

/** Instructions × characters for one value: under a second at worst. The longest value allows 122 instructions. */
const maximumSteps = 8_000_000;

/** For all values of one validation. */
const matchingMs = 2000;

/** Why a pattern is rejected, or undefined. */
export function patternProblem(pattern: string): string | undefined {
  try {
    const size = RE2JS.compile(pattern).programSize();
    return size > maximumProgramSize ? 'is too large: repeat less, or repeat simpler parts' : undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `is not a regular expression in RE2 syntax (${error.message.replace(/^error parsing regexp: /, '')})`;
  }
}

/** Why a value violates a valid pattern, or undefined. */
export type ValueCheck = (pattern: string, value: string) => string | undefined;

/** Checks the values of one validation. A value beyond the limits is reported as unchecked, never as valid. */
export function boundedValueCheck(nowMs: () => number = () => performance.now()): ValueCheck {
  const endsAt = nowMs() + matchingMs;
  return (pattern, value) => {
    if (nowMs() >= endsAt) return 'was not checked: matching the environment’s values takes too long';
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() * value.length > maximumSteps) return 'is too long to be checked with this pattern';
    return compiled.testExact(value) ? undefined : 'does not match the pattern';
  };
}

/** The declared keys whose values don't match. A reason never contains any part of a value. Pure. */
export function invalidValues(
  template: readonly { key: string; pattern?: string | undefined }[],
  values: ReadonlyMap<string, string>,
  problemOf: ValueCheck,
): { key: string; reason: string }[] {
  return template.flatMap(({ key, pattern }) => {
    const value = values.get(key);
    const reason = pattern === undefined || value === undefined ? undefined : problemOf(pattern, value);
    return reason === undefined ? [] : [{ key, reason }];
  });
}
