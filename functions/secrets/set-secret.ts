import { endpoint } from '#lib/api/endpoint.ts';
import { setSecret as contract } from '#lib/contracts/secrets/changes.ts';
import { beginChange } from '#lib/secrets/change/read-target.ts';
import { setSecret } from '#lib/secrets/set-and-delete-secrets.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query, body }) => beginChange(params, [body.key], query),
  run: async ({ context, query, headers, body, fetched }) => {
    const done = await setSecret(context, { ...query, ...body, ifMatch: headers['if-match'] }, fetched);
    if ('dryRun' in done) return { status: 200, body: done };
    const { created, ...answer } = done;
    return { status: created ? 201 : 200, body: answer };
  },
});
