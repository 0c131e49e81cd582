import { endpoint } from '../../lib/http/endpoint.ts';
import { createProject as contract } from '../../lib/projects/contracts.ts';
import { createProject } from '../../lib/projects/create-project.ts';

export const handler = endpoint(contract, {
  run: async ({ access, source, body }) => ({
    status: 201,
    body: { project: await createProject(access, source, body) },
  }),
});
