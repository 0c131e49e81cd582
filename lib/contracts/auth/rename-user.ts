import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Name } from '../fields/text.ts';
import { User, userExample } from './user.ts';

export const renameUser = contract({
  operationId: 'rename-user',
  route: 'PATCH /v1/auth/me',
  summary: 'Change the current user’s name',
  description: 'Sets the display name. Members of the user’s organizations can see it.',
  access: { kind: 'account', tokens: 'full', narrowestToken: 'none' },
  body: z.strictObject({ name: Name.meta({ description: 'The new display name.', example: 'Ada' }) }),
  bodyExample: { name: 'Ada' },
  responses: ok({
    description: 'The user with the new name.',
    body: z.object({ user: User }),
    example: { user: userExample },
  }),
  uses: { table: ['Query'], writes: ['ORG'] },
});
