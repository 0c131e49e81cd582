import { endpoint } from '../../lib/http/endpoint.ts';
import { listTemplateKeys as contract } from '../../lib/templates/contracts.ts';
import { beginTemplate, listTemplateKeys } from '../../lib/templates/template-keys.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginTemplate(params),
  run: async input => ({ status: 200, body: listTemplateKeys(input) }),
});
