import { stepUp } from '#lib/accounts/step-up.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { stepUp as contract } from '#lib/contracts/auth/sign-in.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => {
    const { freshUntil, cookie } = await stepUp(context, body);
    return { body: { freshUntil }, cookies: [cookie] };
  },
});
