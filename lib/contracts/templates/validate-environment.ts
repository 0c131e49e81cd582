import * as z from 'zod';
import { contract } from '../contract.ts';
import { roles } from '../fields/role.ts';

const keyNames = (description: string, example: string[]) => z.array(z.string()).meta({ description, example });

export const validateEnvironment = contract({
  operationId: 'validate-environment',
  route: 'GET /v1/templates/{orgSlug}/{project}/validate/{env}',
  summary: 'Validate an environment against the template',
  description:
    'Finds keys that the environment lacks and values that do not match their pattern. It never shows a value. For every ' +
    'member; `undeclared` is null for those who can’t read the environment. If patterns ' +
    'opened values, the audit log has an entry. A value that takes too long to match is invalid, and the reason says so.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment' },
  responses: {
    200: {
      description: 'The result of the comparison.',
      body: z.object({
        valid: z.boolean().meta({ description: 'Whether no required key is missing and no value is invalid.' }),
        missing: keyNames('Required keys that the environment lacks.', ['DATABASE_USER']),
        present: keyNames('Declared keys that the environment has, whether or not they are required or valid.', [
          'DATABASE_HOST',
        ]),
        undeclared: z
          .array(z.string())
          .nullable()
          .meta({
            description: 'Keys that the template does not declare; null for callers who can’t read the environment.',
            example: ['LEGACY_FLAG'],
          }),
        invalid: z
          .array(
            z.object({
              key: z.string().meta({ description: 'The declared key.', example: 'DATABASE_HOST' }),
              reason: z.string().meta({ description: 'What is wrong.', example: 'does not match the pattern' }),
            }),
          )
          .meta({ description: 'Declared keys whose values do not fit the template.' }),
      }),
    },
  },
  uses: { table: ['GetItem', 'Query'], reads: ['ENV'], writes: ['AUDIT'], key: { project: ['Decrypt'] } },
});
