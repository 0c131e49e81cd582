import * as z from 'zod';

/** A step of background work, as it travels through the job queue: ids and slugs only, never an address or a token. */
export const Job = z.discriminatedUnion('type', [
  /** Erases everything under an organization that is marked `deleting`. */
  z.object({ type: z.literal('erase-organization'), orgSlug: z.string(), organizationId: z.string() }),
  /** Erases everything under a project that is marked `deleting`. */
  z.object({
    type: z.literal('erase-project'),
    orgSlug: z.string(),
    organizationId: z.string(),
    project: z.string(),
    projectId: z.string(),
  }),
  /** Erases everything under an environment that is marked `deleting`. */
  z.object({
    type: z.literal('erase-environment'),
    orgSlug: z.string(),
    organizationId: z.string(),
    project: z.string(),
    projectId: z.string(),
    env: z.string(),
    environmentId: z.string(),
  }),
  /** Re-encrypts a project's values under its data key `toVersion`. `cursor` says where the next step begins. */
  z.object({
    type: z.literal('re-encrypt-project'),
    orgSlug: z.string(),
    organizationId: z.string(),
    project: z.string(),
    projectId: z.string(),
    toVersion: z.int(),
    cursor: z.record(z.string(), z.string()).optional(),
  }),
  /** Mails a user a link to reset the password; an unknown `userId` is dropped. */
  z.object({ type: z.literal('mail-reset-link'), userId: z.string() }),
]);
export type Job = z.infer<typeof Job>;
