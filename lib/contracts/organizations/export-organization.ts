import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { text } from '../fields/text.ts';

const Base64Url = z.string().regex(/^[A-Za-z0-9_-]{1,1400}$/, { message: 'must be base64url' });
const member = (schema: z.ZodType<string>, description: string) => schema.optional().describe(description);

/** A private key has members that are not known here, so it is rejected. */
export const SealingKey = z
  .strictObject({
    kty: z.enum(['EC', 'RSA']).meta({ description: 'The key type.', example: 'EC' }),
    crv: z.enum(['P-256', 'P-384', 'P-521']).optional().describe('The curve of an EC key.'),
    x: member(Base64Url, 'Coordinate of an EC key.'),
    y: member(Base64Url, 'Coordinate of an EC key.'),
    n: member(Base64Url, 'Modulus of an RSA key, of at least 2048 bits.'),
    e: member(Base64Url, 'Exponent of an RSA key.'),
    kid: member(z.string().max(200), 'Ignored.'),
    alg: member(z.string().max(20), 'Ignored.'),
    use: member(z.string().max(20), 'Ignored.'),
    key_ops: z.array(z.string().max(20)).max(10).optional().describe('Ignored.'),
    ext: z.boolean().optional().describe('Ignored.'),
  })
  .describe('A public key (RFC 7517).');
export type SealingKey = z.infer<typeof SealingKey>;

export const exportOrganization = contract({
  operationId: 'export-organization',
  route: 'POST /v1/orgs/{orgId}/export',
  summary: 'Export an organization',
  description:
    'Returns everything that the organization owns, in pages of up to 3.5 MB: members, projects, environments with ' +
    'their whole history, webhooks, identities and the audit log. `docs/organization-export.md` describes the records, ' +
    'and how to write them to a file that can be imported. Each environment is exported at one revision: the one that ' +
    'it had when its first record was returned. With `sealTo`, each value is sealed to that key before it leaves the ' +
    'service; with `plain`, values are returned as they are. Each page with values writes an audit entry.',
  access: { kind: 'member', roles: ['owner'], tokens: 'full', narrowestToken: 'organization', fresh: 'always' },
  body: z
    .strictObject({
      sealTo: SealingKey.optional(),
      plain: z.literal(true).optional().describe('Returns values as they are.'),
      after: text(1, 2048).optional().describe('`next` of the previous page.'),
    })
    .refine(({ sealTo, plain }) => (sealTo === undefined) !== (plain === undefined), {
      message: 'must have either sealTo or plain',
    }),
  bodyExample: { plain: true },
  responses: ok({
    description: 'The next records.',
    body: z.object({
      // `export-records.ts` declares all kinds; the operation checks each record.
      records: z
        .array(
          z.looseObject({ record: z.string().meta({ description: 'The kind of record.', example: 'removed-member' }) }),
        )
        .describe('The records. `docs/organization-export.md` has all kinds.'),
      next: z.string().nullable().describe('Pass it as `after` for the next page; null after the last page.'),
    }),
    example: { records: [], next: null },
  }),
  isLong: true,
  errors: ['cursor_expired'],
  sizing: { memoryMb: 1769, reason: 'a page seals up to 1,000 values to a public key, which takes half a CPU second' },
  uses: {
    table: { GetItem: ['AUDIT'], BatchGetItem: ['ENV', 'ORG'], Query: ['AUDIT', 'ENV', 'ORG'], PutItem: ['AUDIT'] },
    key: { project: ['Decrypt'], webhook: ['Decrypt'] },
  },
});
