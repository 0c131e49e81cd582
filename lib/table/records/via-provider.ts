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
   * The account's own second factor was not asked for, because the organization trusts the provider's. So the credential
   * is valid in that organization only: no other one has agreed to that.
   */
  confined: z.boolean(),
});
export type ViaProvider = z.output<typeof ViaProvider>;

/** The same for a session. */
export const SessionProvider = ViaProvider.extend({
  /** Stands for the person at the provider (see `provider-link.ts`). */
  person: z.string(),
});
export type SessionProvider = z.output<typeof SessionProvider>;
