import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** An issuer's token that has been exchanged or rejected. Kept until the token is too old to be used. */
export const assertionRecord = entity('assertion', keys.assertion, { identityId: z.string(), expiresAt: ExpiresAt });

export type AssertionRecord = ReturnType<typeof assertionRecord.parse>;
