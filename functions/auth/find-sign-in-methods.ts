import { endpoint } from '#lib/api/endpoint.ts';
import { findSignInMethods as contract } from '#lib/contracts/auth/providers.ts';
import { findSignInMethods } from '#lib/providers/start-sign-in.ts';

export const handler = endpoint(contract, {
  run: async ({ context, query }) => ({ body: await findSignInMethods(context, query.email) }),
});
