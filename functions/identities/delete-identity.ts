import { endpoint } from '#lib/api/endpoint.ts';
import { deleteIdentity as contract } from '#lib/contracts/identities/identities.ts';
import { deleteIdentity } from '#lib/identities/identities.ts';

export const handler = endpoint(contract, {
  run: ({ context, params }) => deleteIdentity(context, params.identityId),
});
