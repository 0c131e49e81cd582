import { contract } from '../contract.ts';
import { Success } from '../fields/success.ts';

export const removePasskey = contract({
  operationId: 'remove-passkey',
  route: 'DELETE /v1/auth/passkeys/{passkeyId}',
  summary: 'Remove a passkey',
  description:
    'The passkey stops working at once. With the account’s last factor its recovery codes go as well, and its tokens no longer count as proved with one. The user is told by ' +
    'mail.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: { 200: { description: 'The passkey is removed.', body: Success } },
  uses: {
    table: ['GetItem', 'Query', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
    writes: ['PASSKEY', 'RATE'],
    mail: true,
  },
});
