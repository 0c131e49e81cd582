import { endpoint } from '#lib/api/endpoint.ts';
import { promoteSecrets as contract } from '#lib/contracts/secrets/promotion.ts';
import { beginPromotion, promoteSecrets } from '#lib/secrets/promote-secrets.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query, body }) => beginPromotion(params, { ...query, ...body }),
  run: async ({ context, query, headers, body, fetched }) => ({
    body: await promoteSecrets(context, { ...query, ...body, ifMatch: headers['if-match'] }, fetched),
  }),
});
