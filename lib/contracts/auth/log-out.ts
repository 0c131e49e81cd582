import { contract, ok } from '../contract.ts';
import { Success } from '../fields/bodies.ts';

export const logOut = contract({
  operationId: 'log-out',
  route: 'POST /v1/auth/logout',
  summary: 'Log out',
  description: 'Ends the session on the server and clears its cookie. Other sessions and tokens keep working.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', confined: true },
  responses: ok({
    description: 'Logged out; the cookie is cleared.',
    body: Success,

    headers: { 'Set-Cookie': 'Clears the session cookie.' },
  }),
  servedInMaintenance: true,
  uses: { table: ['DeleteItem'] },
});
