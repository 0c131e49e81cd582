import { contract } from '../contract.ts';
import { Success } from '../fields/success.ts';

export const removeTotp = contract({
  operationId: 'remove-totp',
  route: 'DELETE /v1/auth/totp',
  summary: 'Remove the authenticator app',
  description:
    'Its codes stop working at once. With the account’s last factor its recovery codes go as well, and its tokens no ' +
    'longer count as proved with one. The user is told by mail.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  responses: { 200: { description: 'There is none any more.', body: Success } },
  uses: { table: ['GetItem', 'Query', 'PutItem', 'ConditionCheckItem'], writes: ['RATE'], mail: true },
});
