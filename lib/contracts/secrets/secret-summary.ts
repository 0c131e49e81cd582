import * as z from 'zod';
import { SecretKey, Timestamp } from '../fields/text.ts';
import { UserReference } from '../fields/user-reference.ts';

/** What the API says about a secret without its value. */
export const SecretSummary = z
  .object({
    key: SecretKey.meta({ description: 'The secret’s key.', example: 'DATABASE_HOST' }),
    version: z.int().meta({ description: 'Counts the changes of this key, starting at 1.', example: 3 }),
    createdAt: Timestamp.meta({ description: 'When the key was first set, or set again after a deletion.' }),
    updatedAt: Timestamp.meta({ description: 'When this version was written.' }),
    updatedBy: UserReference.meta({ description: 'Who wrote this version.' }),
  })
  .meta({ id: 'SecretSummary', description: 'A secret without its value.' });

export type SecretSummary = z.infer<typeof SecretSummary>;

export const createdAt = '2026-01-31T09:26:53.589Z';

export const author = { id: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11', email: 'ada@example.com' };

export const summaryExample = { key: 'DATABASE_HOST', version: 3, createdAt, updatedAt: createdAt, updatedBy: author };
