import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { RecoveryCodes } from './credentials.ts';

export const renewRecoveryCodes = contract({
  operationId: 'renew-recovery-codes',
  route: 'POST /v1/auth/recovery-codes',
  summary: 'Generate new recovery codes',
  description:
    'Replaces the recovery codes with ten new ones. Requires a second factor on the account. The user is ' +
    'notified by e-mail. Limited to five times an hour.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: ok({ description: 'The new codes, shown only once.', body: z.object({ recoveryCodes: RecoveryCodes }) }),
  errors: ['rate_limited'],
  uses: { table: ['GetItem', 'PutItem', 'ConditionCheckItem'], writes: ['RATE'], mail: true },
});
