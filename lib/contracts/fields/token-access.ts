import * as z from 'zod';

/** What a token may do, each including those before it. */
export const tokenAccesses = ['read', 'write', 'full'] as const;
export const TokenAccess = z.enum(tokenAccesses).meta({
  id: 'TokenAccess',
  description:
    '`read` reads. `write` also changes secrets. `full` may do everything that its user may, except for passwords and tokens.',
  example: 'read',
});
export type TokenAccess = z.infer<typeof TokenAccess>;
