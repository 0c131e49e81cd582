import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Passkey } from './passkey.ts';

export const listPasskeys = contract({
  operationId: 'list-passkeys',
  route: 'GET /v1/auth/passkeys',
  summary: 'List passkeys',
  description: 'Lists the caller’s passkeys, newest first.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  responses: ok({
    description: 'The passkeys.',
    body: z.object({ passkeys: z.array(Passkey).meta({ description: 'The passkeys, newest first.' }) }),
  }),
  uses: { table: ['Query'] },
});
