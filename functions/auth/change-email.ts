import { changeEmail } from '#lib/accounts/change-email.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { changeEmail as contract } from '#lib/contracts/auth/change-email.ts';

export const handler = endpoint(contract, {
  run: ({ context, body }) => changeEmail(context, body.email),
});
