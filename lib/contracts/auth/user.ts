import * as z from 'zod';
import { ok } from '../contract.ts';
import { Timestamp, UserId } from '../fields/text.ts';
import { cookieHeader } from './credentials.ts';

export const User = z
  .object({
    id: UserId.meta({ description: 'User identifier.' }),
    email: z.string().meta({
      description: 'The address as it was entered. Addresses are compared case-insensitively.',
      example: 'ada@example.com',
    }),
    name: z.string().meta({ description: 'Display name.', example: 'Ada' }),
    emailVerified: z.boolean().meta({ description: 'Whether the user has verified the e-mail address.' }),
    isAdmin: z.boolean().meta({ description: 'Whether the user may call the admin routes.' }),
    createdAt: Timestamp.meta({ description: 'When the account was created.' }),
  })
  .meta({ id: 'User', description: 'A person’s account.' });
export type User = z.infer<typeof User>;

export const userExample = { emailVerified: true };

export const loggedIn = ok({
  description: 'Logged in; the session cookie is set.',
  body: z.object({ user: User }),
  example: { user: userExample },
  headers: cookieHeader,
});
