import { changePassword } from '#lib/accounts/change-password.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { changePassword as contract } from '#lib/contracts/auth/change-password.ts';

export const handler = endpoint(contract, {
  run: ({ context, body }) => changePassword(context, body),
});
