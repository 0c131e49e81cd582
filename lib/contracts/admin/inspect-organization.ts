import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { EffectiveLimits, Usage } from '../fields/limits.ts';
import { Organization } from '../fields/organization.ts';
import { effectiveExample, organizationExample } from './examples.ts';

export const inspectOrganization = contract({
  operationId: 'inspect-organization',
  route: 'GET /v1/admin/orgs/{orgId}',
  summary: 'Get an organization and its limits',
  description: 'Returns an organization with its usage, the limits in force, and where each limit comes from.',
  access: { kind: 'admin' },
  responses: ok({
    description: 'The organization.',
    body: z.object({ organization: Organization, usage: Usage, limits: EffectiveLimits }),
    example: { organization: organizationExample, limits: effectiveExample },
  }),
  uses: { table: ['GetItem', 'Query'], reads: ['ORG', 'ORGID', 'ENV', 'PLANS'] },
});
