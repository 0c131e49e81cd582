import * as z from 'zod';

/** The company's provider that a session came through, and the tokens created with the session. */
export const ViaProvider = z.object({
  organizationId: z.string(),
  orgSlug: z.string(),
  /**
   * Of the issuer and client that it came through. The organization may have another provider since. Older credentials
   * don't record it, so they count as another provider's.
   */
  clientVersion: z.string().default(''),
  /** Whether the provider reported a second factor that the organization trusts. It counts in that organization only. */
  trustedFactor: z.boolean(),
  /**
   * Whether the account's own password or passkey was proved in the session too. Absent: the credential is confined to
   * the organization, because what a provider says counts only there.
   */
  lifted: z.boolean().optional(),
  /** Written for the previous release, which requires it. Nothing reads it. */
  confined: z.boolean(),
});
export type ViaProvider = z.output<typeof ViaProvider>;

/** The same for a session. */
export const SessionProvider = ViaProvider.extend({
  /** Stands for the person at the provider (see `provider-link.ts`). */
  person: z.string(),
});
export type SessionProvider = z.output<typeof SessionProvider>;
