import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { integerQuery } from '../fields/query.ts';
import { managers } from '../fields/role.ts';
import { Timestamp } from '../fields/text.ts';
import { AuditEntry, afterQuery, auditFilters } from './list-audit-entries.ts';

export const feedAuditEntries = contract({
  operationId: 'feed-audit-entries',
  route: 'GET /v1/audit/{orgId}/feed',
  summary: 'Follow the audit log',
  description:
    'Returns entries oldest first, for a reader that stores them elsewhere. A reader that always passes the last ' +
    '`next` as `after` gets every entry exactly once. Entries appear about a minute late, once no earlier entry can ' +
    'still be written. A page may be short or empty although more entries follow; the reader has all of them when ' +
    '`upTo` is about a minute ago. Without `after`, the feed starts at `since`, or with the oldest entry. Reading ' +
    'the feed writes no entry. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization' },
  query: z.strictObject({
    limit: integerQuery(1, 1000, 'Entries per page.').default(100),
    after: afterQuery,
    ...auditFilters,
  }),
  responses: ok({
    description: 'The next entries.',
    body: z.object({
      entries: z.array(AuditEntry).meta({ description: 'The entries, oldest first.' }),
      next: z.string().meta({ description: 'Pass it as `after`, with the same filters, to continue.' }),
      upTo: Timestamp.meta({ description: 'Every matching entry from before this time has been returned.' }),
    }),
    example: {
      entries: [
        {
          action: 'secret.pulled',
          actor: { id: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11', email: 'ada@example.com', type: 'session' },
          environment: { id: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094', slug: 'staging' },
          revision: 18,
        },
      ],
      next: 'EXAMPLE-next',
    },
  }),
  isLong: true,
  errors: ['cursor_expired'],
  uses: { table: ['BatchGetItem', 'GetItem', 'Query'], reads: ['AUDIT', 'ENV', 'ORG', 'PLANS'] },
});
