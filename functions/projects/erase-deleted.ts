import { endpoint } from '#lib/api/endpoint.ts';
import { eraseDeleted as contract } from '#lib/contracts/projects/deleted.ts';
import { eraseDeleted } from '#lib/projects/deleted/erase-deleted.ts';
import { listAllById } from '#lib/projects/deleted/find-deleted.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => listAllById(params.orgId),
  run: ({ context, params, fetched }) => eraseDeleted(context, params.id, fetched),
});
