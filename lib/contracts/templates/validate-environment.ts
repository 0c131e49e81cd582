import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { roles } from '../fields/role.ts';

const keyNames = (description: string, example: string[]) => z.array(z.string()).meta({ description, example });

export const validateEnvironment = contract({
  operationId: 'validate-environment',
  route: 'GET /v1/templates/{orgSlug}/{project}/validate/{env}',
  summary: 'Validate an environment against the template',
  description:
    'Reports required keys that are missing from the environment and values that don’t match their pattern, but ' +
    'never a value. Available to all members; `undeclared` is null for members who can’t read the environment. ' +
    'If values were decrypted to match patterns, an audit entry is written. A value that takes too long to ' +
    'match is reported as invalid, with that reason.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', deployers: true },
  responses: ok({
    description: 'The result of the validation.',
    body: z.object({
      valid: z.boolean().meta({ description: 'Whether all required keys exist and all values are valid.' }),
      missing: keyNames('Required keys that the environment doesn’t have.', ['DATABASE_USER']),
      present: keyNames('Declared keys that the environment has, required and valid or not.', ['DATABASE_HOST']),
      undeclared: z
        .array(z.string())
        .nullable()
        .meta({
          description: 'Keys that the template doesn’t declare; null if the caller can’t read the environment.',
          example: ['LEGACY_FLAG'],
        }),
      invalid: z
        .array(
          z.object({
            key: z.string().meta({ description: 'The declared key.', example: 'DATABASE_HOST' }),
            reason: z.string().meta({ description: 'What is wrong.', example: 'does not match the pattern' }),
          }),
        )
        .meta({ description: 'Declared keys whose values don’t match their pattern.' }),
    }),
  }),
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'], writes: ['AUDIT'], key: { project: ['Decrypt'] } },
});
