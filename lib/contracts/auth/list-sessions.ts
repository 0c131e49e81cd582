import * as z from 'zod';
import { contract } from '../contract.ts';
import { Session } from './session.ts';

export const listSessions = contract({
  operationId: 'list-sessions',
  area: 'auth',
  method: 'GET',
  path: '/v1/auth/sessions',
  summary: 'List active sessions',
  description: 'Lists the caller’s sessions, the one used last first.',
  access: { kind: 'account', tokens: 'full', narrowestToken: 'none' },
  responses: {
    200: {
      description: 'The active sessions.',
      body: z.object({ sessions: z.array(Session).meta({ description: 'The active sessions.' }) }),
      example: {
        sessions: [
          {
            id: '8c2a6e41-0f7d-8b95-9e13-5d4b7c0a2f68',
            current: true,
            createdAt: '2026-01-31T09:26:53.589Z',
            lastUsedAt: '2026-01-31T09:26:53.589Z',
            ip: '203.0.113.7',
            userAgent: 'example-browser/1.0',
            expiresAt: '2026-02-14T09:26:53.000Z',
          },
        ],
      },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'Query', 'UpdateItem'] },
});
