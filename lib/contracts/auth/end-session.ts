import { contract, succeeds } from '../contract.ts';

export const endSession = contract({
  operationId: 'end-session',
  route: 'DELETE /v1/auth/sessions/{sessionId}',
  summary: 'End a session',
  description: 'The session stops working at once. It can be the session of this request. Requires a session.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', confined: true },
  responses: succeeds('The session has ended.'),
  servedInMaintenance: true,
  uses: { table: ['Query', 'DeleteItem'] },
});
