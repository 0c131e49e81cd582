import { endpoint } from '../../lib/http/endpoint.ts';
import { succeeded } from '../../lib/http/success.ts';
import { deleteProject as contract } from '../../lib/projects/contracts.ts';
import { deleteProject } from '../../lib/projects/delete-project.ts';

export const handler = endpoint(contract, {
  run: async ({ access, source, params }) => {
    await deleteProject(access, source, params.slug);
    return { status: 200, body: succeeded };
  },
});
