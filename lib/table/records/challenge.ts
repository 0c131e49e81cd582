import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { SessionProvider } from './via-provider.ts';

/** What a challenge can be used for. A challenge for another purpose is rejected. */
export const challengePurposes = ['log-in', 'passkey-log-in', 'step-up', 'new-passkey', 'provider-log-in'] as const;

/** An issued challenge. Answering removes it, so it is single-use. */
export const challengeRecord = entity('challenge', keys.challenge, {
  purpose: z.enum(challengePurposes),
  /** The user who may answer; `nobody` for a log-in with only a passkey, where the answer names the user. */
  userId: z.string(),
  /** Changing the password invalidates it. */
  sessionEpoch: z.int(),
  /** For a log-in that began at a company's provider: the session that the account's own factor completes. */
  provided: z
    .object({
      clientVersion: z.string(),
      provider: SessionProvider,
      provedAt: z.string(),
      /** The person is no member yet, and joins the organization with this log-in. */
      joins: z.boolean().optional(),
      /** For a step-up: the session that the new one replaces, and when it started. */
      replaces: z.object({ id: z.string().optional(), hash: z.string(), createdAt: z.string() }).optional(),
    })
    .optional(),
  /** More precise than `expiresAt`. Absent: five minutes before that. */
  issuedAt: z.string().optional(),
  expiresAt: ExpiresAt,
});

export type ChallengeRecord = ReturnType<typeof challengeRecord.parse>;
