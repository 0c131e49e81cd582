import { resetPassword } from '#lib/accounts/passwords.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { resetPassword as contract } from '#lib/contracts/auth/passwords.ts';

export const handler = endpoint(contract, {
  run: ({ context, body }) => resetPassword(context, body),
});
