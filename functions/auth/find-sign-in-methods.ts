import { endpoint } from '../../lib/api/endpoint.ts';
import { findSignInMethods as contract } from '../../lib/contracts/auth/find-sign-in-methods.ts';
import { temporarilyUnavailable } from '../../lib/core/errors.ts';

export const handler = endpoint(contract, {
  run: async () => {
    throw temporarilyUnavailable('This is not served yet.');
  },
});
