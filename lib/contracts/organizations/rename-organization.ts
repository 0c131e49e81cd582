import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Organization } from '../fields/organization.ts';
import { managers } from '../fields/role.ts';
import { Name } from '../fields/text.ts';

export const renameOrganization = contract({
  operationId: 'rename-organization',
  route: 'PATCH /v1/orgs/{orgId}',
  summary: 'Rename an organization or require a second factor',
  description:
    'Changes the display name; the slug stays the same. Owners and admins only. An owner with a second factor ' +
    'can require one of all members: from then on, sessions and tokens created without one are rejected.',
  // Required to change whether members need a second factor.
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization', fresh: 'by-content' },
  body: z
    .strictObject({
      name: Name.optional().meta({ description: 'Display name.', example: 'Analytical Engines Ltd' }),
      requireSecondFactor: z
        .boolean({ message: 'must be true or false' })
        .optional()
        .meta({ description: 'Whether members need a second factor. Only owners can change this.' }),
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
  uses: { table: ['GetItem', 'DeleteItem', 'ConditionCheckItem'], writes: ['ORG', 'ORGS', 'AUDIT'] },
});
