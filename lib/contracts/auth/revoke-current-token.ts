import { contract } from '../contract.ts';
import { Success } from '../fields/success.ts';

export const revokeCurrentToken = contract({
  operationId: 'revoke-current-token',
  route: 'DELETE /v1/auth/tokens/current',
  summary: 'Revoke the current token',
  description: 'The token that authenticates this request stops working at once. Every token may do this.',
  access: { kind: 'account', tokens: 'read', narrowestToken: 'environment' },
  responses: { 200: { description: 'The token was revoked.', body: Success } },
  errors: ['token_not_found'],
  uses: { table: ['GetItem', 'DeleteItem'], reads: ['ORG'], writes: ['AUDIT'] },
});
