import * as z from 'zod';
import { maxValueBytes, secretKeyPattern, secretKeyRule, valueProblem } from './secret-rules.ts';

/** Well-formed Unicode with a length in code points, as JSON Schema counts them; zod's `.max()` counts UTF-16 units. */
export function text(minimum: number, maximum: number) {
  return z
    .string()
    .refine(value => value.isWellFormed(), {
      message: 'must be well-formed Unicode (it has an unpaired surrogate)',
      abort: true,
    })
    .refine(
      value => {
        if (value.length > maximum * 2) return false;
        const { length } = Array.from(value);
        return length >= minimum && length <= maximum;
      },
      { message: `must have ${minimum} to ${maximum} characters` },
    )
    .meta({ minLength: minimum, maxLength: maximum });
}

/** One line of text for lists and e-mails: no control characters or separators, and not only white space. */
export function line(minimum: number, maximum: number) {
  return text(minimum, maximum)
    .refine(value => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value), { message: 'must not contain control characters' })
    .refine(value => value === '' || value.trim() !== '', { message: 'must not be blank' })
    .meta({ minLength: minimum, maxLength: maximum });
}

export const Name = line(1, 100);

/** Why secrets are changed. Members who can't read the environment see it as well. */
export const Message = line(1, 200).meta({
  description: 'The reason for the change, in one line. The audit log and webhooks show it: never include a secret.',
  example: 'Move to the new database',
});

export const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/;

export const Slug = z.string().regex(slugPattern, {
  message: 'must be 1 to 48 lower-case letters, digits and hyphens, beginning and ending with a letter or digit',
});

export const newSlug = (example: string) =>
  Slug.optional().meta({ description: 'The slug. Defaults to one derived from the name.', example });

/** Ids are compared case-insensitively (RFC 9562, section 4), so they are lower-cased here. */
export const Uuid = z.guid().toLowerCase();

/** ISO 8601 UTC with milliseconds, as `Date.prototype.toISOString` formats it. */
export const Timestamp = z.iso.datetime({ precision: 3 }).meta({ example: '2026-01-31T09:26:53.589Z' });

const zonedTimeRule = 'must be a time in ISO 8601 with a time zone, such as 2026-01-31T09:26:53Z';

/** A time in any time zone, read as the service writes times. In UTC, its year has four digits too, so times sort. */
export const ZonedTime = z.iso
  .datetime({ offset: true, message: zonedTimeRule })
  .transform(time => new Date(time).toISOString())
  .refine(time => /^\d{4}-/.test(time), { message: zonedTimeRule });

/** The key of a secret and of a template entry. */
export const SecretKey = z.string().regex(secretKeyPattern, { message: secretKeyRule });

export const Email = z.email().max(254);

/** E-mail addresses are compared case-insensitively and shown as they were entered. */
export function normalizeEmail(email: string): string {
  return email.toLowerCase();
}

/** Any well-formed Unicode of 0 to 64 KiB in UTF-8, including control characters and NUL; returned byte for byte. */
export const SecretValue = z
  .string()
  .superRefine((value, context) => {
    const message = valueProblem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ maxLength: maxValueBytes });

/** Whether a value names other keys. */
export const Expand = z.boolean().meta({
  description:
    'Whether the value may name other keys of the environment as `\u0024{KEY}`, which pulls replace with their values. ' +
    '`$${` is then a literal `${`. Without this, every character stays as it is.',
  example: false,
});

/** The same in responses, where it is omitted if it isn’t true. */
export const Expanded = z
  .literal(true)
  .optional()
  .describe('Only if the value was set with `expand`, and so may name other keys as `\u0024{KEY}`.');

export function hasCredentials(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.username !== '' || url.password !== '');
}

/* Ids, with the examples that the whole documentation uses for them. */
export const OrganizationId = Uuid.meta({ example: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31' });
export const ProjectId = Uuid.meta({ example: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73' });
export const EnvironmentId = Uuid.meta({ example: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094' });
export const UserId = Uuid.meta({ example: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11' });
export const WebhookId = Uuid.meta({ example: 'f27a9c54-3d8e-4b61-a0f5-8c2d6e1b7940' });
export const IdentityId = Uuid.meta({ example: 'a4c7e10b-52d9-8f36-b18e-6d03f9a2c754' });

export const UserReference = z
  .object({
    id: UserId.describe('User or identity identifier.'),
    email: z.string().meta({ description: 'The e-mail address, or the identity’s name.', example: 'ada@example.com' }),
  })
  .meta({ id: 'UserReference', description: 'The user who did something.' });
export type UserReference = z.infer<typeof UserReference>;
