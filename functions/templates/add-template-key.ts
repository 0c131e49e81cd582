import { endpoint } from '../../lib/http/endpoint.ts';
import { addTemplateKey as contract } from '../../lib/templates/contracts.ts';
import { addTemplateKey, beginTemplate } from '../../lib/templates/template-keys.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginTemplate(params),
  run: async input => ({ status: 201, body: await addTemplateKey(input) }),
});
