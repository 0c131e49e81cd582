import { endpoint } from '#lib/api/endpoint.ts';
import { revokeCurrentToken as contract } from '#lib/contracts/auth/tokens.ts';
import { revokeCurrentToken } from '#lib/identities/live-tokens.ts';

export const handler = endpoint(contract, {
  run: ({ context }) => revokeCurrentToken(context),
});
