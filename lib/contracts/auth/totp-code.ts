import * as z from 'zod';

export const TotpCode = z
  .string()
  .regex(/^[0-9]{6}$/, { message: 'must be six digits' })
  .meta({ description: 'A code from the authenticator app. Each code works once.', example: '492039' });
