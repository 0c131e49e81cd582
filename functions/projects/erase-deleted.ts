import { endpoint } from '#lib/api/endpoint.ts';
import { eraseDeleted as contract } from '#lib/contracts/projects/deleted.ts';
import { eraseDeleted } from '#lib/projects/deleted/erase-deleted.ts';

export const handler = endpoint(contract, {
  run: ({ context, params }) => eraseDeleted(context, params.id),
});
