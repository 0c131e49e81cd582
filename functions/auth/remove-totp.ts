import { removeTotp } from '../../lib/accounts/factors/totp.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { removeTotp as contract } from '../../lib/contracts/auth/remove-totp.ts';

export const handler = endpoint(contract, {
  run: ({ context }) => removeTotp(context),
});
