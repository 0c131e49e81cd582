import { continueProvidedLogIn } from '#lib/accounts/complete-login.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { factorCookie } from '#lib/contracts/auth/credentials.ts';
import { continueProviderSignIn as contract } from '#lib/contracts/auth/providers.ts';

export const handler = endpoint(contract, {
  run: async ({ cookies }) => ({ body: await continueProvidedLogIn(cookies[factorCookie]) }),
});
