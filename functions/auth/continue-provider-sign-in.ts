import { continueProvidedLogIn } from '#lib/accounts/complete-login.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { continueProviderSignIn as contract } from '#lib/contracts/auth/continue-provider-sign-in.ts';
import { factorCookie } from '#lib/contracts/auth/sign-in-cookies.ts';

export const handler = endpoint(contract, {
  run: async ({ cookies }) => ({ body: await continueProvidedLogIn(cookies[factorCookie]) }),
});
