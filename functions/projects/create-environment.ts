import { endpoint } from '#lib/api/endpoint.ts';
import { createEnvironment as contract } from '#lib/contracts/projects/environments.ts';
import { createEnvironment } from '#lib/projects/create-environment.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params, body }) => ({
    body: { environment: await createEnvironment(context, params.slug, body) },
  }),
});
