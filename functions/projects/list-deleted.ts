import { endpoint } from '#lib/api/endpoint.ts';
import { listDeleted as contract } from '#lib/contracts/projects/deleted.ts';
import { listDeleted } from '#lib/projects/deleted/find-deleted.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: { deleted: await listDeleted(context) } }),
});
