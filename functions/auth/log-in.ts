import { userView } from '../../lib/accounts/account-view.ts';
import { logIn } from '../../lib/accounts/log-in.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { logIn as contract } from '../../lib/contracts/auth.ts';

export const handler = endpoint(contract, {
  run: async ({ body, source, log }) => {
    const { user, cookie } = await logIn(body, source, log);
    return { status: 200, body: { user: userView(user) }, cookies: [cookie] };
  },
});
