import { endpoint } from '#lib/api/endpoint.ts';
import { getIdentity as contract } from '#lib/contracts/identities/get-identity.ts';
import { identityView } from '#lib/identities/identity-view.ts';
import { requireIdentity } from '#lib/identities/read-identities.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params }) => ({
    body: { identity: identityView(await requireIdentity(context, params.identityId)) },
  }),
});
