import * as z from 'zod';
import { UserId } from './ids.ts';

/** The user who did something. */
export const UserReference = z
  .object({
    id: UserId.meta({ description: 'User or identity identifier.' }),
    email: z
      .string()
      .meta({ description: 'The user’s e-mail address, or the identity’s name.', example: 'ada@example.com' }),
  })
  .meta({ id: 'UserReference', description: 'The user who did something.' });
export type UserReference = z.infer<typeof UserReference>;
