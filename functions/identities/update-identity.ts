import { endpoint } from '#lib/api/endpoint.ts';
import { updateIdentity as contract } from '#lib/contracts/identities/identities.ts';
import { identityView, updateIdentity } from '#lib/identities/identities.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params, body }) => ({
    body: { identity: identityView(await updateIdentity(context, params.identityId, body)) },
  }),
});
