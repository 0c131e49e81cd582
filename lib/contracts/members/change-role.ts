import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Role } from '../fields/role.ts';
import { Member } from './member.ts';

export const changeRole = contract({
  operationId: 'change-role',
  route: 'PATCH /v1/members/{orgId}/{id}',
  summary: 'Change a member’s role',
  description:
    'Changes a member’s role. Owners only. The last owner can’t be demoted. An invitation can’t be changed, ' +
    'only replaced or cancelled.',
  // If the old or the new role has fresh rights.
  access: { kind: 'member', roles: ['owner'], tokens: 'full', narrowestToken: 'organization', fresh: 'by-content' },
  body: z.strictObject({ role: Role.meta({ description: 'The new role.' }) }),
  bodyExample: { role: 'developer' },
  responses: ok({ description: 'The member with the new role.', body: z.object({ member: Member }) }),
  errors: ['last_owner'],
  uses: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'],
    reads: ['ORGID', 'USER'],
    writes: ['ORG', 'AUDIT'],
  },
});
