import type { AuditEntry } from '@holdfast/contracts/audit/entries.ts';
import type { AuditAction } from '@holdfast/contracts/fields/audit-action.ts';

export interface Folded {
  entries: AuditEntry[];
}

/**
 * Puts checks against the template that follow each other into one group, unless they are what is wanted. A comparison
 * is not one of them, because whoever sets one side can find out the other with it. Pure.
 */
export function foldChecks(entries: readonly AuditEntry[], wanted?: AuditAction): (AuditEntry | Folded)[] {
  const lines: (AuditEntry | Folded)[] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    if (entry.action === wanted || entry.action !== 'environment.validated') lines.push(entry);
    else if (last !== undefined && 'entries' in last) last.entries.push(entry);
    else lines.push({ entries: [entry] });
  }
  return lines;
}
