import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { timeQuery } from '../fields/query.ts';
import { EnvironmentType, managers } from '../fields/role.ts';
import { EnvironmentId, Timestamp, text, Uuid } from '../fields/text.ts';
import { EnvironmentReference, ProjectReference } from './entries.ts';

/** The kinds of credentials, and of those who hold them, that can be asked about, by the parameter that names one. */
export const subjects = { tokenId: 'token', identityId: 'identity', userId: 'user', sessionId: 'session' } as const;

/** The ways in which a value becomes known. */
export const exposureWays = ['pulled', 'history', 'compared', 'written', 'validated'] as const;

const Incomplete = z
  .object({
    reason: z.enum(['retention', 'environment_erased']).meta({
      description:
        '`retention`: what happened before `before` is not recorded, or only in part. `environment_erased`: the ' +
        'environment’s history is gone, so its versions follow from the audit log alone.',
    }),
    before: Timestamp.optional().meta({ description: 'The end of the uncertain period.' }),
    environment: EnvironmentId.optional().meta({ description: 'The erased environment.' }),
  })
  .meta({ description: 'Why the response may list more than was really seen.' });

export const Exposure = z
  .object({
    project: ProjectReference.meta({ description: 'The project.' }),
    environment: EnvironmentReference.extend({
      type: EnvironmentType.nullable().meta({ description: 'Its type; null for an erased environment.' }),
    }).meta({ description: 'The environment.' }),
    key: z.string().meta({ description: 'The key of the secret.', example: 'DATABASE_HOST' }),
    versions: z.array(z.int()).meta({
      description: 'The versions that became known, ascending. Empty if the versions are unknown.',
      example: [3],
    }),
    firstAt: Timestamp.meta({ description: 'When one of them first became known, or may have.' }),
    lastAt: Timestamp.meta({ description: 'When one of them last became known, or may have.' }),
    how: z.array(z.enum(exposureWays)).meta({
      description: 'How they became known. Empty if no entry shows it, but expired entries may have.',
      example: ['pulled'],
    }),
    current: z.boolean().meta({
      description:
        'Whether the environment holds a known value now: the newest known version, or one that restores a known one.',
    }),
  })
  .meta({ id: 'Exposure', description: 'A secret whose value became known. Never contains the value.' });
export type Exposure = z.infer<typeof Exposure>;

const Evidence = {
  knownSince: Timestamp.meta({ description: 'The time since which the audit log has every entry.' }),
  complete: z.boolean().meta({
    description:
      'Whether the response is exact for the requested period. If not, it lists too much rather than too little.',
  }),
  incomplete: z.array(Incomplete).optional().meta({ description: 'Why it is not complete.' }),
  next: z.string().optional().meta({
    description: 'Pass it as `after` to get the rest. If a secret is on several pages, merge its entries.',
  }),
};

const CredentialExposure = z.object({
  subject: z
    .object({
      type: z.enum(Object.values(subjects)).meta({ description: 'The kind of subject.', example: 'token' }),
      id: Uuid.meta({ description: 'Its identifier.' }),
      name: z.string().nullable().meta({
        description: 'The e-mail address or the identity’s name in its latest entry; null if it has none.',
        example: 'ada@example.com',
      }),
    })
    .meta({ description: 'The credential, person or identity.' }),
  ...Evidence,
  exposures: z
    .array(Exposure)
    .meta({ description: 'What the subject saw, with secrets that are still current first.' }),
});
export type CredentialExposure = z.infer<typeof CredentialExposure>;

const SecretReaders = z.object({
  key: z.string().meta({ description: 'The key of the secret.', example: 'DATABASE_HOST' }),
  version: z.int().meta({ description: 'Its current version.', example: 3 }),
  ...Evidence,
  complete: z.boolean().meta({
    description:
      'Whether everyone is listed. If not, entries have expired, and only authors are known for the time before ' +
      '`before`.',
  }),
  readers: z
    .array(
      z.object({
        actor: z
          .object({
            id: Uuid.meta({ description: 'The user or identity.' }),
            email: z.string().nullable().meta({ description: 'The user’s e-mail address; null for an identity.' }),
            name: z.string().optional().meta({ description: 'The identity’s name.' }),
            type: z.enum(['user', 'identity']).meta({ description: 'Whether it is a person or an identity.' }),
          })
          .meta({ description: 'Who knows the value.' }),
        tokenIds: z
          .array(Uuid)
          .meta({ description: 'The tokens with which it became known; sessions are not listed.' }),
        firstAt: Timestamp.meta({ description: 'When it first became known.' }),
        lastAt: Timestamp.meta({ description: 'When it last became known.' }),
        hasAccess: z.boolean().meta({
          description:
            'Whether they may read the environment now, with a credential they have or by logging in: the same ' +
            'checks as for a pull.',
        }),
      }),
    )
    .meta({ description: 'Everyone who knows the current value, most recent first.' }),
});
export type SecretReaders = z.infer<typeof SecretReaders>;

const Query = z
  .strictObject({
    tokenId: Uuid.optional().meta({ description: 'What a token saw.' }),
    identityId: Uuid.optional().meta({ description: 'What an identity saw, with all of its tokens.' }),
    userId: Uuid.optional().meta({ description: 'What a user saw, with all sessions and tokens.' }),
    sessionId: Uuid.optional().meta({ description: 'What a session saw.' }),
    environment: Uuid.optional().meta({ description: 'The environment of the secret whose readers to list.' }),
    key: text(1, 256).optional().meta({ description: 'The key of that secret.' }),
    since: timeQuery('Only from this time on.').optional(),
    until: timeQuery('Only before this time.').optional(),
    after: text(1, 1024).optional().meta({ description: '`next` of the previous page.' }),
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
  uses: { table: ['GetItem', 'BatchGetItem', 'Query'], reads: ['AUDIT', 'ENV', 'ORG', 'PLANS', 'USER'] },
});
