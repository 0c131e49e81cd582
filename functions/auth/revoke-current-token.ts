import { endpoint } from '#lib/api/endpoint.ts';
import { revokeCurrentToken as contract } from '#lib/contracts/auth/revoke-current-token.ts';
import { revokeCurrentToken } from '#lib/identities/revoke-current-token.ts';

export const handler = endpoint(contract, {
  run: ({ context }) => revokeCurrentToken(context),
});
