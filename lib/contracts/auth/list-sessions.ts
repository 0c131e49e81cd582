import * as z from 'zod';
import { contract } from '../contract.ts';
import { Session } from './session.ts';

export const listSessions = contract({
  operationId: 'list-sessions',
  route: 'GET /v1/auth/sessions',
  summary: 'List active sessions',
  description: 'Lists the caller’s sessions, most recently used first.',
  access: { kind: 'account', tokens: 'full', narrowestToken: 'none' },
  responses: {
    200: {
      description: 'The active sessions.',
      body: z.object({ sessions: z.array(Session).meta({ description: 'The active sessions.' }) }),
      example: { sessions: [{ current: true, expiresAt: '2026-02-14T09:26:53.000Z' }] },
    },
  },
  uses: { table: ['Query'] },
});
