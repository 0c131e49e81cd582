import { removeTotp } from '../../lib/accounts/factors/totp.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';
import { removeTotp as contract } from '../../lib/contracts/second-factors.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => {
    await removeTotp(context);
    return { status: 200, body: succeeded };
  },
});
