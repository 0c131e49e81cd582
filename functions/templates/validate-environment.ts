import { endpoint } from '../../lib/http/endpoint.ts';
import { validateEnvironment as contract } from '../../lib/templates/contracts.ts';
import { beginValidation, validateEnvironment } from '../../lib/templates/validate-environment.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginValidation(params),
  run: async input => ({ status: 200, body: await validateEnvironment(input) }),
});
