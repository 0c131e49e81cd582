import { endpoint } from '#lib/api/endpoint.ts';
import { removeTemplateKey as contract } from '#lib/contracts/templates/templates.ts';
import { beginTemplate, removeTemplateKey } from '#lib/projects/templates/template-keys.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginTemplate(params),
  run: ({ context, params, fetched }) => removeTemplateKey(context, params.key, fetched),
});
