import * as z from 'zod';
import { LinkToken } from '../auth/credentials.ts';
import { contract, succeeds } from '../contract.ts';

export const stopRecovery = contract({
  operationId: 'stop-recovery',
  route: 'DELETE /v1/orgs/{orgId}/recovery',
  summary: 'Stop the recovery of an organization',
  description:
    'Stops what platform administrators started to give the organization another owner. Any session of an owner may, ' +
    'whatever the organization requires of it.',
  access: { kind: 'member', roles: ['owner'], tokens: 'full', narrowestToken: 'organization', leaves: true },
  responses: succeeds('The recovery was stopped.'),
  errors: ['recovery_not_found'],
  uses: { table: { GetItem: ['ORG'], PutItem: ['AUDIT'], UpdateItem: ['ORG'] }, queues: ['jobs'] },
});

export const stopMailedRecovery = contract({
  operationId: 'stop-mailed-recovery',
  route: 'POST /v1/recovery/stop',
  summary: 'Stop the recovery of an organization with a mailed link',
  description:
    'Stops it with the token from the e-mail about it, without a session. The audit log names the address that the ' +
    'e-mail was sent to.',
  access: { kind: 'public' },
  body: z.strictObject({ token: LinkToken.meta({ example: 'EXAMPLE-stop-token-0000' }) }),
  bodyExample: { token: 'EXAMPLE-stop-token-0000' },
  responses: succeeds('The recovery was stopped.'),
  errors: ['invalid_token', 'recovery_closed'],
  uses: {
    table: { GetItem: ['ORG', 'ORGID'], BatchGetItem: ['ORG'], PutItem: ['AUDIT'], UpdateItem: ['ORG'] },
    queues: ['jobs'],
  },
});
