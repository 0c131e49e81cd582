import { endpoint } from '#lib/api/endpoint.ts';
import { listIdentities as contract } from '#lib/contracts/identities/identities.ts';
import { identityView, listIdentities } from '#lib/identities/identities.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: { identities: (await listIdentities(context)).map(identityView) } }),
});
