import type { AuditEntry } from '@holdfast/contracts/audit/entries.ts';
import type { AuditAction } from '@holdfast/contracts/fields/audit-action.ts';

export interface Folded {
  entries: AuditEntry[];
}

/** A check against the template, or a comparison that only says what is the same. */
const showsNoValue = ({ action, details }: AuditEntry) =>
  action === 'environment.validated' || (action === 'secret.compared' && details?.values === false);

/** Puts checks that follow each other and show no value into one group, unless they are what is wanted. Pure. */
export function foldChecks(entries: readonly AuditEntry[], wanted?: AuditAction): (AuditEntry | Folded)[] {
  const lines: (AuditEntry | Folded)[] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    if (entry.action === wanted || !showsNoValue(entry)) lines.push(entry);
    else if (last !== undefined && 'entries' in last) last.entries.push(entry);
    else lines.push({ entries: [entry] });
  }
  return lines;
}
