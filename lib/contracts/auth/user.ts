import * as z from 'zod';
import { Timestamp, Uuid } from '../fields/text.ts';

export const User = z
  .object({
    id: Uuid.meta({ description: 'User identifier.', example: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11' }),
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
