import { endpoint } from '#lib/api/endpoint.ts';
import { getProject as contract } from '#lib/contracts/projects/projects.ts';
import { getProject } from '#lib/projects/read-projects.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params }) => ({ body: { project: await getProject(context, params.slug) } }),
});
