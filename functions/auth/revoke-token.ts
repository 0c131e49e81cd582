import { revokeToken } from '#lib/accounts/tokens.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { revokeToken as contract } from '#lib/contracts/auth/tokens.ts';

export const handler = endpoint(contract, {
  run: ({ context, params }) => revokeToken(context, params.tokenId),
});
