import { endpoint } from '../../lib/api/endpoint.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';
import { deleteIdentity as contract } from '../../lib/contracts/identities/delete-identity.ts';
import { deleteIdentity } from '../../lib/identities/delete-identity.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params }) => {
    await deleteIdentity(context, params.identityId);
    return { status: 200, body: succeeded };
  },
});
