import { sendVerification as contract } from '../../lib/accounts/contracts.ts';
import { sendVerification } from '../../lib/accounts/verify-email.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { succeeded } from '../../lib/http/success.ts';

export const handler = endpoint(contract, {
  run: async ({ principal }) => {
    await sendVerification(principal.user);
    return { status: 200, body: succeeded };
  },
});
