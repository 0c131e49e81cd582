import * as z from 'zod';
import { contract, created, ok, succeeds } from '../contract.ts';
import { Grant, GrantRequest, givenGrant, givenGrantExample } from '../fields/grant.ts';
import { managers, roles } from '../fields/role.ts';

const managing = {
  kind: 'member',
  roles: managers,
  tokens: 'full',
  narrowestToken: 'organization',
  projectAdmins: true,
} as const;

const whoManages =
  'Owners, admins and admins of the project may do this, unless their role in the project is a lower one. ';

const answer = z.object({ grant: Grant });

export const createGrant = contract({
  operationId: 'create-grant',
  route: 'POST /v1/members/{orgId}/{id}/grants',
  summary: 'Give a member access for a limited time',
  description:
    'Until `expiresAt`, the member may do in that environment what `access` says, beyond their role; for a limited ' +
    `member, that environment and its project exist meanwhile. ${whoManages}Nobody gives access to themselves, and ` +
    'only owners give it to owners and admins. In force with the next request, also for the member’s tokens and ' +
    'sessions of before. A member has at most 20 grants at a time.',
  access: { ...managing, fresh: 'always' },
  body: z.strictObject(givenGrant),
  bodyExample: givenGrantExample,
  responses: created({ description: 'The grant.', body: answer }),
  errors: ['environment_not_found', 'grant_limit_reached'],
  uses: {
    table: {
      GetItem: ['ORGID'],
      Query: ['ORG'],
      ConditionCheckItem: ['ORG'],
      PutItem: ['AUDIT'],
      UpdateItem: ['ORG'],
    },
  },
});

export const revokeGrant = contract({
  operationId: 'revoke-grant',
  route: 'DELETE /v1/members/{orgId}/{id}/grants/{grantId}',
  summary: 'End a grant',
  description:
    `Ends the grant at once, also for requests that are waiting. ${whoManages}Only owners end those of owners and ` +
    'admins.',
  access: { ...managing, fresh: 'always' },
  responses: succeeds('The grant has ended.'),
  revokes: true,
  uses: {
    table: {
      GetItem: ['ORGID'],
      Query: ['ORG'],
      PutItem: ['AUDIT', 'REVOCATIONS'],
      UpdateItem: ['ORG'],
    },
  },
});

export const listGrants = contract({
  operationId: 'list-grants',
  route: 'GET /v1/grants/{orgId}',
  summary: 'List grants and open requests',
  description:
    'Lists the grants that have not ended and the open requests: the caller’s own, and those in the projects where the ' +
    'caller may give access. Oldest first.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'organization', limitedMembers: true },
  responses: ok({
    description: 'The grants and open requests.',
    body: z.object({
      grants: z.array(Grant).describe('Grants that have not ended.'),
      requests: z.array(GrantRequest).describe('Requests that are neither answered nor older than a day.'),
    }),
  }),
  uses: { table: { BatchGetItem: ['ORG'], Query: ['ORG'] } },
});

export const requestGrant = contract({
  operationId: 'request-grant',
  route: 'POST /v1/grants/{orgId}/requests',
  summary: 'Request access for a limited time',
  description:
    'Asks for a grant. Those who may give it are mailed, each at most once an hour, and grant or refuse the request. ' +
    'It is gone after a day. A member has at most 10 open requests.',
  access: { kind: 'member', roles, tokens: 'full', narrowestToken: 'organization', limitedMembers: true },
  body: z.strictObject(givenGrant),
  bodyExample: givenGrantExample,
  responses: created({ description: 'The request.', body: z.object({ request: GrantRequest }) }),
  errors: ['forbidden', 'environment_not_found', 'grant_limit_reached'],
  uses: {
    table: {
      GetItem: ['ORGID'],
      Query: ['ORG'],
      ConditionCheckItem: ['ORG'],
      PutItem: ['AUDIT', 'ORG'],
      UpdateItem: ['RATE'],
    },
    mail: true,
  },
});

export const grantRequest = contract({
  operationId: 'grant-request',
  route: 'POST /v1/grants/{orgId}/requests/{id}/grant',
  summary: 'Grant a request',
  description: `Gives the access that was requested, from now on. ${whoManages}Nobody grants their own request.`,
  access: { ...managing, fresh: 'always' },
  notFound: { id: 'grant_not_found' },
  responses: created({ description: 'The grant.', body: answer }),
  errors: ['grant_limit_reached'],
  uses: {
    table: {
      GetItem: ['ORGID'],
      Query: ['ORG'],
      ConditionCheckItem: ['ORG'],
      PutItem: ['AUDIT'],
      UpdateItem: ['ORG'],
      DeleteItem: ['ORG'],
    },
  },
});

export const refuseRequest = contract({
  operationId: 'refuse-request',
  route: 'POST /v1/grants/{orgId}/requests/{id}/refuse',
  summary: 'Refuse a request',
  description: `Ends the request without giving access. ${whoManages}`.trim(),
  access: managing,
  notFound: { id: 'grant_not_found' },
  responses: succeeds('The request was refused.'),
  uses: { table: { GetItem: ['ORGID'], Query: ['ORG'], PutItem: ['AUDIT'], DeleteItem: ['ORG'] } },
});
