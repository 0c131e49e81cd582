import { resetPassword as contract } from '../../lib/accounts/contracts.ts';
import { resetPassword } from '../../lib/accounts/reset-password.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { succeeded } from '../../lib/http/success.ts';

export const handler = endpoint(contract, {
  run: async ({ body, source, log }) => {
    await resetPassword(body, source, log);
    return { status: 200, body: succeeded };
  },
});
