import * as z from 'zod';
import { contract, created } from '../contract.ts';
import { issuing } from './credentials.ts';
import { cliTokenExample, demandWiderLimits, IssuedToken, tokenFields } from './token.ts';

const CreateTokenBody = demandWiderLimits(z.strictObject(tokenFields));

export const createToken = contract({
  operationId: 'create-token',
  route: 'POST /v1/auth/token',
  summary: 'Create a scoped CLI token',
  description:
    'Creates a bearer token with at most its user’s rights. It can be limited to an organization, project or ' +
    'environment, and can expire. The token is shown once; only its hash is stored. Requires a session: a token ' +
    'can’t create tokens. In a session that is confined to its provider’s organization, the token must be limited to ' +
    'that organization (403 `session_confined`).',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always', confined: true },
  body: CreateTokenBody,
  bodyExample: {
    name: 'deploy pipeline',
    access: 'read',
    organizationId: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
    projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
    expiresInDays: 90,
  },
  responses: created({
    description: 'The token, which is shown only once.',
    body: IssuedToken,
    example: { cliToken: cliTokenExample },
  }),
  errors: [
    'organization_not_found',
    'project_not_found',
    'environment_not_found',
    'token_limit_reached',
    'session_confined',
  ],
  uses: {
    table: ['GetItem', 'Query', 'ConditionCheckItem'],
    reads: ['ORG'],
    writes: ['ORG', 'AUDIT', 'CREDENTIALKEY'],
    key: { credentials: issuing },
  },
});
