import { endSession } from '../../lib/accounts/sessions.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { endSession as contract } from '../../lib/contracts/auth/end-session.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params }) => {
    await endSession(context, params.sessionId);
    return { status: 200, body: succeeded };
  },
});
