import { contract } from '../contract.ts';
import { Success } from '../fields/success.ts';

export const revokeCurrentToken = contract({
  operationId: 'revoke-current-token',
  route: 'DELETE /v1/auth/tokens/current',
  summary: 'Revoke the token of this request',
  description: 'The token that the request is made with stops working at once. Any token may do this.',
  access: { kind: 'account', tokens: 'read', narrowestToken: 'environment' },
  responses: { 200: { description: 'The token is revoked.', body: Success } },
  errors: ['token_not_found'],
  uses: { table: ['GetItem', 'DeleteItem'], reads: ['ORG'], writes: ['AUDIT'] },
});
