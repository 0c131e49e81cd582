import { contract } from '../contract.ts';
import { Success } from '../fields/success.ts';

export const endSession = contract({
  operationId: 'end-session',
  route: 'DELETE /v1/auth/sessions/{sessionId}',
  summary: 'End a session',
  description: 'The session stops working at once. It can be the session of this request. Requires a session.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  responses: { 200: { description: 'The session has ended.', body: Success } },
  servedInMaintenance: true,
  uses: { table: ['Query', 'DeleteItem'] },
});
