import * as z from 'zod';

export const TotpCode = z
  .string()
  .regex(/^[0-9]{6}$/, { message: 'must be six digits' })
  .meta({ description: 'The code that the authenticator app shows. Each code counts once.', example: '492039' });
