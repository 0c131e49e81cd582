import { endpoint } from '#lib/api/endpoint.ts';
import { createIdentity as contract } from '#lib/contracts/identities/create-identity.ts';
import { createIdentity } from '#lib/identities/create-identity.ts';
import { identityView } from '#lib/identities/identity-view.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: { identity: identityView(await createIdentity(context, body)) } }),
});
