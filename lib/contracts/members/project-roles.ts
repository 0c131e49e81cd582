import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { givenRights, projectRolesExample } from '../fields/project-role.ts';
import { managers } from '../fields/role.ts';
import { Member } from './members.ts';

export const setProjectRoles = contract({
  operationId: 'set-project-roles',
  route: 'PUT /v1/members/{orgId}/{id}/projects',
  summary: 'Set a member’s roles in projects',
  description:
    'Replaces the member’s roles in single projects. In a project that is listed, the role counts instead of the one ' +
    'in the organization, whether it is higher or lower. With `limited`, no other project exists for the member, and ' +
    'of the organization they see only its name; owners and admins can’t be limited. Nobody changes their own rights ' +
    'or gives more than they have in that project, and an admin can’t change an owner or admin. In force with the ' +
    'member’s next request, also for their tokens.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization', fresh: 'always' },
  body: z.strictObject(givenRights),
  bodyExample: { limited: true, projectRoles: [{ projectId: projectRolesExample[0].projectId, role: 'admin' }] },
  responses: ok({
    description: 'The member with the new rights.',
    body: z.object({ member: Member }),
    example: { member: { limited: true, projectRoles: projectRolesExample } },
  }),
  errors: ['project_not_found'],
  revokes: 'by-content',
  uses: {
    table: {
      GetItem: ['ORGID'],
      Query: ['ORG'],
      PutItem: ['AUDIT', 'REVOCATIONS'],
      UpdateItem: ['ORG'],
    },
  },
});
