import * as z from 'zod';
import { secretKeyPattern, secretKeyRule } from './secret-rules.ts';

/** Code points, not UTF-16 units: what a person counts as characters. */
function codePointCount(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

/** Any well-formed Unicode text of a bounded length in code points; an unpaired surrogate is refused, not repaired. */
export function text(minimum: number, maximum: number) {
  // The JSON Schema bounds count code points as well (RFC 8259 characters); zod's own .max() counts UTF-16 units.
  return z
    .string()
    .refine(value => value.isWellFormed(), {
      message: 'must be well-formed Unicode (it has an unpaired surrogate)',
      abort: true,
    })
    .refine(
      value => {
        if (value.length > maximum * 2) return false;
        const length = codePointCount(value);
        return length >= minimum && length <= maximum;
      },
      { message: `must have ${minimum} to ${maximum} characters` },
    )
    .meta({ minLength: minimum, maxLength: maximum });
}

const controlCharacters = /\p{Cc}/u;

/** One line of text, as shown in lists and mails: no control characters, not only white space. */
export function line(minimum: number, maximum: number) {
  return text(minimum, maximum)
    .refine(value => !controlCharacters.test(value), { message: 'must not contain control characters' })
    .refine(value => value === '' || value.trim() !== '', { message: 'must not be blank' })
    .meta({ minLength: minimum, maxLength: maximum });
}

/** A display name of anything. */
export const Name = line(1, 100);

export const Slug = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/, {
  message: 'must be 1 to 48 lower-case letters, digits and hyphens, beginning and ending with a letter or digit',
});

export const Uuid = z.guid({ message: 'must be a UUID' });

/** ISO 8601 UTC with milliseconds, as `Date.prototype.toISOString` writes it. */
export const Timestamp = z.iso
  .datetime({ precision: 3, message: 'must be an ISO 8601 UTC date-time with milliseconds' })
  .meta({ example: '2026-01-31T09:26:53.589Z' });

/** The key of a secret and of a template entry. */
export const SecretKey = z.string().regex(secretKeyPattern, { message: secretKeyRule });

/** E-mails are compared without case; they are shown as they were entered. */
export const Email = z
  .email({ message: 'must be an e-mail address' })
  .max(254, { message: 'must have at most 254 characters' });

export function normalizeEmail(email: string): string {
  return email.toLowerCase();
}
