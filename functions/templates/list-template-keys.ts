import { endpoint } from '#lib/api/endpoint.ts';
import { listTemplateKeys as contract } from '#lib/contracts/templates/templates.ts';
import { beginTemplate, listTemplateKeys } from '#lib/projects/templates/template-keys.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginTemplate(params),
  run: async ({ context, fetched }) => ({ body: { keys: listTemplateKeys(context, fetched) } }),
});
