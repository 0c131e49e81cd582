import { contract, succeeds } from '../contract.ts';
import { roles } from '../fields/role.ts';

export const leaveOrganization = contract({
  operationId: 'leave-organization',
  route: 'DELETE /v1/members/{orgId}/me',
  summary: 'Leave an organization',
  description:
    'Ends the caller’s membership, whatever their role and whatever the organization requires of its members. Ends ' +
    'the caller’s link to the organization’s sign-in provider and the sessions that came through it, and permanently ' +
    'revokes the caller’s tokens limited to the organization. The last owner can’t leave. To come back, the caller ' +
    'must accept an invitation in a session of their own.',
  access: { kind: 'member', roles, tokens: 'full', narrowestToken: 'organization', leaves: true },
  responses: succeeds('The caller is no longer a member.'),
  errors: ['last_owner'],
  uses: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'DeleteItem', 'ConditionCheckItem', 'BatchWriteItem'],
    reads: ['USER'],
    writes: ['ORG', 'AUDIT'],
  },
});
