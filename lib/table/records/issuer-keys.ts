import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { VerificationKey } from './identity.ts';

/** The keys of an issuer, and when they were last asked for. One item for all identities that name the issuer. */
export const issuerKeysRecord = entity({
  kind: 'issuerKeys',
  key: keys.issuerKeys,
  schema: z.object({
    issuer: z.string(),
    keys: z.array(VerificationKey),
    /** When they were last read in full; 0: never. */
    fetchedAtMs: z.int(),
    /** When the last fetch began, and when it ended; one is under way while it has not. */
    triedAtMs: z.int(),
    endedAtMs: z.int(),
    /** Tells the fetch from one that another process began in the same millisecond. */
    fetchId: z.string(),
    /** Why the last fetch failed. */
    problem: z.string().optional(),
    expiresAt: ExpiresAt,
  }),
});

export type IssuerKeysRecord = ReturnType<typeof issuerKeysRecord.parse>;
