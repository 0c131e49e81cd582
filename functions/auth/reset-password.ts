import { resetPassword } from '../../lib/accounts/reset-password.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { resetPassword as contract } from '../../lib/contracts/auth.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ body, source, log }) => {
    await resetPassword(body, source, log);
    return { status: 200, body: succeeded };
  },
});
