import { undoFactor } from '#lib/accounts/factors/remove-factors.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { undoFactor as contract } from '#lib/contracts/auth/totp.ts';

export const handler = endpoint(contract, {
  run: ({ context, body }) => undoFactor(context, body.token),
});
