import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** What a challenge may be answered for. A challenge of one purpose is worth nothing for another. */
export const challengePurposes = ['log-in', 'passkey-log-in', 'step-up', 'new-passkey'] as const;

/** A challenge that was given out. Answering it removes it, so it works once. */
export const challengeRecord = entity({
  kind: 'challenge',
  key: keys.challenge,
  schema: z.object({
    purpose: z.enum(challengePurposes),
    /** Whose answer it takes; `nobody` before a log-in by passkey alone, whose answer names the user. */
    userId: z.string(),
    /** A changed password ends it. */
    sessionEpoch: z.int(),
    expiresAt: ExpiresAt,
  }),
});

export type ChallengeRecord = ReturnType<typeof challengeRecord.parse>;
