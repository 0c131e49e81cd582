import { endpoint } from '#lib/api/endpoint.ts';
import { rotateKey as contract } from '#lib/contracts/projects/projects.ts';
import { findProjectById } from '#lib/projects/read-projects.ts';
import { rotateKey } from '#lib/projects/rotate-key.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => findProjectById(params.orgId, params.slug),
  run: async ({ context, params, fetched }) => {
    const body = await rotateKey(context, params.slug, fetched);
    return { status: body.rotation.status === 'completed' ? 200 : 202, body };
  },
});
