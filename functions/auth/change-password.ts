import { changePassword } from '#lib/accounts/passwords.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { changePassword as contract } from '#lib/contracts/auth/passwords.ts';

export const handler = endpoint(contract, {
  run: ({ context, body }) => changePassword(context, body),
});
