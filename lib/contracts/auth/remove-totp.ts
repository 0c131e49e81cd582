import { contract, succeeds } from '../contract.ts';

export const removeTotp = contract({
  operationId: 'remove-totp',
  route: 'DELETE /v1/auth/totp',
  summary: 'Remove the authenticator app',
  description:
    'Its codes stop working at once. Removing the last factor also deletes the recovery codes, and the ' +
    'account’s tokens no longer count as created with a second factor. The user is notified by e-mail.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: succeeds('The account has no authenticator app.'),
  uses: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'ConditionCheckItem'],
    reads: ['ORG'],
    writes: ['RATE'],
    mail: true,
  },
});
