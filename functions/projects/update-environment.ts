import { endpoint } from '#lib/api/endpoint.ts';
import { updateEnvironment as contract } from '#lib/contracts/projects/environments.ts';
import { findEnvironmentById } from '#lib/projects/read-projects.ts';
import { updateEnvironment } from '#lib/projects/update-environment.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => findEnvironmentById(params.orgId, params.slug, params.env),
  run: async ({ context, params, body, fetched }) => ({
    body: { environment: await updateEnvironment(context, params, body, fetched) },
  }),
});
