import { userView } from '../../lib/accounts/account-views.ts';
import { completeLogin } from '../../lib/accounts/complete-login.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { completeLogin as contract } from '../../lib/contracts/auth/complete-login.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => {
    const { user, cookie } = await completeLogin(context, body);
    return { body: { user: userView(user) }, cookies: [cookie] };
  },
});
