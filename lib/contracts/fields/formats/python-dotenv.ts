import { type Format, isBare, lines, nul } from './format.ts';

/**
 * The package `python-dotenv`. It expands `${…}` in every value, so `${` is written as an expansion that yields `$`.
 */
export const pythonDotenv: Format = {
  refuses: (_, value) => (value.includes('\0') ? nul : undefined),
  write: lines((key, value) => `${key}=${quoted(value)}`),
};

function quoted(value: string): string {
  if (isBare(value)) return value;
  // It normalizes line endings, and only double quotes support \r.
  const quote = value.includes('\r') ? '"' : "'";
  const escaped = value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
  const inLines = quote === '"' ? escaped.replaceAll('\r', '\\r').replaceAll('\n', '\\n') : escaped;
  // Its pattern reads any backslash before the closing quote as an escape, so that backslash is written as a default
  // too.
  const literal = inLines.replaceAll('${', `${yields('$')}{`).replace(/\\\\$/, () => yields('\\\\'));
  return `${quote}${literal}${quote}`;
}

/** An expansion of a variable without a name, which yields its default. */
const yields = (text: string): string => `\${:-${text}}`;
