import { endpoint } from '../../lib/api/endpoint.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';
import { deleteProject as contract } from '../../lib/contracts/projects/delete-project.ts';
import { deleteProject } from '../../lib/projects/delete-project.ts';
import { findProjectById } from '../../lib/projects/read-projects.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => findProjectById(params.orgId, params.slug),
  run: async ({ context, params, fetched }) => {
    await deleteProject(context, params.slug, fetched);
    return { status: 200, body: succeeded };
  },
});
