import { endpoint } from '#lib/api/endpoint.ts';
import { createProject as contract } from '#lib/contracts/projects/projects.ts';
import { createProject } from '#lib/projects/create-project.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: { project: await createProject(context, body) } }),
});
