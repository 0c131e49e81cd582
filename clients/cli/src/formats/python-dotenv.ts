import { type Format, isBare, lines, nul } from './format.ts';

/** The package `python-dotenv`. It expands `${…}` in every value, so `${` is written as an expansion that yields `$`. */
export const pythonDotenv: Format = {
  refuses: (_, value) => (value.includes('\0') ? nul : undefined),
  write: lines((key, value) => `${key}=${quoted(value)}`),
};

function quoted(value: string): string {
  if (isBare(value)) return value;
  // It takes the line ends of a file as one, and only double quotes know \r.
  const quote = value.includes('\r') ? '"' : "'";
  const escaped = value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
  const inLines = quote === '"' ? escaped.replaceAll('\r', '\\r').replaceAll('\n', '\\n') : escaped;
  // Its pattern takes any backslash before the closing quote for an escape of it: there it is the default as well.
  const literal = inLines.replaceAll('${', `${yields('$')}{`).replace(/\\\\$/, () => yields('\\\\'));
  return `${quote}${literal}${quote}`;
}

/** The default of a variable without a name. */
const yields = (text: string): string => `\${:-${text}}`;
