import * as z from 'zod';
import { contract } from '../contract.ts';
import { Challenge } from './challenge.ts';
import { PasskeyCreationOptions } from './passkey-options.ts';

export const startPasskey = contract({
  operationId: 'start-passkey',
  area: 'auth',
  method: 'POST',
  path: '/v1/auth/passkeys/options',
  summary: 'Begin to add a passkey',
  description: 'Returns a challenge for a new passkey. Send what the browser makes of it to `POST /v1/auth/passkeys`.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: {
    200: {
      description: 'The challenge.',
      body: z.object({ challenge: Challenge, publicKey: PasskeyCreationOptions }),
      example: {
        challenge: 'EXAMPLE-challenge-0000',
        publicKey: {
          challenge: 'RVhBTVBMRS1jaGFsbGVuZ2U',
          timeout: 300_000,
          rp: { id: 'app.example.com', name: 'Holdfast' },
          user: { id: 'NWYwYzlhNTItN2IxZQ', name: 'ada@example.com', displayName: 'Ada' },
          pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
          excludeCredentials: [],
          authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
          attestation: 'none',
        },
      },
    },
  },
  errors: [],
  uses: { passkeys: true, table: ['BatchGetItem', 'Query', 'PutItem', 'UpdateItem'], writes: ['CHALLENGE'] },
});
