import { endpoint } from '../../lib/api/endpoint.ts';
import { getSignIn as contract } from '../../lib/contracts/organizations/get-sign-in.ts';
import { temporarilyUnavailable } from '../../lib/core/errors.ts';

export const handler = endpoint(contract, {
  run: async () => {
    throw temporarilyUnavailable('This is not served yet.');
  },
});
