import { removeTotp } from '../../lib/accounts/factors/totp.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { removeTotp as contract } from '../../lib/contracts/auth/remove-totp.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => {
    await removeTotp(context);
    return { status: 200, body: succeeded };
  },
});
