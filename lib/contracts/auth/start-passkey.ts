import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Challenge } from './credentials.ts';
import { PasskeyCreationOptions } from './passkey.ts';

export const startPasskey = contract({
  operationId: 'start-passkey',
  route: 'POST /v1/auth/passkeys/options',
  summary: 'Start to add a passkey',
  description: 'Returns a challenge for a new passkey. Send the browser’s response to `POST /v1/auth/passkeys`.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: ok({
    description: 'The challenge.',
    body: z.object({ challenge: Challenge, publicKey: PasskeyCreationOptions }),
    example: { publicKey: { excludeCredentials: [] } },
  }),
  errors: ['email_not_verified'],
  uses: { dashboardOrigin: true, table: ['Query', 'PutItem'], writes: ['CHALLENGE'] },
});
