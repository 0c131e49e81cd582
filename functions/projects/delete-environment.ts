import { endpoint } from '#lib/api/endpoint.ts';
import { deleteEnvironment as contract } from '#lib/contracts/projects/environments.ts';
import { deleteEnvironment } from '#lib/projects/delete-environment.ts';
import { findEnvironmentById } from '#lib/projects/read-projects.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => findEnvironmentById(params.orgId, params.slug, params.env),
  run: ({ context, params, query, fetched }) => deleteEnvironment(context, { ...params, ...query }, fetched),
});
