import { endpoint } from '#lib/api/endpoint.ts';
import { addTemplateKey as contract } from '#lib/contracts/templates/templates.ts';
import { addTemplateKey, beginTemplate } from '#lib/projects/templates/template-keys.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginTemplate(params),
  run: async ({ context, body, fetched }) => ({ body: { templateKey: await addTemplateKey(context, body, fetched) } }),
});
