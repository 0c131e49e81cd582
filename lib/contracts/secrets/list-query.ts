import { optionalPage } from '../fields/pagination.ts';
import { prefixQuery, revisionQuery } from '../fields/query.ts';

export const listQuery = {
  ...optionalPage,
  search: prefixQuery('Only keys that start with this prefix. Case-sensitive.')
    .optional()
    .meta({ example: 'DATABASE_' }),
  revision: revisionQuery('Read the environment as of this revision. Defaults to the current one.').optional(),
};
