import * as z from 'zod';
import { contract, created } from '../contract.ts';
import { Name } from '../fields/text.ts';
import { FirstRecoveryCodes, PresentedChallenge, recoveryCodesExample } from './credentials.ts';
import { NewPasskeyCredential, Passkey } from './passkey.ts';

const credentialExample = { id: 'EXAMPLEcredentialId', rawId: 'EXAMPLEcredentialId', type: 'public-key' } as const;

export const addPasskey = contract({
  operationId: 'add-passkey',
  route: 'POST /v1/auth/passkeys',
  summary: 'Add a passkey',
  description:
    'Verifies the browser’s response to the challenge and adds the passkey. An account can have up to 20. The ' +
    'passkey counts as a second factor and can also be used to log in on its own. Adding an account’s first ' +
    'factor also returns ten recovery codes. Requires a verified e-mail address. The user gets an e-mail with a ' +
    'link that removes the passkey again. These e-mails are limited to five an hour; if one can’t be sent, no ' +
    'passkey is added. Passkeys of other accounts are rejected.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  body: z.strictObject({
    challenge: PresentedChallenge,
    name: Name.meta({ description: 'A name for the passkey.', example: 'laptop' }),
    passkey: NewPasskeyCredential,
  }),
  bodyExample: {
    challenge: 'EXAMPLE-challenge-0000',
    name: 'laptop',
    passkey: {
      ...credentialExample,
      response: {
        clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
        attestationObject: 'o2NmbXRkbm9uZQ',
        transports: ['internal'],
      },
    },
  },
  responses: created({
    description: 'The passkey.',
    body: z.object({ passkey: Passkey, recoveryCodes: FirstRecoveryCodes }),
    example: { recoveryCodes: recoveryCodesExample },
  }),
  errors: ['email_not_verified', 'invalid_token', 'passkey_taken', 'rate_limited'],
  uses: {
    dashboardOrigin: true,
    table: ['GetItem', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['CHALLENGE'],
    writes: ['CHALLENGE', 'PASSKEY', 'RATE'],
    mail: true,
  },
});
