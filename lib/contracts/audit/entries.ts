import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { AuditAction, AuditDetails, actorTypes, targetTypes } from '../fields/audit-action.ts';
import { alwaysPaged, integerQuery, Pagination, timeQuery } from '../fields/query.ts';
import { managers } from '../fields/role.ts';
import { EnvironmentId, ProjectId, Timestamp, text, Uuid } from '../fields/text.ts';

export const ProjectReference = z.object({
  id: ProjectId.describe('Project identifier.'),
  slug: z.string().meta({ description: 'Project slug.', example: 'web-shop' }),
});

export const EnvironmentReference = z.object({
  id: EnvironmentId.describe('Environment identifier.'),
  slug: z.string().meta({ description: 'Environment slug.', example: 'staging' }),
});

export const AuditEntry = z
  .object({
    id: Uuid.meta({ description: 'Entry identifier.', example: 'b8d1f4a7-6c3e-4920-9b5d-2e7a0c8f1d63' }),
    action: AuditAction,
    actor: z
      .object({
        id: Uuid.nullable().describe('The user or identity; null for the system.'),
        email: z.string().nullable().describe('The user’s e-mail address then; null for an identity or the system.'),
        name: z.string().optional().describe('The name of the identity or token at the time; only for these types.'),
        type: z.enum(actorTypes).describe('How the request was authenticated; `system` for the service itself.'),
        tokenId: Uuid.optional().describe('The token used; only for the types `token` and `identity`.'),
        sessionId: Uuid.optional().describe('The session used; only for the type `session`.'),
      })
      .describe('Who acted.'),
    target: z
      .object({
        type: z.enum(targetTypes).meta({ description: 'The type of the target.', example: 'project' }),
        id: z.string().meta({ description: 'Its identifier.', example: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73' }),
        name: z.string().meta({ description: 'Its name, slug, key or address.', example: 'web-shop' }),
      })
      .describe('The target of the action.'),
    project: ProjectReference.optional().describe('The environment’s project, if the target is an environment.'),
    environment: EnvironmentReference.optional().describe('The environment, if the action concerns one.'),
    keys: z
      .array(z.string())
      .optional()
      .meta({
        description:
          'The keys concerned, never their values. Absent for a whole pull, and for a comparison or validation of ' +
          'all keys if the list would be long: the keys are then those that the environment had at `revision`.',
        example: ['DATABASE_HOST'],
      }),
    keysOmitted: z.int().optional().meta({ description: 'The number of keys left out of a long list.', example: 12 }),
    unchanged: z.array(z.string()).optional().describe('Keys reported as already having their value.'),
    revision: z.int().optional().meta({ description: 'The revision that was read or written.', example: 18 }),
    message: z.string().optional().meta({ description: 'The author’s reason.', example: 'Move to the new database' }),
    details: AuditDetails.optional(),
    grants: z.array(Uuid).optional().describe('The grants without which it would have been refused.'),
    detailsOmitted: z.literal(true).optional().describe('Too long for this page; a smaller `limit` returns them.'),
    ip: z.string().meta({ description: 'The IP address that the request came from.', example: '203.0.113.7' }),
    userAgent: z.string().meta({ description: 'The client’s `User-Agent`.', example: 'example-cli/1.4' }),
    requestId: z.string().meta({ description: 'The request’s `X-Request-Id`.', example: 'EXAMPLE-request-id' }),
    createdAt: Timestamp.describe('When it happened.'),
  })
  .meta({ id: 'AuditEntry', description: 'A change in the organization or a read of values. Never contains a value.' });
export type AuditEntry = z.infer<typeof AuditEntry>;

const entryExample = {
  actor: { id: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11', email: 'ada@example.com', type: 'session' },
  environment: { id: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094', slug: 'staging' },
  revision: 18,
} as const;

/** Skipped entries are read as well, so this limits the cost of a page. */
export const maximumOffset = 10_000;

/** Which entries to return. Without any, all of them. */
export const auditFilters = {
  action: AuditAction.optional().describe('Only entries with this action.'),
  actor: Uuid.optional().describe('Only what this user or identity did.'),
  tokenId: Uuid.optional().describe('Only what was done with this token.'),
  project: ProjectId.optional().describe('Only entries about this project and its environments.'),
  environment: EnvironmentId.optional().describe('Only entries about this environment.'),
  key: text(1, 256)
    .optional()
    .describe('Entries about this key, and whole pulls that had it, except in deleted environments.'),
  since: timeQuery('Only entries from this time on.').optional(),
  until: timeQuery('Only entries before this time.').optional(),
};

/** A position in the log, as an earlier answer gave it. */
export const afterQuery = text(1, 1024).optional().describe('`next` of the previous page.');

const AuditPagination = Pagination.extend({
  total: Pagination.shape.total.nullable().describe('The number of matches; null if one request cannot count them.'),
}).meta({ id: 'AuditPagination', description: 'The position of a page in the log.' });
export type AuditPagination = z.infer<typeof AuditPagination>;

export const listAuditEntries = contract({
  operationId: 'list-audit-entries',
  route: 'GET /v1/audit/{orgId}',
  summary: 'Query the audit log',
  description:
    'Lists changes in the organization and reads of values, newest first, for as long as the plan retains them. The ' +
    'filters can be combined. An admin of single projects must pass one of them as `project`. A request reads a limited number of entries; if that is not enough to find and count ' +
    'all matches, `total` is null, the page may be short, and `next` continues after it. If entries have very long ' +
    'lists of keys, a page includes only the first keys of each; a smaller `limit` returns more. Very long details ' +
    'are omitted in the same way.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization', projectAdmins: true },
  query: z.strictObject({
    ...alwaysPaged,
    offset: integerQuery(0, maximumOffset, 'The number of entries to skip. Ignored with `after`.').default(0),
    ...auditFilters,
    after: afterQuery,
  }),
  responses: ok({
    description: 'A page of entries.',
    body: z.object({
      entries: z.array(AuditEntry).describe('The entries, newest first.'),
      next: z
        .string()
        .optional()
        .describe('For `after`, with the same filters. Only if `total` is null or no `offset` reaches the page.'),
      pagination: AuditPagination,
    }),
    example: {
      entries: [{ ...entryExample, action: 'secret.updated', keys: ['DATABASE_HOST'] }],
      pagination: { total: 1 },
    },
  }),
  isLong: true,
  uses: {
    table: {
      GetItem: ['AUDIT', 'ENV'],
      BatchGetItem: ['ENV', 'ORG'],
      Query: ['AUDIT', 'ENV', 'ORG'],
      // The stored counts.
      PutItem: ['AUDIT'],
    },
  },
});

export const feedAuditEntries = contract({
  operationId: 'feed-audit-entries',
  route: 'GET /v1/audit/{orgId}/feed',
  summary: 'Follow the audit log',
  description:
    'Returns entries oldest first, for a reader that stores them elsewhere. A reader that always passes the last ' +
    '`next` as `after` gets every entry exactly once. Entries appear about a minute late, once no earlier entry can ' +
    'still be written. A page may be short or empty although more entries follow; the reader has all of them when ' +
    '`upTo` is about a minute ago. Without `after`, the feed starts at `since`, or with the oldest entry. Reading ' +
    'the feed writes no entry.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization', projectAdmins: true },
  query: z.strictObject({
    limit: integerQuery(1, 1000, 'Entries per page.').default(100),
    after: afterQuery,
    ...auditFilters,
  }),
  responses: ok({
    description: 'The next entries.',
    body: z.object({
      entries: z.array(AuditEntry).describe('The entries, oldest first.'),
      next: z.string().describe('Pass it as `after`, with the same filters, to continue.'),
      upTo: Timestamp.describe('Every matching entry from before this time has been returned.'),
    }),
    example: { entries: [{ ...entryExample, action: 'secret.pulled' }], next: 'EXAMPLE-next' },
  }),
  isLong: true,
  errors: ['cursor_expired'],
  uses: { table: { GetItem: ['AUDIT', 'ENV', 'PLANS'], BatchGetItem: ['ENV', 'ORG'], Query: ['AUDIT', 'ENV', 'ORG'] } },
});
