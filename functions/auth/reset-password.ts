import { resetPassword } from '../../lib/accounts/reset-password.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { resetPassword as contract } from '../../lib/contracts/auth/reset-password.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => {
    await resetPassword(context, body);
    return { status: 200, body: succeeded };
  },
});
