import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { CliToken, cliTokenExample } from './token.ts';

export const listTokens = contract({
  operationId: 'list-tokens',
  route: 'GET /v1/auth/tokens',
  summary: 'List active CLI tokens',
  description:
    'Lists the caller’s active tokens. Token secrets are not stored, so they are not returned. A session that is ' +
    'confined to its provider’s organization sees only the tokens limited to that organization.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', confined: true },
  responses: ok({
    description: 'The active tokens, newest first.',
    body: z.object({ tokens: z.array(CliToken).meta({ description: 'The active tokens, newest first.' }) }),
    example: { tokens: [cliTokenExample] },
  }),
  uses: { table: ['Query'] },
});
