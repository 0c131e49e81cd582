import { endpoint } from '../../lib/api/endpoint.ts';
import { listVersions as contract } from '../../lib/contracts/secrets.ts';
import { beginHistory, listVersions } from '../../lib/secrets/list-versions.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginHistory(params),
  run: async input => ({ status: 200, body: await listVersions(input) }),
});
