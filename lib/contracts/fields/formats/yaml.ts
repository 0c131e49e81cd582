import type { Format } from './format.ts';

/** One mapping of all values, each double-quoted. */
export const yaml: Format = {
  isData: true,
  refuses: () => undefined,
  write: entries =>
    entries.length === 0 ? '{}\n' : entries.map(([key, value]) => `${quoted(key)}: ${quoted(value)}\n`).join(''),
};

/**
 * What YAML escapes beyond JSON: characters that it calls non-printable, its other line breaks, and the byte order
 * mark.
 */
const escapedToo = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

function quoted(text: string): string {
  return JSON.stringify(text).replace(escapedToo, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
