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
 * From a person at an organization's provider to an account. It names the subject, not an address: whoever gets the
 * address later does not get the account. The account's side decides whether the link still holds.
 */
export const providerLinkRecord = entity(
  'providerLink',
  keys.providerLink,
  {
    organizationId: z.string(),
    userId: z.string(),
    issuer: z.string(),
    createdAt: z.string(),
    /** Null until the next sign-in through a link from before accounts had a side of it. */
    linkId: z.string().nullable(),
  },
  { upgrades: [link => ({ linkId: null, ...link })] },
);

export type ProviderLinkRecord = ReturnType<typeof providerLinkRecord.parse>;

/**
 * The account's side of its link to an organization's provider. There is one for each organization, so a removal ends it
 * without reading it, and a new link replaces it.
 */
export const accountLinkRecord = entity('accountLink', keys.accountLink, {
  /** Absent once the user has ended the link. The item stays, so that no older link counts again. */
  id: z.string().optional(),
  organizationId: z.string(),
  orgSlug: z.string(),
  person: z.string(),
  issuer: z.string(),
  /** The account's `linkEpoch` when it was made. */
  epoch: z.int(),
  createdAt: z.string(),
  /** When it last let somebody in. */
  lastUsedAt: z.string().nullable(),
});

export type AccountLinkRecord = ReturnType<typeof accountLinkRecord.parse>;

/** A link that the account's next log-in in the same browser makes. */
export const pendingLinkRecord = entity('pendingLink', keys.pendingLink, {
  userId: z.string(),
  organizationId: z.string(),
  orgSlug: z.string(),
  /** Of the account's address. An older link names none, and is therefore rejected. */
  domain: z.string().default(''),
  issuer: z.string(),
  person: z.string(),
  clientVersion: z.string(),
  /** The account's `linkEpoch` then. A recovery of the account since then ends it; so does its absence. */
  epoch: z.int().optional(),
  /** The link id in the person's item that the new link replaces, null for one without; absent if there was no item. */
  replacedLinkId: z.string().nullable().optional(),
  expiresAt: ExpiresAt,
});

export type PendingLinkRecord = ReturnType<typeof pendingLinkRecord.parse>;
