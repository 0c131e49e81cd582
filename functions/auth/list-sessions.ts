import { listSessions } from '#lib/accounts/sessions.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { listSessions as contract } from '#lib/contracts/auth/sessions.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: { sessions: await listSessions(context) } }),
});
