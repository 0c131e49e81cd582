import { type Format, isBare, lines, nul } from './format.ts';

/** The package `python-dotenv`. It expands `${…}` in every value, so `${` is written as an expansion that yields `$`. */
export const pythonDotenv: Format = {
  refuses: (_, value) => (value.includes('\0') ? nul : undefined),
  write: lines((key, value) => `${key}=${quoted(value)}`),
};

function quoted(value: string): string {
  if (isBare(value)) return value;
  // Its reader takes the line ends of a file as one; only double quotes know \r.
  if (value.includes('\r')) {
    const escaped = value
      .replaceAll('\\', '\\\\')
      .replaceAll('"', '\\"')
      .replaceAll('\r', '\\r')
      .replaceAll('\n', '\\n');
    return `"${unexpanded(escaped)}"`;
  }
  return `'${unexpanded(value.replaceAll('\\', '\\\\').replaceAll("'", "\\'"))}'`;
}

/** What a reader expands: `${:-$}` is the default, `$`, of a variable without a name. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: what the reader expands
const unexpanded = (text: string): string => text.replaceAll('${', '${:-$}{');
