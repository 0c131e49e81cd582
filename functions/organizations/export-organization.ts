import { endpoint } from '#lib/api/endpoint.ts';
import { exportOrganization as contract } from '#lib/contracts/organizations/export-organization.ts';
import { exportPage } from '#lib/portability/export-page.ts';
import { plainValues, sealTo } from '#lib/portability/seal-values.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => {
    const sealer = body.sealTo === undefined ? plainValues : await sealTo(body.sealTo);
    return { body: await exportPage(context, { sealer, after: body.after }) };
  },
});
