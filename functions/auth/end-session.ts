import { endSession } from '#lib/accounts/sessions.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { endSession as contract } from '#lib/contracts/auth/sessions.ts';

export const handler = endpoint(contract, {
  run: ({ context, params }) => endSession(context, params.sessionId),
});
