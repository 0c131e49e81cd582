import { userView } from '../../lib/accounts/account-views.ts';
import { logIn } from '../../lib/accounts/log-in.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { logIn as contract } from '../../lib/contracts/auth/log-in.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => {
    const { user, cookie } = await logIn(context, body);
    return { body: { user: userView(user) }, cookies: [cookie] };
  },
});
