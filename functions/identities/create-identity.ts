import { endpoint } from '#lib/api/endpoint.ts';
import { createIdentity as contract } from '#lib/contracts/identities/identities.ts';
import { createIdentity, identityView } from '#lib/identities/identities.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: { identity: identityView(await createIdentity(context, body)) } }),
});
