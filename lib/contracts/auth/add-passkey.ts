import * as z from 'zod';
import { contract } from '../contract.ts';
import { Name } from '../fields/text.ts';
import { PresentedChallenge } from './challenge.ts';
import { Passkey } from './passkey.ts';
import { NewPasskeyCredential } from './passkey-credential.ts';
import { FirstRecoveryCodes, recoveryCodesExample } from './recovery-codes.ts';

const credentialExample = { id: 'EXAMPLEcredentialId', rawId: 'EXAMPLEcredentialId', type: 'public-key' } as const;

export const addPasskey = contract({
  operationId: 'add-passkey',
  route: 'POST /v1/auth/passkeys',
  summary: 'Add a passkey',
  description:
    'Verifies what the browser made of the challenge and adds the passkey, at most 20 for each account. From then on it is ' +
    'a second factor, and it can log in alone. The account’s first factor also gets ten recovery codes. It needs a ' +
    'verified e-mail address. The user gets a mail with a link that removes the passkey again. That mail is one of five an ' +
    'hour: behind them, and where it cannot be sent, no passkey is added. A passkey of another account is refused.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  body: z.strictObject({
    challenge: PresentedChallenge,
    name: Name.meta({ description: 'What to call it.', example: 'laptop' }),
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
  responses: {
    201: {
      description: 'The passkey.',
      body: z.object({ passkey: Passkey, recoveryCodes: FirstRecoveryCodes }),
      example: { recoveryCodes: recoveryCodesExample },
    },
  },
  errors: ['email_not_verified', 'invalid_token', 'passkey_taken', 'rate_limited'],
  uses: {
    dashboardOrigin: true,
    table: ['GetItem', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['CHALLENGE'],
    writes: ['CHALLENGE', 'PASSKEY', 'RATE'],
    mail: true,
  },
});
