import { contract, succeeds } from '../contract.ts';

export const removePasskey = contract({
  operationId: 'remove-passkey',
  route: 'DELETE /v1/auth/passkeys/{passkeyId}',
  summary: 'Remove a passkey',
  description:
    'The passkey stops working at once. Removing the last factor also deletes the recovery codes, and the ' +
    'account’s tokens no longer count as created with a second factor. The user is notified by e-mail.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: succeeds('The passkey was removed.'),
  uses: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['ORG'],
    writes: ['PASSKEY', 'RATE'],
    mail: true,
  },
});
