import * as z from 'zod';
import { contract, created, ok } from '../contract.ts';
import { Recovery, RecoveryId, RecoveryReason, recoveryExample, recoveryWaitHours } from '../fields/recovery.ts';
import { Email } from '../fields/text.ts';

/** No token may do it: whoever finds one could take over an organization. */
const access = { kind: 'admin', tokens: 'session', fresh: 'always' } as const;

export const startRecovery = contract({
  operationId: 'start-recovery',
  route: 'POST /v1/admin/orgs/{orgId}/recovery',
  summary: 'Start to give an organization another owner',
  description:
    'For an organization whose owners have all lost their ways to log in. Everybody in it is mailed, with a link that ' +
    `stops it. ${recoveryWaitHours} hours later, and once another administrator has approved it, the person can become ` +
    'an owner. The person needs an account with a verified e-mail address and must be a member, unless there are only ' +
    'owners. The present owners stay what they are, and nobody gets into their accounts.',
  access,
  body: z.strictObject({
    email: Email.meta({ description: 'The e-mail address of the future owner.', example: 'grace@example.com' }),
    reason: RecoveryReason,
  }),
  bodyExample: { email: 'grace@example.com', reason: 'Ticket 4711: the owner lost their phone and recovery codes' },
  responses: created({
    description: 'The recovery. Starting the same one again returns it.',
    body: z.object({ recovery: Recovery }),
    example: { recovery: recoveryExample },
  }),
  errors: ['self_approval', 'recovery_in_progress'],
  uses: {
    table: { GetItem: ['EMAIL', 'ORG', 'ORGID', 'USER'], PutItem: ['AUDIT'], UpdateItem: ['ORG'] },
    queues: ['jobs'],
  },
});

export const recoverySteps = ['approve', 'complete', 'stop'] as const;

export const advanceRecovery = contract({
  operationId: 'advance-recovery',
  route: 'PATCH /v1/admin/orgs/{orgId}/recovery',
  summary: 'Approve, complete or stop the recovery of an organization',
  description:
    'Approving takes another administrator than the one who started it. Completing makes the person an owner, once the ' +
    'recovery is approved and the waiting time is over, if both are still administrators. Repeating a step changes nothing.',
  access,
  body: z.strictObject({ id: RecoveryId, step: z.enum(recoverySteps).describe('The step.') }),
  bodyExample: { id: '3e8b1d57-6c2f-4a90-8d15-7f4e2b9c6a03', step: 'approve' },
  responses: ok({
    description: 'The recovery.',
    body: z.object({ recovery: Recovery }),
    example: { recovery: { ...recoveryExample, approvedBy: { email: 'second-operator@example.com' } } },
  }),
  errors: ['self_approval', 'recovery_not_found', 'recovery_not_ready', 'recovery_closed', 'member_not_found'],
  uses: {
    table: {
      GetItem: ['ORG', 'ORGID'],
      BatchGetItem: ['ORG'],
      ConditionCheckItem: ['USER'],
      PutItem: ['AUDIT', 'ORG', 'USER'],
      UpdateItem: ['ORG'],
    },
    queues: ['jobs'],
  },
});
