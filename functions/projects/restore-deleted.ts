import { endpoint } from '#lib/api/endpoint.ts';
import { restoreDeleted as contract } from '#lib/contracts/projects/deleted.ts';
import { restoreDeleted } from '#lib/projects/deleted/restore-deleted.ts';

export const handler = endpoint(contract, {
  run: ({ context, params }) => restoreDeleted(context, params.id),
});
