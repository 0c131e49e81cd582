import { createHash } from 'node:crypto';
import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/**
 * Stands for a person at a provider. Hashed, because subjects may be long, personal, or contain any character. Pure.
 */
export function personOf(issuer: string, subject: string): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url');
}

/**
 * The account of a person at an organization's provider. It names the subject, not an address: whoever gets the address
 * later does not get the account. It stays when the person's membership ends.
 */
export const providerLinkRecord = entity({
  kind: 'providerLink',
  key: keys.providerLink,
  schema: z.object({ organizationId: z.string(), userId: z.string(), issuer: z.string(), createdAt: z.string() }),
});

/** A link that the account's next log-in in the same browser makes. */
export const pendingLinkRecord = entity({
  kind: 'pendingLink',
  key: keys.pendingLink,
  schema: z.object({
    userId: z.string(),
    organizationId: z.string(),
    orgSlug: z.string(),
    /** Of the account's address. An older link names none, and is therefore rejected. */
    domain: z.string().default(''),
    issuer: z.string(),
    person: z.string(),
    clientVersion: z.string(),
    expiresAt: ExpiresAt,
  }),
});

export type PendingLinkRecord = ReturnType<typeof pendingLinkRecord.parse>;
