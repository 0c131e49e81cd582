import * as z from 'zod';
import { Uuid } from './text.ts';

/** The user who did something. */
export const UserReference = z
  .object({
    id: Uuid.meta({ description: 'User or identity identifier.', example: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11' }),
    email: z
      .string()
      .meta({ description: 'The user’s e-mail address, or the identity’s name.', example: 'ada@example.com' }),
  })
  .meta({ id: 'UserReference', description: 'The user who did something.' });
export type UserReference = z.infer<typeof UserReference>;
