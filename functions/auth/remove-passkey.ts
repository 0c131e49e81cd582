import { removePasskey } from '../../lib/accounts/factors/passkeys.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { removePasskey as contract } from '../../lib/contracts/auth/remove-passkey.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params }) => {
    await removePasskey(context, params.passkeyId);
    return { status: 200, body: succeeded };
  },
});
