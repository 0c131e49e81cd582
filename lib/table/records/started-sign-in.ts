import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/**
 * A sign-in that a browser has started at a provider; it can be completed once. The nonce and the PKCE verifier follow
 * from the browser's cookie, of which only the hash is stored.
 */
export const startedSignInRecord = entity('startedSignIn', keys.startedSignIn, {
  purpose: z.enum(['sign-in', 'step-up', 'test']),
  browser: z.string(),
  organizationId: z.string(),
  orgSlug: z.string(),
  clientVersion: z.string(),
  /** The callback reads what is known about it together with the organization. */
  issuer: z.string().default(''),
  /** A path of the dashboard. */
  to: z.string(),
  startedAtMs: z.int(),
  /** The session to make fresh, or of the owner who tests the provider. */
  sessionHash: z.string().optional(),
  expiresAt: ExpiresAt,
});

export type StartedSignInRecord = ReturnType<typeof startedSignInRecord.parse>;
