import { removePasskey } from '../../lib/accounts/factors/passkeys.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';
import { removePasskey as contract } from '../../lib/contracts/second-factors.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params }) => {
    await removePasskey(context, params.passkeyId);
    return { status: 200, body: succeeded };
  },
});
