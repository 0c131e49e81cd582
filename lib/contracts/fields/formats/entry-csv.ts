import type { AuditEntry } from '../../audit/entries.ts';

/** The columns, by the names of the members in JSON. */
export const csvColumns = [
  'createdAt',
  'action',
  'actor.type',
  'actor.email',
  'actor.name',
  'actor.id',
  'actor.tokenId',
  'actor.sessionId',
  'target.type',
  'target.name',
  'target.id',
  'project.slug',
  'project.id',
  'environment.slug',
  'environment.id',
  'keys',
  'keysOmitted',
  'unchanged',
  'revision',
  'message',
  'details',
  'detailsOmitted',
  'grants',
  'ip',
  'userAgent',
  'requestId',
  'id',
] as const;

export const csvHeader = `${csvColumns.join(',')}\r\n`;

/** An entry as a record of RFC 4180. */
export function csvRecord(entry: AuditEntry): string {
  return `${csvColumns.map(column => quoted(harmless(textOf(valueAt(entry, column))))).join(',')}\r\n`;
}

function valueAt(entry: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], entry);
}

/** Lists of keys are separated by spaces, which no key contains. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.join(' ') : JSON.stringify(value);
}

/**
 * A spreadsheet runs a cell that begins like this as a formula (OWASP, "CSV Injection"), and messages, names and user
 * agents are other people's text. An apostrophe makes it text.
 */
function harmless(text: string): string {
  return /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
