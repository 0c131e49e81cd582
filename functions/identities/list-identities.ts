import { endpoint } from '#lib/api/endpoint.ts';
import { listIdentities as contract } from '#lib/contracts/identities/list-identities.ts';
import { identityView } from '#lib/identities/identity-view.ts';
import { listIdentities } from '#lib/identities/read-identities.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: { identities: (await listIdentities(context)).map(identityView) } }),
});
