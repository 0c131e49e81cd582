import * as z from 'zod';

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

/** Any well-formed Unicode of 0 to 64 KiB in UTF-8, control characters and NUL included; returned byte for byte. */
export const SecretValue = z
  .string()
  .superRefine((value, context) => {
    const message = valueProblem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ maxLength: maxValueBytes });
