import { endpoint } from '../../lib/api/endpoint.ts';
import { createEnvironment as contract } from '../../lib/contracts/projects.ts';
import { createEnvironment } from '../../lib/projects/create-environment.ts';

export const handler = endpoint(contract, {
  run: async ({ access, source, params, body }) => ({
    status: 201,
    body: { environment: await createEnvironment(access, source, params.slug, body) },
  }),
});
