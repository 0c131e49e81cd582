/*
 * What a key and a value may be, free of zod: the command line holds files against the same rules, and every package that
 * it loads costs it time at its start.
 */

export const secretKeyPattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/;
export const secretKeyRule = 'must begin with a letter or underscore and have at most 256 letters, digits, and . _ -';

/** 64 KiB in UTF-8, as stored. */
export const maxValueBytes = 65_536;

/** What is wrong with a value, or undefined. Never quotes the value. */
export function valueProblem(value: string): string | undefined {
  if (!value.isWellFormed()) return 'must be well-formed Unicode (it has an unpaired surrogate)';
  // The cheap comparison comes first: a text has at least as many bytes as UTF-16 units.
  if (value.length > maxValueBytes || Buffer.byteLength(value) > maxValueBytes) {
    return `must have at most ${maxValueBytes} bytes in UTF-8`;
  }
  return undefined;
}
