import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { VerificationKey } from './identity.ts';

/** The keys of an issuer and the last fetch, shared by all identities of the issuer. */
export const issuerKeysRecord = entity({
  kind: 'issuerKeys',
  key: keys.issuerKeys,
  schema: z.object({
    issuer: z.string(),
    keys: z.array(VerificationKey),
    /** The last successful fetch; 0: none. */
    fetchedAtMs: z.int(),
    /** The start and end of the last fetch; without an end, it is still in progress. */
    triedAtMs: z.int(),
    endedAtMs: z.int(),
    /** Distinguishes the fetch from another process's in the same millisecond. */
    fetchId: z.string(),
    /** Why the last fetch failed. */
    problem: z.string().optional(),
    expiresAt: ExpiresAt,
  }),
});

export type IssuerKeysRecord = ReturnType<typeof issuerKeysRecord.parse>;
