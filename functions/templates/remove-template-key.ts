import { endpoint } from '../../lib/api/endpoint.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';
import { removeTemplateKey as contract } from '../../lib/contracts/templates/remove-template-key.ts';
import { beginTemplate, removeTemplateKey } from '../../lib/projects/templates/template-keys.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginTemplate(params),
  run: async ({ context, params, fetched }) => {
    await removeTemplateKey(context, params.key, fetched);
    return { status: 200, body: succeeded };
  },
});
