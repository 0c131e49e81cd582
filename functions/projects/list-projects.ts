import { endpoint } from '#lib/api/endpoint.ts';
import { listProjects as contract } from '#lib/contracts/projects/projects.ts';
import { listProjects } from '#lib/projects/read-projects.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: { projects: await listProjects(context) } }),
});
