import * as z from 'zod';
import { roles, writers } from '../fields/role.ts';
import { SecretKey, Timestamp, UserReference } from '../fields/text.ts';

/*
 * The access rules of most operations on one environment's secrets. They admit deployers; operations that are harder to
 * undo, or that need a second environment, have a rule of their own.
 */

const inEnvironment = { kind: 'member', narrowestToken: 'environment', deployers: true } as const;

export const readsSecrets = { ...inEnvironment, roles, tokens: 'read', environmentRule: 'read' } as const;

export const writesSecrets = { ...inEnvironment, roles: writers, tokens: 'write', environmentRule: 'write' } as const;

export const Revision = z.int().meta({
  description: 'The environment’s revision. It increases by one with each accepted change to its secrets.',
  example: 17,
});

export const keyNames = (description: string) => z.array(z.string()).meta({ description, example: ['DATABASE_HOST'] });

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
