import type { AuditDetails } from '../contracts/fields/audit-action.ts';

type Field = string | number | boolean | null | undefined;

/** The audit details of a change: each differing field, null for an absent one. Undefined if none differs. */
export function changedFields<N extends string>(
  previous: Readonly<Partial<Record<N, Field>>>,
  current: Readonly<Partial<Record<N, Field>>>,
  names: readonly N[],
): AuditDetails | undefined {
  const changed = names.filter(name => previous[name] !== current[name]);
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map(name => [name, { from: previous[name] ?? null, to: current[name] ?? null }]));
}
