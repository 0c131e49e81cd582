import * as z from 'zod';
import { contract, ok, succeeds } from '../contract.ts';
import { OrganizationId, Slug, Timestamp } from '../fields/text.ts';

export const DeletedOrganization = z
  .object({
    id: OrganizationId.describe('Organization identifier.'),
    slug: Slug.meta({ description: 'Its slug, which stays taken.', example: 'analytical-engines' }),
    name: z.string().meta({ description: 'Display name.', example: 'Analytical Engines' }),
    deletedAt: Timestamp.describe('When it was deleted.'),
    erasedAt: Timestamp.describe('Until when it can be restored.'),
  })
  .meta({ id: 'DeletedOrganization', description: 'A deleted organization that can still be restored.' });
export type DeletedOrganization = z.infer<typeof DeletedOrganization>;

export const listDeletedOrganizations = contract({
  operationId: 'list-deleted-organizations',
  route: 'GET /v1/orgs/deleted',
  summary: 'List the organizations that can be restored',
  description:
    'Lists the organizations that the caller owned, that were deleted with `keepDays` and that can still be restored, ' +
    'the latest deletion first.',
  access: { kind: 'account', tokens: 'read', narrowestToken: 'none', confined: true },
  responses: ok({
    description: 'The organizations.',
    body: z.object({ deleted: z.array(DeletedOrganization).describe('The organizations, the latest deletion first.') }),
  }),
  uses: { table: { BatchGetItem: ['ORG'], Query: ['USER'] } },
});

export const restoreOrganization = contract({
  operationId: 'restore-organization',
  route: 'POST /v1/orgs/deleted/{orgId}/restore',
  summary: 'Restore an organization',
  description:
    'Undoes the deletion of an organization that the caller owned. Everything is as it was, but for what was erased in ' +
    'it meanwhile. What the organization requires of its members applies. If that is its sign-in provider, a second ' +
    'factor of the account suffices, because nobody can sign in through the provider of a deleted organization.',
  access: { kind: 'account', tokens: 'full', narrowestToken: 'none', fresh: 'always', confined: true },
  notFound: { orgId: 'deleted_not_found' },
  responses: succeeds('The organization was restored.'),
  errors: ['second_factor_required', 'provider_required', 'network_not_allowed'],
  uses: {
    table: {
      GetItem: ['USER'],
      BatchGetItem: ['ORG'],
      PutItem: ['AUDIT', 'ORGS'],
      UpdateItem: ['ORG', 'PLATFORM'],
      DeleteItem: ['UNFINISHED'],
    },
  },
});
