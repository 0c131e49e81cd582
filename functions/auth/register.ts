import { userView } from '#lib/accounts/current-user.ts';
import { register } from '#lib/accounts/register.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { register as contract } from '#lib/contracts/auth/account.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => {
    const { user, organization, cookie } = await register(context, body);
    return { body: { user: userView(user), organization }, cookies: [cookie] };
  },
});
