import { endpoint } from '#lib/api/endpoint.ts';
import { updateIdentity as contract } from '#lib/contracts/identities/update-identity.ts';
import { identityView } from '#lib/identities/identity-view.ts';
import { updateIdentity } from '#lib/identities/update-identity.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params, body }) => ({
    body: { identity: identityView(await updateIdentity(context, params.identityId, body)) },
  }),
});
