import { endpoint } from '../../lib/api/endpoint.ts';
import { setSecret as contract } from '../../lib/contracts/secrets.ts';
import { beginChange } from '../../lib/secrets/change-secrets.ts';
import { setSecret } from '../../lib/secrets/set-secret.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, body }) => beginChange(params, [body.key]),
  run: async ({ context, headers, body, fetched }) => {
    const { created, ...answer } = await setSecret(context, { ...body, ifMatch: headers['if-match'] }, fetched);
    return { status: created ? 201 : 200, body: answer };
  },
});
