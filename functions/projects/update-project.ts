import { endpoint } from '#lib/api/endpoint.ts';
import { updateProject as contract } from '#lib/contracts/projects/projects.ts';
import { findProjectById } from '#lib/projects/read-projects.ts';
import { updateProject } from '#lib/projects/update-project.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => findProjectById(params.orgId, params.slug),
  run: async ({ context, params, body, fetched }) => ({
    body: { project: await updateProject(context, params.slug, body, fetched) },
  }),
});
