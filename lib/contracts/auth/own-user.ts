import * as z from 'zod';
import { User } from './user.ts';

/** The account as its own user sees it. */
export const OwnUser = z
  .object({
    ...User.shape,
    secondFactors: z
      .object({
        passkeys: z.int().meta({ description: 'How many passkeys there are.', example: 1 }),
        totp: z.boolean().meta({ description: 'Whether there is an authenticator app.' }),
        recoveryCodesLeft: z.int().meta({ description: 'How many recovery codes are unused.', example: 10 }),
      })
      .meta({ description: 'What the account can prove itself with, other than its password.' }),
  })
  .meta({ id: 'OwnUser', description: 'A person’s own account.' });
export type OwnUser = z.infer<typeof OwnUser>;
