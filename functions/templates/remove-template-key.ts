import { endpoint } from '../../lib/api/endpoint.ts';
import { removeTemplateKey as contract } from '../../lib/contracts/templates.ts';
import { beginProject, removeTemplateKey } from '../../lib/projects/templates/template-keys.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginProject(params),
  run: async input => ({ status: 200, body: await removeTemplateKey(input) }),
});
