import { endpoint } from '#lib/api/endpoint.ts';
import { deleteProject as contract } from '#lib/contracts/projects/projects.ts';
import { deleteProject } from '#lib/projects/delete-project.ts';
import { findProjectById } from '#lib/projects/read-projects.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => findProjectById(params.orgId, params.slug),
  run: ({ context, params, query, fetched }) => deleteProject(context, { ...params, ...query }, fetched),
});
