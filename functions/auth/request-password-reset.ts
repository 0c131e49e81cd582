import { requestPasswordReset } from '../../lib/accounts/reset-password.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { requestPasswordReset as contract } from '../../lib/contracts/auth/request-password-reset.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => {
    await requestPasswordReset(context, body.email);
    return { status: 200, body: succeeded };
  },
});
