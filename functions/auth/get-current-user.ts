import { getCurrentUser as contract } from '../../lib/accounts/contracts.ts';
import { readCurrentUser } from '../../lib/accounts/read-current-user.ts';
import { endpoint } from '../../lib/http/endpoint.ts';

export const handler = endpoint(contract, {
  run: async ({ principal }) => ({ status: 200, body: await readCurrentUser(principal) }),
});
