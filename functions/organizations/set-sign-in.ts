import { endpoint } from '../../lib/api/endpoint.ts';
import { setSignIn as contract } from '../../lib/contracts/organizations/set-sign-in.ts';
import { setSignIn } from '../../lib/providers/set-sign-in.ts';
import { signInView } from '../../lib/providers/sign-in-view.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: { signIn: await signInView(await setSignIn(context, body)) } }),
});
