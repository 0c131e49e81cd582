import * as z from 'zod';
import { contract } from '../contract.ts';
import { RecoveryCodes } from './recovery-codes.ts';

export const renewRecoveryCodes = contract({
  operationId: 'renew-recovery-codes',
  route: 'POST /v1/auth/recovery-codes',
  summary: 'Make new recovery codes',
  description:
    'Replaces the recovery codes by ten new ones. An account without a second factor can have none. The user is told by ' +
    'mail. Five times an hour at most.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: {
    200: { description: 'The new codes, which are shown only once.', body: z.object({ recoveryCodes: RecoveryCodes }) },
  },
  errors: ['rate_limited'],
  uses: { table: ['GetItem', 'PutItem', 'ConditionCheckItem'], writes: ['RATE'], mail: true },
});
