import * as z from 'zod';
import { contract, ok, succeeds } from '../contract.ts';
import { Timestamp, Uuid } from '../fields/text.ts';

export const Session = z
  .object({
    id: Uuid.meta({ description: 'Session identifier.', example: '8c2a6e41-0f7d-8b95-9e13-5d4b7c0a2f68' }),
    current: z.boolean().describe('Whether this request uses the session.'),
    createdAt: Timestamp.describe('When the user logged in.'),
    lastUsedAt: Timestamp.describe('When it was last used, to within an hour.'),
    ip: z.string().meta({ description: 'The IP address of the last use.', example: '203.0.113.7' }),
    userAgent: z.string().meta({ description: 'The client’s `User-Agent`.', example: 'example-browser/1.0' }),
    expiresAt: Timestamp.describe('When it expires unless it is used again.'),
  })
  .meta({ id: 'Session', description: 'A dashboard session, without its secret.' });
export type Session = z.infer<typeof Session>;

export const listSessions = contract({
  operationId: 'list-sessions',
  route: 'GET /v1/auth/sessions',
  summary: 'List active sessions',
  description: 'Lists the caller’s sessions, most recently used first. A confined session sees only itself.',
  access: { kind: 'account', tokens: 'full', narrowestToken: 'none', confined: true },
  responses: ok({
    description: 'The active sessions.',
    body: z.object({ sessions: z.array(Session).describe('The active sessions.') }),
    example: { sessions: [{ current: true, expiresAt: '2026-02-14T09:26:53.000Z' }] },
  }),
  uses: { table: { Query: ['USER'] } },
});

export const endSession = contract({
  operationId: 'end-session',
  route: 'DELETE /v1/auth/sessions/{sessionId}',
  summary: 'End a session',
  description: 'The session stops working at once. It can be the session of this request. Requires a session.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', confined: true },
  responses: succeeds('The session has ended.'),
  servedInMaintenance: true,
  uses: { table: { Query: ['USER'], DeleteItem: ['USER'] } },
});
