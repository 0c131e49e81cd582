import { changePassword } from '../../lib/accounts/change-password.ts';
import { changePassword as contract } from '../../lib/accounts/contracts.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { succeeded } from '../../lib/http/success.ts';

export const handler = endpoint(contract, {
  run: async ({ principal, source, body, log }) => {
    await changePassword(principal, body, source, log);
    return { status: 200, body: succeeded };
  },
});
