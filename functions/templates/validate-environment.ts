import { endpoint } from '#lib/api/endpoint.ts';
import { validateEnvironment as contract } from '#lib/contracts/templates/templates.ts';
import { beginValidation, validateEnvironment } from '#lib/projects/templates/validate-environment.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginValidation(params),
  run: async ({ context, fetched }) => ({ body: await validateEnvironment(context, fetched) }),
});
