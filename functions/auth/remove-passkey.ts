import { removePasskey } from '#lib/accounts/factors/passkeys.ts';
import { foreseeMemberships } from '#lib/accounts/factors/remove-factors.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { removePasskey as contract } from '#lib/contracts/auth/passkeys.ts';

export const handler = endpoint(contract, {
  fetch: (_, userId) => foreseeMemberships(userId),
  run: ({ context, params, fetched }) => removePasskey(context, params.passkeyId, fetched),
});
