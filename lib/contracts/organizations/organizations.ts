import * as z from 'zod';
import { contract, created, ok, succeeds } from '../contract.ts';
import { Organization } from '../fields/organization.ts';
import { keepQuery } from '../fields/query.ts';
import { managers } from '../fields/role.ts';
import { Name, newSlug } from '../fields/text.ts';

export const createOrganization = contract({
  operationId: 'create-organization',
  route: 'POST /v1/orgs',
  summary: 'Create an organization',
  description:
    'Creates an organization that the caller owns. If the slug is omitted, it is derived from the name, with a ' +
    'suffix if that slug is taken. An explicit slug that is taken is rejected; if its last organization is being ' +
    'erased, the request first waits up to 10 seconds for that. The number of organizations a user can own is limited.',
  access: { kind: 'account', tokens: 'full', narrowestToken: 'none' },
  body: z.strictObject({
    name: Name.meta({ description: 'Display name.', example: 'Analytical Engines' }),
    slug: newSlug('analytical-engines'),
  }),
  bodyExample: { name: 'Difference Engines', slug: 'difference-engines' },
  responses: created({
    description: 'The organization.',
    body: z.object({ organization: Organization }),
    example: { organization: { slug: 'difference-engines', name: 'Difference Engines' } },
  }),
  errors: ['slug_taken', 'organization_limit_reached'],
  uses: {
    table: {
      GetItem: ['ORG', 'RETIRED', 'USER'],
      BatchGetItem: ['ORG'],
      Query: ['USER'],
      ConditionCheckItem: ['RETIRED'],
      PutItem: ['AUDIT', 'ORG', 'ORGID', 'ORGS', 'USER'],
      UpdateItem: ['PLATFORM'],
    },
  },
});

export const renameOrganization = contract({
  operationId: 'rename-organization',
  route: 'PATCH /v1/orgs/{orgId}',
  summary: 'Rename an organization or require a second factor',
  description:
    'Changes the display name; the slug stays the same. An owner with a second factor ' +
    'can require one of all members: from then on, sessions and tokens created without one are rejected.',
  // Required to change whether members need a second factor.
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization', fresh: 'by-content' },
  body: z
    .strictObject({
      name: Name.optional().meta({ description: 'Display name.', example: 'Analytical Engines Ltd' }),
      requireSecondFactor: z
        .boolean()
        .optional()
        .describe('Whether members need a second factor. Only owners can change this.'),
    })
    .refine(({ name, requireSecondFactor }) => name !== undefined || requireSecondFactor !== undefined, {
      message: 'must have name, requireSecondFactor or both',
    }),
  bodyExample: { name: 'Analytical Engines Ltd' },
  responses: ok({
    description: 'The organization.',
    body: z.object({ organization: Organization }),
    example: { organization: { name: 'Analytical Engines Ltd' } },
  }),
  errors: ['forbidden'],
  uses: {
    table: {
      GetItem: ['ORG'],
      ConditionCheckItem: ['USER'],
      PutItem: ['AUDIT', 'ORGS'],
      UpdateItem: ['ORG'],
      DeleteItem: ['ORGS'],
    },
  },
});

export const deleteOrganization = contract({
  operationId: 'delete-organization',
  route: 'DELETE /v1/orgs/{orgId}',
  summary: 'Delete an organization',
  description:
    'Makes the organization inaccessible at once and erases it in the background. Then its slug is free. With ' +
    '`keepDays`, its owners can restore it as it was until then. Its subscription ends when it is erased.',
  access: { kind: 'member', roles: ['owner'], tokens: 'full', narrowestToken: 'organization', fresh: 'always' },
  query: z.strictObject(keepQuery),
  responses: succeeds('The organization was deleted.'),
  uses: {
    table: { GetItem: ['ORG'], PutItem: ['UNFINISHED'], UpdateItem: ['ORG', 'PLATFORM'], DeleteItem: ['ORGS'] },
    queues: ['jobs'],
  },
});
