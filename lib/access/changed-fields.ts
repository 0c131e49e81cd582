import type { AuditDetails } from '../contracts/fields/audit-action.ts';

type Field = string | boolean | null | undefined;

/**
 * The audit details of a change: each differing field with `from` and `to`, null for an absent field. Undefined if none
 * differs. Pure.
 */
export function changedFields<N extends string>(
  before: Readonly<Partial<Record<N, Field>>>,
  after: Readonly<Partial<Record<N, Field>>>,
  names: readonly N[],
): AuditDetails | undefined {
  const changed = names.filter(name => before[name] !== after[name]);
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map(name => [name, { from: before[name] ?? null, to: after[name] ?? null }]));
}
