import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** What a challenge can be used for. A challenge for another purpose is rejected. */
export const challengePurposes = ['log-in', 'passkey-log-in', 'step-up', 'new-passkey'] as const;

/** An issued challenge. Answering removes it, so it is single-use. */
export const challengeRecord = entity({
  kind: 'challenge',
  key: keys.challenge,
  schema: z.object({
    purpose: z.enum(challengePurposes),
    /** The user who may answer; `nobody` for a log-in with only a passkey, where the answer names the user. */
    userId: z.string(),
    /** Changing the password invalidates it. */
    sessionEpoch: z.int(),
    expiresAt: ExpiresAt,
  }),
});

export type ChallengeRecord = ReturnType<typeof challengeRecord.parse>;
