import { endpoint } from '../../lib/http/endpoint.ts';
import { removeTemplateKey as contract } from '../../lib/templates/contracts.ts';
import { beginProject, removeTemplateKey } from '../../lib/templates/template-keys.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginProject(params),
  run: async input => ({ status: 200, body: await removeTemplateKey(input) }),
});
