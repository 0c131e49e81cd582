import { endpoint } from '#lib/api/endpoint.ts';
import { listDue as contract } from '#lib/contracts/projects/due.ts';
import { listDue } from '#lib/projects/due/list-due.ts';

export const handler = endpoint(contract, {
  run: async ({ context, query }) => ({ body: await listDue(context, query) }),
});
