import * as z from 'zod';
import { SecretKey, Timestamp } from '../fields/text.ts';
import { UserReference } from '../fields/user-reference.ts';

/** What the API says about a secret without its value. */
export const SecretSummary = z
  .object({
    key: SecretKey.meta({ description: 'The secret’s key.', example: 'DATABASE_HOST' }),
    version: z.int().meta({ description: 'Counts this key’s changes, starting at 1.', example: 3 }),
    createdAt: Timestamp.meta({ description: 'When the key was first set, or set again after it was deleted.' }),
    updatedAt: Timestamp.meta({ description: 'When this version was written.' }),
    updatedBy: UserReference.meta({ description: 'Who wrote this version.' }),
  })
  .meta({ id: 'SecretSummary', description: 'A secret without its value.' });
export type SecretSummary = z.infer<typeof SecretSummary>;
