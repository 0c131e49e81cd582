import { findPointer } from '#lib/admin/organizations.ts';
import { advanceRecovery } from '#lib/admin/recovery.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { advanceRecovery as contract } from '#lib/contracts/admin/recovery.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => findPointer(params.orgId),
  run: async ({ context, params, body, fetched }) => ({
    body: { recovery: await advanceRecovery(context, params.orgId, body, fetched) },
  }),
});
