import { endpoint } from '#lib/api/endpoint.ts';
import { updateTemplateKey as contract } from '#lib/contracts/templates/templates.ts';
import { beginTemplate, updateTemplateKey } from '#lib/projects/templates/template-keys.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginTemplate(params),
  run: async ({ context, params, body, fetched }) => ({
    body: { templateKey: await updateTemplateKey(context, params, body, fetched) },
  }),
});
