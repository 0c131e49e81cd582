import * as z from 'zod';
import { Message, Timestamp, UserReference, Uuid } from './text.ts';

/** From the moment when the mails about it have been sent. Not a setting, so that no operator can shorten it. */
export const recoveryWaitHours = 72;

/** Then its approval no longer counts, and another recovery can start. */
export const recoveryEndsAfterDays = 30;

export const RecoveryId = Uuid.meta({
  description: 'Recovery identifier.',
  example: '3e8b1d57-6c2f-4a90-8d15-7f4e2b9c6a03',
});

export const RecoveryReason = Message.meta({
  description: 'Why the organization needs an owner, in one line. Its members are told: never include a secret.',
  example: 'Ticket 4711: the owner lost their phone and recovery codes',
});

export const Recovery = z
  .object({
    id: RecoveryId,
    state: z
      .enum(['waiting', 'completed', 'stopped', 'expired'])
      .meta({ description: 'Only one that is waiting can be approved, completed or stopped.', example: 'waiting' }),
    newOwner: z
      .object({
        email: z.string().meta({ description: 'The e-mail address.', example: 'grace@example.com' }),
        isMember: z.boolean().describe('Whether the person was a member when the recovery started.'),
      })
      .describe('The person who becomes an owner.'),
    reason: RecoveryReason,
    startedBy: UserReference.describe('The operator who started it.'),
    startedAt: Timestamp.describe('When it started.'),
    approvedBy: UserReference.nullable().describe('The operator who approved it, if any.'),
    waitsUntil: Timestamp.nullable().describe(
      `When it can be completed: ${recoveryWaitHours} hours after everybody was notified. Null until then.`,
    ),
    expiresAt: Timestamp.describe(`When it expires: ${recoveryEndsAfterDays} days after it started.`),
    endedAt: Timestamp.nullable().describe('When it was completed or stopped, if it was.'),
  })
  .meta({
    id: 'Recovery',
    description: 'How platform administrators give an owner to an organization that lost its own.',
  });
export type Recovery = z.infer<typeof Recovery>;

export const recoveryExample = {
  state: 'waiting',
  startedBy: { email: 'operator@example.com' },
  newOwner: { isMember: true },
  approvedBy: null,
  waitsUntil: '2026-02-03T09:27:10.204Z',
  expiresAt: '2026-03-02T09:26:53.589Z',
  endedAt: null,
} as const;
