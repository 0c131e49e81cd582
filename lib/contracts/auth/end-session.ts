import { contract } from '../contract.ts';
import { Success } from '../fields/success.ts';

export const endSession = contract({
  operationId: 'end-session',
  route: 'DELETE /v1/auth/sessions/{sessionId}',
  summary: 'End a session',
  description: 'The session stops working at once; the one of this request may be named, too. Needs a session.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  responses: { 200: { description: 'The session is ended.', body: Success } },
  servedInMaintenance: true,
  uses: { table: ['Query', 'DeleteItem'] },
});
