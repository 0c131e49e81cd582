import * as z from 'zod';
import { contract } from './contract.ts';
import { Organization } from './fields/organization.ts';
import { Success } from './fields/success.ts';
import { Name, Slug } from './fields/text.ts';

const area = 'organizations';

const organizationExample = {
  id: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
  slug: 'difference-engines',
  name: 'Difference Engines',
  plan: 'free',
  limitOverrides: {},
  requireSecondFactor: false,
  createdAt: '2026-01-31T09:26:53.589Z',
} as const;

export const createOrganization = /* @__PURE__ */ contract({
  operationId: 'create-organization',
  area,
  method: 'POST',
  path: '/v1/orgs',
  summary: 'Create an organization',
  description:
    'Creates an organization that the caller owns. Without a slug, one is made from the name, with a suffix if it is ' +
    'taken. An explicit slug that is taken is refused. The number of ' +
    'organizations that a user can own is limited.',
  access: { kind: 'account', tokens: 'full', narrowestToken: 'none' },
  body: z.strictObject({
    name: Name.meta({ description: 'Display name.', example: 'Analytical Engines' }),
    slug: Slug.optional().meta({
      description: 'The slug. Without it, one is made from the name.',
      example: 'analytical-engines',
    }),
  }),
  bodyExample: { name: 'Difference Engines', slug: 'difference-engines' },
  responses: {
    201: {
      description: 'The organization.',
      body: z.object({ organization: Organization }),
      example: {
        organization: organizationExample,
      },
    },
  },
  errors: ['slug_taken', 'organization_limit_reached'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    reads: ['ORG', 'RETIRED'],
    writes: ['ORG', 'ORGID', 'ORGS', 'PLATFORM', 'AUDIT'],
  },
});

export const renameOrganization = /* @__PURE__ */ contract({
  operationId: 'rename-organization',
  area,
  method: 'PATCH',
  path: '/v1/orgs/{orgId}',
  summary: 'Rename an organization, or demand a second factor',
  description:
    'Changes the display name; the slug stays. For owners and admins. An owner who has a second factor can demand one of ' +
    'all members: sessions and tokens that were not proved with one are refused from then on.',
  access: {
    kind: 'member',
    roles: ['owner', 'admin'],
    tokens: 'full',
    narrowestToken: 'organization',
    // To change whether a second factor is demanded.
    fresh: 'by-content',
  },
  body: z
    .strictObject({
      name: Name.optional().meta({ description: 'Display name.', example: 'Analytical Engines Ltd' }),
      requireSecondFactor: z
        .boolean({ message: 'must be true or false' })
        .optional()
        .meta({ description: 'Whether members need a second factor. For owners.' }),
    })
    .refine(({ name, requireSecondFactor }) => name !== undefined || requireSecondFactor !== undefined, {
      message: 'must have name, requireSecondFactor or both',
    }),
  bodyExample: { name: 'Analytical Engines Ltd' },
  responses: {
    200: {
      description: 'The organization.',
      body: z.object({ organization: Organization }),
      example: { organization: { ...organizationExample, slug: 'analytical-engines', name: 'Analytical Engines Ltd' } },
    },
  },
  errors: ['forbidden'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    writes: ['ORG', 'ORGS', 'AUDIT'],
  },
});

export const deleteOrganization = /* @__PURE__ */ contract({
  operationId: 'delete-organization',
  area,
  method: 'DELETE',
  path: '/v1/orgs/{orgId}',
  summary: 'Delete an organization',
  description:
    'Makes the organization and all its data unreachable at once and erases them in the background. The slug can be used ' +
    'again when that is done. For owners only.',
  access: { kind: 'member', roles: ['owner'], tokens: 'full', narrowestToken: 'organization', fresh: 'always' },
  responses: { 200: { description: 'The organization is deleted.', body: Success, example: { success: true } } },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'UpdateItem', 'DeleteItem'],
    writes: ['ORG', 'ORGS', 'PLATFORM'],
    queues: ['jobs'],
  },
});
