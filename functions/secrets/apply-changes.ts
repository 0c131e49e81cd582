import { endpoint } from '#lib/api/endpoint.ts';
import { applyChanges as contract } from '#lib/contracts/secrets/changes.ts';
import { beginChange } from '#lib/secrets/change/read-target.ts';
import { applyChanges } from '#lib/secrets/set-and-delete-secrets.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query, body }) => beginChange(params, [...body.set.map(({ key }) => key), ...body.delete], query),
  run: async ({ context, query, headers, body, fetched }) => ({
    body: await applyChanges(context, { ...query, ...body, ifMatch: headers['if-match'] }, fetched),
  }),
});
