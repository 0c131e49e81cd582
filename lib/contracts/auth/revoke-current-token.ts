import { contract, succeeds } from '../contract.ts';

export const revokeCurrentToken = contract({
  operationId: 'revoke-current-token',
  route: 'DELETE /v1/auth/tokens/current',
  summary: 'Revoke the current token',
  description:
    'The token that authenticates this request stops working at once. Any token can do this, including an identity’s.',
  access: { kind: 'caller', tokens: 'read', narrowestToken: 'environment' },
  responses: succeeds('The token was revoked.'),
  errors: ['token_not_found'],
  uses: { table: ['GetItem', 'DeleteItem'], reads: ['ORG'], writes: ['AUDIT'] },
});
