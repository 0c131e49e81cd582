import { contract, succeeds } from '../contract.ts';

export const revokeToken = contract({
  operationId: 'revoke-token',
  route: 'DELETE /v1/auth/tokens/{tokenId}',
  summary: 'Revoke a CLI token',
  description: 'Revokes one of the caller’s own tokens. It stops working at once.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', confined: true },
  responses: succeeds('The token was revoked.'),
  uses: { table: ['GetItem', 'Query', 'DeleteItem'], reads: ['ORG'], writes: ['AUDIT'] },
});
