import { endpoint } from '#lib/api/endpoint.ts';
import { getIdentity as contract } from '#lib/contracts/identities/identities.ts';
import { identityView, requireIdentity } from '#lib/identities/identities.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params }) => ({
    body: { identity: identityView(await requireIdentity(context, params.identityId)) },
  }),
});
