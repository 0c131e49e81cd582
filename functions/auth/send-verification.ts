import { sendVerification } from '../../lib/accounts/verify-email.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { sendVerification as contract } from '../../lib/contracts/auth/send-verification.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => {
    await sendVerification(context);
    return { status: 200, body: succeeded };
  },
});
