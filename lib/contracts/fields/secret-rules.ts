/* Without zod or Node, because every package that the command line and the dashboard load makes them start more slowly. */

export const secretKeyPattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/;
export const secretKeyRule = 'must begin with a letter or underscore and have at most 256 letters, digits, and . _ -';

export const maxKeysPerChange = 1000;

/** 64 KiB in UTF-8, as stored. */
export const maxValueBytes = 65_536;

/** What is wrong with a value, or undefined. Never quotes it. */
export function valueProblem(value: string): string | undefined {
  if (!value.isWellFormed()) return 'must be well-formed Unicode (it has an unpaired surrogate)';
  // A UTF-16 unit takes one to three bytes, so most strings don't have to be counted.
  if (value.length * 3 > maxValueBytes && new TextEncoder().encode(value).length > maxValueBytes) {
    return `must have at most ${maxValueBytes} bytes in UTF-8`;
  }
  return undefined;
}
