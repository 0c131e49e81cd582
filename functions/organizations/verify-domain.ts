import { endpoint } from '../../lib/api/endpoint.ts';
import { verifyDomain as contract } from '../../lib/contracts/organizations/verify-domain.ts';
import { temporarilyUnavailable } from '../../lib/core/errors.ts';

export const handler = endpoint(contract, {
  run: async () => {
    throw temporarilyUnavailable('This is not served yet.');
  },
});
