import { endpoint } from '#lib/api/endpoint.ts';
import { restoreDeleted as contract } from '#lib/contracts/projects/deleted.ts';
import { listAllById } from '#lib/projects/deleted/find-deleted.ts';
import { restoreDeleted } from '#lib/projects/deleted/restore-deleted.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => listAllById(params.orgId),
  run: ({ context, params, fetched }) => restoreDeleted(context, params.id, fetched),
});
