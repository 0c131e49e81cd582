import * as z from 'zod';
import { contract } from '../contract.ts';
import { AuditAction } from '../fields/audit-action.ts';
import { alwaysPaged, Pagination } from '../fields/pagination.ts';
import { integerQuery } from '../fields/query.ts';
import { managers } from '../fields/role.ts';
import { AuditEntry } from './audit-entry.ts';

/** Skipped entries are read as well, so this limits the cost of a page. */
const maximumOffset = 10_000;

export const listAuditEntries = contract({
  operationId: 'list-audit-entries',
  route: 'GET /v1/audit/{orgId}',
  summary: 'Query the audit log',
  description:
    'Lists every change in the organization and every read of values, newest first, for as long as the plan ' +
    'retains them. If the log has grown by tens of thousands of entries since it was last read, `total` may be ' +
    'too low for a few requests. If entries have very long lists of keys, a page includes only the first keys ' +
    'of each; a smaller `limit` returns more. Very long details are omitted in the same way. Owners and admins ' +
    'only.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization' },
  query: z.strictObject({
    ...alwaysPaged,
    offset: integerQuery(0, maximumOffset, 'The number of entries to skip.').default(0),
    action: AuditAction.optional().meta({ description: 'Only entries with this action.' }),
  }),
  responses: {
    200: {
      description: 'A page of entries.',
      body: z.object({
        entries: z.array(AuditEntry).meta({ description: 'The entries, newest first.' }),
        pagination: Pagination,
      }),
      example: {
        entries: [
          {
            action: 'secret.updated',
            actor: { id: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11', email: 'ada@example.com', type: 'session' },

            environment: { id: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094', slug: 'staging' },
            keys: ['DATABASE_HOST'],
            revision: 18,
          },
        ],
        pagination: { total: 1 },
      },
    },
  },
  uses: { table: ['Query'], reads: ['AUDIT'], writes: ['AUDIT'] },
});
