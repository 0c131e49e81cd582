import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { maximumAgeDays } from '../fields/age-days.ts';
import { optionalPage, Pagination } from '../fields/query.ts';
import { roles } from '../fields/role.ts';
import { SecretKey, Slug, Timestamp, UserId } from '../fields/text.ts';

export const Due = z
  .object({
    project: z.string().meta({ description: 'The project’s slug.', example: 'web-shop' }),
    environment: z.string().meta({ description: 'The environment’s slug.', example: 'staging' }),
    key: SecretKey.meta({ description: 'The secret’s key.', example: 'DATABASE_PASSWORD' }),
    version: z.int().meta({ description: 'The version of the value.', example: 3 }),
    writtenAt: Timestamp.describe('When this version was written.'),
    dueAt: Timestamp.describe('When the value has to be renewed.'),
    owner: UserId.nullable().describe('Who renews its values; null for nobody.'),
    renewUrl: z.string().nullable().meta({
      description: 'Where a new value is made; null if nobody said.',
      example: 'https://dashboard.example.com/keys',
    }),
    tags: z.array(z.string()).meta({ description: 'The key’s tags.', example: ['payments'] }),
  })
  .meta({ id: 'Due', description: 'A value that has to be renewed.' });
export type Due = z.infer<typeof Due>;

const withinRule = `must be a number of days from 0 to ${maximumAgeDays}, such as 30d`;

const Within = z
  .string()
  .regex(/^\d{1,4}d$/, { message: withinRule, abort: true })
  .transform(days => Number(days.slice(0, -1)))
  .refine(days => days <= maximumAgeDays, { message: withinRule })
  .default(30)
  .meta({
    description: 'Values that are due within these days, and overdue ones. Defaults to 30 days.',
    example: '30d',
    documentedAs: () => z.string().regex(/^\d{1,4}d$/),
  });

export const listDue = contract({
  operationId: 'list-due',
  route: 'GET /v1/due/{orgId}',
  summary: 'List values that are due',
  description:
    'Lists the values that have to be renewed soon or are overdue, by the template’s `maxAgeDays` and `expiresAt`, ' +
    'whichever is earlier: in the environments that exist for the caller, who need not be allowed to read their values. ' +
    'Earliest first.',
  access: {
    kind: 'member',
    roles,
    tokens: 'read',
    narrowestToken: 'environment',
    limitedMembers: true,
    granted: true,
    names: 'always',
  },
  query: z.strictObject({
    within: Within,
    project: Slug.optional().meta({ description: 'Only values of this project.', example: 'web-shop' }),
    owner: z
      .union([z.literal('me'), UserId])
      .optional()
      .meta({
        description: 'Only values of this owner; `me` for the caller.',
        example: 'me',
        documentedAs: () => z.string(),
      }),
    ...optionalPage,
  }),
  responses: ok({
    description: 'The values that are due.',
    body: z.object({
      due: z.array(Due).describe('The values, earliest due time first.'),
      pagination: Pagination.optional().describe('Only if `limit` was given.'),
    }),
    example: { pagination: { limit: 50, offset: 0, total: 1 } },
  }),
  uses: { table: { GetItem: ['ORG'], BatchGetItem: ['ENV'], Query: ['ENV', 'ORG'] } },
});
