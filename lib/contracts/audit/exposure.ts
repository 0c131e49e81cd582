import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { timeQuery } from '../fields/query.ts';
import { EnvironmentType, managers } from '../fields/role.ts';
import { EnvironmentId, Timestamp, text, Uuid } from '../fields/text.ts';
import { EnvironmentReference, ProjectReference } from './entries.ts';

/** The kinds of credentials, and of those who hold them, that can be asked about, by the parameter that names one. */
export const subjects = { tokenId: 'token', identityId: 'identity', userId: 'user', sessionId: 'session' } as const;

/** The ways in which a value becomes known. */
export const exposureWays = ['pulled', 'history', 'compared', 'written', 'validated', 'exported'] as const;

const Incomplete = z
  .object({
    reason: z
      .enum(['retention', 'environment_erased'])
      .describe(
        '`retention`: what happened before `before` is not recorded, or only in part. `environment_erased`: the ' +
          'environment’s history is gone, so its versions follow from the audit log alone.',
      ),
    before: Timestamp.optional().describe('The end of the uncertain period.'),
    environment: EnvironmentId.optional().describe('The erased environment.'),
  })
  .describe('Why the response may list more than was really seen.');

export const Exposure = z
  .object({
    project: ProjectReference.describe('The project.'),
    environment: EnvironmentReference.extend({
      type: EnvironmentType.nullable().describe('Its type; null for an erased environment.'),
    }).describe('The environment.'),
    key: z.string().meta({ description: 'The key of the secret.', example: 'DATABASE_HOST' }),
    versions: z.array(z.int()).meta({ description: 'The versions, ascending. Empty if unknown.', example: [3] }),
    firstAt: Timestamp.describe('When one of them first became known, or may have.'),
    lastAt: Timestamp.describe('When one of them last became known, or may have.'),
    how: z.array(z.enum(exposureWays)).meta({
      description: 'How they became known. Empty if no entry shows it, but expired entries may have.',
      example: ['pulled'],
    }),
    grants: z.array(Uuid).meta({ description: 'The grants under which they were read, if any.', example: [] }),
    current: z.boolean().describe('Whether the environment holds a known value now, maybe in a newer version.'),
  })
  .meta({ id: 'Exposure', description: 'A secret whose value became known. Never contains the value.' });
export type Exposure = z.infer<typeof Exposure>;

const Evidence = {
  knownSince: Timestamp.describe('The time since which the audit log has every entry.'),
  complete: z.boolean().describe('Whether the response is exact. If not, it lists too much rather than too little.'),
  incomplete: z.array(Incomplete).optional().describe('Why it is not complete.'),
  next: z.string().optional().describe('Pass it as `after` to continue. Merge entries of a secret on several pages.'),
};

const CredentialExposure = z.object({
  subject: z
    .object({
      type: z.enum(Object.values(subjects)).meta({ description: 'The kind of subject.', example: 'token' }),
      id: Uuid.describe('Its identifier.'),
      name: z.string().nullable().meta({
        description: 'The e-mail address or the identity’s name in its latest entry; null if it has none.',
        example: 'ada@example.com',
      }),
    })
    .describe('The credential, person or identity.'),
  ...Evidence,
  exposures: z.array(Exposure).describe('What the subject saw, with secrets that are still current first.'),
});
export type CredentialExposure = z.infer<typeof CredentialExposure>;

const SecretReaders = z.object({
  key: z.string().meta({ description: 'The key of the secret.', example: 'DATABASE_HOST' }),
  version: z.int().meta({ description: 'Its current version.', example: 3 }),
  ...Evidence,
  complete: z.boolean().describe('Whether everyone is listed. If not, only authors are known from before `before`.'),
  readers: z
    .array(
      z.object({
        actor: z
          .object({
            id: Uuid.describe('The user or identity.'),
            email: z.string().nullable().describe('The user’s e-mail address; null for an identity.'),
            name: z.string().optional().describe('The identity’s name.'),
            type: z.enum(['user', 'identity']).describe('Whether it is a person or an identity.'),
          })
          .describe('Who knows the value.'),
        tokenIds: z.array(Uuid).describe('The tokens with which it became known; sessions are not listed.'),
        firstAt: Timestamp.describe('When it first became known.'),
        lastAt: Timestamp.describe('When it last became known.'),
        hasAccess: z.boolean().describe('Whether they could pull the environment now, with a credential or by log-in.'),
      }),
    )
    .describe('Everyone who knows the current value, most recent first.'),
});
export type SecretReaders = z.infer<typeof SecretReaders>;

const Query = z
  .strictObject({
    tokenId: Uuid.optional().describe('What a token saw.'),
    identityId: Uuid.optional().describe('What an identity saw, with all of its tokens.'),
    userId: Uuid.optional().describe('What a user saw, with all sessions and tokens.'),
    sessionId: Uuid.optional().describe('What a session saw.'),
    environment: Uuid.optional().describe('The environment of the secret whose readers to list.'),
    key: text(1, 256).optional().describe('The key of that secret.'),
    since: timeQuery('Only from this time on.').optional(),
    until: timeQuery('Only before this time.').optional(),
    after: text(1, 1024).optional().describe('`next` of the previous page.'),
  })
  .refine(
    ({ environment, key, ...query }) => {
      const asked = Object.keys(subjects).filter(name => query[name as keyof typeof subjects] !== undefined);
      return environment === undefined && key === undefined
        ? asked.length === 1
        : asked.length === 0 && environment !== undefined && key !== undefined;
    },
    {
      path: ['tokenId'],
      message:
        'must be given, or else identityId, userId or sessionId, or environment together with key; only one of these',
    },
  );

export const getExposure = contract({
  operationId: 'get-exposure',
  route: 'GET /v1/audit/{orgId}/exposure',
  summary: 'Say what a credential saw',
  description:
    'With `tokenId`, `identityId`, `userId` or `sessionId`: returns every secret that the subject saw, by version, ' +
    'and whether the environment still holds that value, so that it must be changed. With `environment` and `key`: ' +
    'returns everyone who knows the current value. Credentials and people that no longer exist are supported. The ' +
    'response is computed from the audit log and the recorded revisions. If these leave a doubt, `complete` is false ' +
    'and the response lists everything that may have been read, even for an unknown credential. Values that were ' +
    'promoted to another environment are not followed there.',
  access: { kind: 'member', roles: managers, tokens: 'read', narrowestToken: 'organization' },
  query: Query,
  isLong: true,
  sizing: { memoryMb: 1024, reason: 'up to 80 MB of audit entries are read and added up in one request' },
  responses: ok({
    description: 'What the subject saw, or who knows the secret.',
    body: z.union([CredentialExposure, SecretReaders]),
    example: {
      subject: { type: 'token', id: '1c9f6a30-58d2-4b7e-8a41-90e3d7c2b5f6', name: 'ada@example.com' },
      knownSince: '2026-08-23T00:00:00.000Z',
      complete: true,
      exposures: [{ key: 'DATABASE_HOST', versions: [3], how: ['pulled'], current: true }],
    },
  }),
  errors: ['environment_not_found', 'secret_not_found'],
  uses: {
    table: {
      GetItem: ['AUDIT', 'ENV', 'ORG', 'PLANS', 'USER'],
      BatchGetItem: ['ENV'],
      Query: ['AUDIT', 'ENV', 'ORG', 'USER'],
    },
  },
});
