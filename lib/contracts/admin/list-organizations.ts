import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Usage } from '../fields/limits.ts';
import { Organization } from '../fields/organization.ts';
import { optionalPage, Pagination, prefixQuery } from '../fields/query.ts';
import { organizationExample } from './examples.ts';

export const OrganizationWithUsage = z
  .object({ ...Organization.shape, usage: Usage })
  .meta({ id: 'OrganizationWithUsage', description: 'An organization and its usage.' });
export type OrganizationWithUsage = z.infer<typeof OrganizationWithUsage>;

export const listOrganizations = contract({
  operationId: 'list-organizations',
  route: 'GET /v1/admin/orgs',
  summary: 'List all organizations with their usage',
  description:
    'Lists the organizations of the platform, ordered by slug. Without `limit`, returns all of them if they fit ' +
    'in one response.',
  access: { kind: 'admin' },
  query: z.strictObject({
    ...optionalPage,
    search: prefixQuery('Only organizations whose slug or name starts with this, case-insensitive.')
      .optional()
      .meta({ example: 'analytical' }),
  }),
  responses: ok({
    description: 'A page of organizations.',
    body: z.object({
      organizations: z.array(OrganizationWithUsage).meta({ description: 'The organizations, by slug.' }),
      pagination: Pagination.optional(),
    }),
    example: { organizations: [organizationExample], pagination: { limit: 50, offset: 0, total: 1 } },
  }),
  errors: ['payload_too_large'],
  uses: { table: ['Query'], reads: ['ORG', 'ORGS', 'ENV'] },
});
