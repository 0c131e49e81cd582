import * as z from 'zod';
import { IfNoneMatch } from '../fields/preconditions.ts';
import { optionalPage, prefixQuery, revisionQuery } from '../fields/query.ts';

export const IfNoneMatchHeader = z.object({
  'if-none-match': IfNoneMatch.optional().meta({
    description:
      'The `ETag` of an earlier response. If the environment is still at that revision, the response is `304`.',
    example: '"17"',
  }),
});

export const entityTag = { ETag: 'The environment’s revision in double quotes, for `If-None-Match` and `If-Match`.' };

export const notModified = {
  description: 'The environment is still at the revision of `If-None-Match`. No value was read or decrypted.',
  body: null,
  headers: entityTag,
} as const;

export const listQuery = {
  ...optionalPage,
  search: prefixQuery('Only keys that start with this prefix. Case-sensitive.')
    .optional()
    .meta({ example: 'DATABASE_' }),
  revision: revisionQuery('Read the environment as of this revision. Defaults to the current one.').optional(),
};
