import { changePassword } from '../../lib/accounts/change-password.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { changePassword as contract } from '../../lib/contracts/auth.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ principal, source, body, log }) => {
    await changePassword(principal, body, source, log);
    return { status: 200, body: succeeded };
  },
});
