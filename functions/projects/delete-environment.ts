import { endpoint } from '../../lib/api/endpoint.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';
import { deleteEnvironment as contract } from '../../lib/contracts/projects/delete-environment.ts';
import { deleteEnvironment } from '../../lib/projects/delete-environment.ts';
import { findEnvironmentById } from '../../lib/projects/read-projects.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => findEnvironmentById(params.orgId, params.slug, params.env),
  run: async ({ context, params, fetched }) => {
    await deleteEnvironment(context, params, fetched);
    return { status: 200, body: succeeded };
  },
});
