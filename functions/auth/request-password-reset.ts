import { requestPasswordReset } from '#lib/accounts/passwords.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { requestPasswordReset as contract } from '#lib/contracts/auth/passwords.ts';

export const handler = endpoint(contract, {
  run: ({ context, body }) => requestPasswordReset(context, body.email),
});
