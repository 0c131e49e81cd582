import * as z from 'zod';
import { contract, created } from '../contract.ts';
import { Organization } from '../fields/organization.ts';
import { Name, newSlug } from '../fields/text.ts';

export const createOrganization = contract({
  operationId: 'create-organization',
  route: 'POST /v1/orgs',
  summary: 'Create an organization',
  description:
    'Creates an organization that the caller owns. If the slug is omitted, it is derived from the name, with a ' +
    'suffix if that slug is taken. An explicit slug that is taken is rejected; if its last ' +
    'organization is being erased, the request first waits up to 10 seconds for that. The number of organizations a ' +
    'user can own is limited.',
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
    table: ['GetItem', 'Query', 'ConditionCheckItem'],
    reads: ['ORG', 'RETIRED'],
    writes: ['ORG', 'ORGID', 'ORGS', 'PLATFORM', 'AUDIT'],
  },
});
