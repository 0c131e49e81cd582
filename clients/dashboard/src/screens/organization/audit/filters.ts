import { auditActions } from 'virtual:contracts';
import type { AuditAction } from '@holdfast/contracts/fields/audit-action.ts';
import { addressWith, searchParameters } from '../../../router.ts';

/** The filters of the log, named as in the API. The URL has them, so that they can be linked. */
const names = ['action', 'actor', 'tokenId', 'project', 'environment', 'key', 'since', 'until'] as const;
export type FilterName = (typeof names)[number];
export type Filters = { readonly [Name in FilterName]?: string } & { readonly action?: AuditAction };

export function addressed(): { filters: Filters; offset: number } {
  const query = searchParameters();
  const given = names.flatMap(name => {
    const value = query.get(name);
    return value === null || value === '' ? [] : [[name, value] as const];
  });
  const { action, ...filters } = Object.fromEntries(given) as { [Name in FilterName]?: string };
  const known = auditActions.find(name => name === action);
  return {
    filters: known === undefined ? filters : { ...filters, action: known },
    offset: Math.max(0, Number.parseInt(query.get('offset') ?? '0', 10) || 0),
  };
}

/** The address of the log with other filters, from its newest entry on. Undefined removes a filter. */
export function filtered(changes: { readonly [Name in FilterName]?: string | undefined }): string {
  return addressWith({ ...changes, offset: undefined });
}

/** The address of the whole log. */
export const unfiltered = () => filtered(Object.fromEntries(names.map(name => [name, undefined])));

/** The filters, with one of these projects: the log of others is refused. Undefined: there is no such limit. Pure. */
export function within(projectIds: readonly [string, ...string[]] | undefined, filters: Filters): Filters {
  if (projectIds === undefined) return filters;
  const [first] = projectIds;
  return { ...filters, project: projectIds.find(id => id === filters.project) ?? first };
}
