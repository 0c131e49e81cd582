import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { AllowedNetworks } from '../fields/allowed-networks.ts';
import { EffectiveLimits, exampleLimits, LimitValue, limitNames, PlanName, perLimit, Usage } from '../fields/limits.ts';
import { Organization } from '../fields/organization.ts';
import { optionalPage, Pagination, prefixQuery } from '../fields/query.ts';
import { Recovery } from '../fields/recovery.ts';

export const organizationExample = { plan: 'pro', limitOverrides: { maxMembers: 150 } } as const;

export const limitsExample = { ...exampleLimits('pro'), maxMembers: 150 };

const defaults = Object.fromEntries(limitNames.map(name => [name, 'default']));

export const effectiveExample = {
  effective: limitsExample,
  source: { ...defaults, maxProjects: 'plan', maxMembers: 'override' },
};

export const getStatistics = contract({
  operationId: 'get-statistics',
  route: 'GET /v1/admin/stats',
  summary: 'Get platform statistics',
  description: 'Returns the number of users, organizations and projects on the platform.',
  access: { kind: 'admin' },
  responses: ok({
    description: 'The counts.',
    body: z.object({
      users: z.int().meta({ description: 'Users.', example: 1204 }),
      organizations: z.int().meta({ description: 'Organizations.', example: 1310 }),
      projects: z.int().meta({ description: 'Projects.', example: 2877 }),
    }),
  }),
  uses: { table: { Query: ['PLATFORM'] } },
});

export const OrganizationWithUsage = z
  .object({ ...Organization.shape, usage: Usage })
  .meta({ id: 'OrganizationWithUsage', description: 'An organization and its usage.' });
export type OrganizationWithUsage = z.infer<typeof OrganizationWithUsage>;

export const listOrganizations = contract({
  operationId: 'list-organizations',
  route: 'GET /v1/admin/orgs',
  summary: 'List all organizations with their usage',
  description: 'Lists all organizations by slug. Without `limit`, returns all if they fit in one response.',
  access: { kind: 'admin' },
  query: z.strictObject({
    ...optionalPage,
    search: prefixQuery('Prefix of the slug or name, case-insensitive.').optional().meta({ example: 'analytical' }),
  }),
  responses: ok({
    description: 'A page of organizations.',
    body: z.object({
      organizations: z.array(OrganizationWithUsage).describe('The organizations, by slug.'),
      pagination: Pagination.optional(),
    }),
    example: { organizations: [organizationExample], pagination: { limit: 50, offset: 0, total: 1 } },
  }),
  errors: ['payload_too_large'],
  uses: { table: { BatchGetItem: ['ENV', 'ORG'], Query: ['ORG', 'ORGS'] } },
});

export const inspectOrganization = contract({
  operationId: 'inspect-organization',
  route: 'GET /v1/admin/orgs/{orgId}',
  summary: 'Get an organization and its limits',
  description:
    'Returns an organization with its usage, the limits in force and where each limit comes from, and its last recovery.',
  access: { kind: 'admin' },
  responses: ok({
    description: 'The organization.',
    body: z.object({
      organization: Organization,
      usage: Usage,
      limits: EffectiveLimits,
      networks: AllowedNetworks,
      recovery: Recovery.nullable().describe('Its last recovery, if there was one.'),
    }),
    example: {
      organization: organizationExample,
      limits: effectiveExample,
      networks: { people: null },
      recovery: null,
    },
  }),
  uses: { table: { GetItem: ['ORG', 'ORGID', 'PLANS'], BatchGetItem: ['ENV'], Query: ['ORG'] } },
});

const OverrideValue = LimitValue.nullable().optional();

export const updateOrganization = contract({
  operationId: 'update-organization',
  route: 'PATCH /v1/admin/orgs/{orgId}',
  summary: 'Update an organization’s plan and limit overrides',
  description:
    'Omitted overrides stay, and null removes one. A downgrade deletes nothing; it only prevents growth. With `networks`, ' +
    'removes the restriction to certain networks.',
  access: { kind: 'admin', fresh: 'always' },
  body: z
    .strictObject({
      plan: PlanName.optional().describe('The new plan.'),
      limitOverrides: z
        .strictObject(perLimit(OverrideValue))
        .optional()
        .describe('Limits for this organization only; -1 = unlimited, null removes the override.'),
      networks: z
        .null()
        .optional()
        .describe('Null lets requests in from every network again, if its owners have locked themselves out.'),
    })
    .refine(body => Object.keys(body).length > 0, { message: 'must have plan, limitOverrides or networks' })
    .meta({ minProperties: 1 }),
  bodyExample: { plan: 'pro', limitOverrides: { maxMembers: 150, maxProjects: null } },
  responses: ok({
    description: 'The organization and its current limits.',
    body: z.object({ organization: Organization, limits: EffectiveLimits }),
    example: { organization: organizationExample, limits: effectiveExample },
  }),
  uses: { table: { GetItem: ['ORG', 'ORGID'], PutItem: ['AUDIT'], UpdateItem: ['ORG'] } },
});
