import { sendVerification } from '#lib/accounts/mailed-link.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { sendVerification as contract } from '#lib/contracts/auth/passwords.ts';

export const handler = endpoint(contract, {
  run: ({ context }) => sendVerification(context),
});
