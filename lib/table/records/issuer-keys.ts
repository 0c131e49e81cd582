import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { VerificationKey } from './identity.ts';

/** What a sign-in needs of an issuer's discovery document. */
export const ProviderEndpoints = z.object({
  authorization: z.string(),
  token: z.string(),
  userinfo: z.string().optional(),
  /** Whether it names itself in its responses (RFC 9207). */
  sendsIssuer: z.boolean(),
  /** How a client with a secret authenticates. */
  clientAuthentication: z.enum(['client_secret_basic', 'client_secret_post']),
});
export type ProviderEndpoints = z.output<typeof ProviderEndpoints>;

/** The keys of an issuer and the last fetch, shared by all identities of the issuer. */
export const issuerKeysRecord = entity('issuerKeys', keys.issuerKeys, {
  issuer: z.string(),
  keys: z.array(VerificationKey),
  /** The addresses of an issuer at which people sign in; a platform's issuer has none. */
  endpoints: ProviderEndpoints.optional(),
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
});

export type IssuerKeysRecord = ReturnType<typeof issuerKeysRecord.parse>;
