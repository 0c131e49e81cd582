import * as z from 'zod';

/** How many times the queue delivers a step before it moves the message to the dead-letter queue. */
export const maximumJobReceives = 10;

const inOrganization = { orgSlug: z.string(), organizationId: z.string() };
const inProject = { ...inOrganization, project: z.string(), projectId: z.string() };

/** The step that takes what requests wrote that began before the change. */
const late = { isLate: z.literal(true).optional() };

/** Copies an account's address, after a change, to its members and tokens. */
const CopyEmail = z.object({ type: z.literal('copy-email'), userId: z.string(), ...late });
export type CopyEmail = z.infer<typeof CopyEmail>;

/** Erases what a closed account has left, and ends its memberships. `closing` is for the audit entries about that. */
const EraseAccount = z.object({
  type: z.literal('erase-account'),
  userId: z.string(),
  closing: z.object({ email: z.string(), ip: z.string(), userAgent: z.string(), requestId: z.string() }),
  ...late,
});

/** No request runs longer, so by then everything that requests wrote after they were authorized is visible. */
export const lastRequestsSeconds = 60;

export type EraseAccount = z.infer<typeof EraseAccount>;

/** Work that is recorded in an item until it is done (`lib/table/records/unfinished-work.ts`). */
export const LastingJob = z.discriminatedUnion('type', [
  /** Erases everything under an organization, project or environment whose status is `deleting`. */
  z.object({
    type: z.literal('erase-organization'),
    ...inOrganization,
    /** The number of partitions with its audit entries, if a step has found several. */
    auditPartitions: z.int().optional(),
  }),
  z.object({ type: z.literal('erase-project'), ...inProject }),
  z.object({ type: z.literal('erase-environment'), ...inProject, env: z.string(), environmentId: z.string() }),
  /** Re-encrypts a project's values under its data key `toVersion`, starting at `cursor`. */
  z.object({
    type: z.literal('re-encrypt-project'),
    ...inProject,
    toVersion: z.int(),
    cursor: z.record(z.string(), z.string()).optional(),
  }),
  CopyEmail,
  EraseAccount,
]);
export type LastingJob = z.infer<typeof LastingJob>;

/** Mails, which need no record: a change queues them before it commits. */
const MailJob = z.discriminatedUnion('type', [
  /** Sends a user an e-mail with a link to reset their password. Jobs with an unknown `userId` are dropped. */
  z.object({ type: z.literal('mail-reset-link'), userId: z.string() }),
  /** Mails everybody in an organization, from the user id `after` on, that its recovery is in the state `notice`. */
  z.object({
    type: z.literal('mail-recovery'),
    ...inOrganization,
    recoveryId: z.string(),
    notice: z.enum(['waiting', 'completed', 'stopped']),
    after: z.string().optional(),
  }),
  /** Mails those who may approve a proposal, from the user id `after` on. */
  z.object({
    type: z.literal('mail-proposal'),
    ...inProject,
    env: z.string(),
    proposalId: z.string(),
    after: z.string().optional(),
  }),
  /** Mails owners and admins that a change bypassed its approvals, as its audit entry says. */
  z.object({
    type: z.literal('mail-bypass'),
    ...inOrganization,
    entry: z.object({ pk: z.string(), sk: z.string() }),
    after: z.string().optional(),
  }),
]);

export const Job = z.discriminatedUnion('type', [...LastingJob.options, ...MailJob.options]);
export type Job = z.infer<typeof Job>;
