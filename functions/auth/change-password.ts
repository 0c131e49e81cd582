import { changePassword } from '../../lib/accounts/change-password.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { changePassword as contract } from '../../lib/contracts/auth/change-password.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => {
    await changePassword(context, body);
    return { status: 200, body: succeeded };
  },
});
