import * as z from 'zod';

/** What a token may do. Each level includes the ones before it. */
export const tokenAccesses = ['read', 'write', 'full'] as const;
export const TokenAccess = z.enum(tokenAccesses).meta({
  id: 'TokenAccess',
  description:
    '`read` can read. `write` can also change secrets. `full` can do everything its user can, except manage ' +
    'passwords and tokens.',
  example: 'read',
});
export type TokenAccess = z.infer<typeof TokenAccess>;
