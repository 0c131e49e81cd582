import { endpoint } from '#lib/api/endpoint.ts';
import { listDeleted as contract } from '#lib/contracts/projects/deleted.ts';
import { listAllById, listDeleted } from '#lib/projects/deleted/find-deleted.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => listAllById(params.orgId),
  run: async ({ context, fetched }) => ({ body: { deleted: await listDeleted(context, fetched) } }),
});
