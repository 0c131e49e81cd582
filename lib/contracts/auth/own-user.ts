import * as z from 'zod';
import { User } from './user.ts';

/** The account as its own user sees it. */
export const OwnUser = z
  .object({
    ...User.shape,
    secondFactors: z
      .object({
        passkeys: z.int().meta({ description: 'The number of passkeys.', example: 1 }),
        totp: z.boolean().meta({ description: 'Whether an authenticator app is set up.' }),
        recoveryCodesLeft: z.int().meta({ description: 'The number of unused recovery codes.', example: 10 }),
      })
      .meta({ description: 'The account’s second factors.' }),
  })
  .meta({ id: 'OwnUser', description: 'The caller’s own account.' });
export type OwnUser = z.infer<typeof OwnUser>;
