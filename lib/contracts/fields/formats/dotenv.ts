import { droppedByReader, type Format, isBare, lines, nul } from './format.ts';

/** The npm package `dotenv`, versions 16 to 18. Its only escapes are `\n` and `\r` in double quotes. */
export const dotenv: Format = {
  refuses: (key, value) => {
    if (key === '__proto__') return droppedByReader;
    if (value.includes('\0')) return nul;
    if (quoted(value) === undefined)
      return 'mixes quotes, backslashes and line breaks in a way that dotenv cannot represent';
    return undefined;
  },
  write: lines((key, value) => `${key}=${quoted(value)}`),
};

function quoted(value: string): string | undefined {
  return quotedInOneLine(value) ?? (isEscapable(value) ? `"${escaped(value)}"` : quotedInBackticks(value));
}

/** Rejects carriage returns, which the reader turns into line feeds. */
function quotedInOneLine(value: string): string | undefined {
  if (isBare(value)) return value;
  return /['\r]|\\$/.test(value) ? undefined : `'${value}'`;
}

const isEscapable = (value: string): boolean => !/"|\\[nr]|\\$/.test(value);

const escaped = (value: string): string => value.replaceAll('\r', '\\r').replaceAll('\n', '\\n');

function quotedInBackticks(value: string): string | undefined {
  return /[`\r]|\\$/.test(value) ? undefined : `\`${value}\``;
}
