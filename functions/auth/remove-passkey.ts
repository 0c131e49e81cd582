import { removePasskey } from '../../lib/accounts/factors/passkeys.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { removePasskey as contract } from '../../lib/contracts/auth/remove-passkey.ts';

export const handler = endpoint(contract, {
  run: ({ context, params }) => removePasskey(context, params.passkeyId),
});
