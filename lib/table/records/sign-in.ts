import * as z from 'zod';
import { defaultRoles } from '../../contracts/organizations/sign-in-settings.ts';
import { Bytes, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** How an organization's members sign in with their company's provider. */
export const signInRecord = entity('signIn', keys.signIn, {
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
  updatedAt: z.string(),
});

export type SignInRecord = ReturnType<typeof signInRecord.parse>;

/** The one organization that a domain is verified for. */
export const domainRecord = entity('domain', keys.domain, {
  /** `nobody` once the record is gone. */
  organizationId: z.string(),
  /** Of the last organization. */
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
