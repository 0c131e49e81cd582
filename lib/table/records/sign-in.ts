import { createHash } from 'node:crypto';
import * as z from 'zod';
import { RoleRule } from '../../contracts/fields/role-rule.ts';
import { defaultRoles } from '../../contracts/organizations/sign-in-settings.ts';
import { Bytes, ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** How an organization's members sign in with their company's provider. */
export const signInRecord = entity(
  'signIn',
  keys.signIn,
  {
    organizationId: z.string(),
    /** Renewed with every change, so that a change based on an older state fails. */
    version: z.string(),
    /** Renewed when the issuer or the client changes; sign-ins that started before are no longer accepted. */
    clientVersion: z.string(),
    issuer: z.string(),
    clientId: z.string(),
    /** Sealed by KMS; absent for a public client. */
    sealedSecret: Bytes.optional(),
    domains: z.array(
      z.object({
        domain: z.string(),
        /** For the TXT record. */
        token: z.string(),
        /** Null again once its record is gone. */
        verifiedAt: z.string().nullable(),
      }),
    ),
    defaultRole: z.enum(defaultRoles).nullable(),
    /** The organization's own item says it too, because every request reads that. */
    required: z.boolean(),
    /** Since when; absent since an earlier release. */
    requiredAt: z.string().optional(),
    trustFactor: z.boolean(),
    /** Absent: false, as for the next one. */
    trustEmail: z.boolean().optional(),
    acceptRoundTrip: z.boolean().optional(),
    /** Absent instead of empty. A project's slug never changes, and its item is found by it. */
    roleRules: z.array(RoleRule.extend({ projectSlug: z.string().optional() })).optional(),
    /** The organization's own item says it too. Absent: null. */
    recheckDays: z.int().optional(),
    updatedAt: z.string(),
  },
  // Code that doesn't know the rules would give the default role to people whom they give less.
  { upgrades: [['roleRules']] },
);
export type SignInRecord = ReturnType<typeof signInRecord.parse>;

/** The one organization that a domain is verified for. */
export const domainRecord = entity('domain', keys.domain, {
  /** `nobody` once the record is gone. */
  organizationId: z.string(),
  orgSlug: z.string(),
  /** When its record was last seen. */
  verifiedAt: z.string(),
  /** The organization that the domain was verified for until its record was gone. */
  lostBy: z.string().optional(),
  /** When the last look-up started, so that there is only one at a time. */
  lookedUpAt: z.string().optional(),
  /** When it ended. */
  answeredAt: z.string().optional(),
});
export type DomainRecord = ReturnType<typeof domainRecord.parse>;

/**
 * A sign-in started at a provider; it completes once. Nonce and PKCE verifier follow from the browser's cookie, of
 * which only the hash is stored.
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

/** A person at a provider. Hashed, because subjects may be long, personal, or contain any character. Pure. */
export function personOf(issuer: string, subject: string): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url');
}

/**
 * From a person at an organization's provider to an account. It has the subject, so a later owner of the address
 * doesn't get the account. The account's side decides whether the link still holds.
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

/** The account's side of its link to an organization's provider, one per organization: a new link replaces it. */
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
