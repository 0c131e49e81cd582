import { type Format, isBare, lines, nul } from './format.ts';

/** For Docker Compose's `env_file` (compose-go). Only double quotes support escapes other than the quote itself. */
export const compose: Format = {
  refuses: (_, value) => (value.includes('\0') ? nul : undefined),
  write: lines((key, value) => `${key}=${quoted(value)}`),
};

function quoted(value: string): string {
  if (isBare(value)) return value;
  return value.includes('\\') ? `"${value.replace(/[\\"$]/g, '\\$&')}"` : `'${value.replaceAll("'", "\\'")}'`;
}
