import { droppedByReader, type Format, isBare, isName, lines, noncharacter, notAName, nul } from './format.ts';
import { setByShell, shellVariables } from './shells.ts';

/**
 * Text that all dotenv dialects, POSIX shells, systemd and the service's own import read the same way. Values that any
 * of them would read differently are rejected.
 */
export const env: Format = {
  refuses: (key, value) => {
    if (!isName(key)) return notAName;
    if (key === '__proto__') return droppedByReader;
    if (shellVariables.has(key)) return setByShell;
    if (value.includes('\0')) return nul;
    if (value.includes('\r')) return 'contains a carriage return';
    if (noncharacter.test(value)) return 'contains a Unicode noncharacter';
    if (quotedForAll(value) === undefined) return 'mixes quotes with characters that readers interpret differently';
    return undefined;
  },
  write: lines((key, value) => `${key}=${quotedForAll(value)}`),
};

function quotedForAll(value: string): string | undefined {
  if (isBare(value)) return value;
  if (!/['\n\\]|\$\{/.test(value)) return `'${value}'`;
  if (!/["\\$`]/.test(value)) return `"${value}"`;
  return undefined;
}

/** The npm package `dotenv`, versions 16 to 18. Its only escapes are `\n` and `\r` in double quotes. */
export const dotenv: Format = {
  refuses: (key, value) => {
    if (key === '__proto__') return droppedByReader;
    if (value.includes('\0')) return nul;
    const mixture = 'mixes quotes, backslashes and line breaks in a way that dotenv cannot represent';
    return quotedForDotenv(value) === undefined ? mixture : undefined;
  },
  write: lines((key, value) => `${key}=${quotedForDotenv(value)}`),
};

/** Only double quotes keep carriage returns, which the reader otherwise turns into line feeds. */
function quotedForDotenv(value: string): string | undefined {
  if (isBare(value)) return value;
  if (!/['\r]|\\$/.test(value)) return `'${value}'`;
  if (!/"|\\[nr]|\\$/.test(value)) return `"${withEscapedBreaks(value)}"`;
  return /[`\r]|\\$/.test(value) ? undefined : `\`${value}\``;
}

const withEscapedBreaks = (text: string): string => text.replaceAll('\r', '\\r').replaceAll('\n', '\\n');

/** For Node's `util.parseEnv` and `--env-file`: like `dotenv`, but without the escape `\r`. */
export const node: Format = {
  ...dotenv,
  refuses: (key, value) => (value.includes('\r') ? 'contains a carriage return' : dotenv.refuses(key, value)),
};

/** The package `python-dotenv`. It expands `${…}` in every value, so `${` is written as an expansion that yields `$`. */
export const pythonDotenv: Format = {
  refuses: (_, value) => (value.includes('\0') ? nul : undefined),
  write: lines((key, value) => `${key}=${quotedForPython(value)}`),
};

function quotedForPython(value: string): string {
  if (isBare(value)) return value;
  // It normalizes line endings, and only double quotes support \r.
  const quote = value.includes('\r') ? '"' : "'";
  const escaped = value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
  const inLines = quote === '"' ? withEscapedBreaks(escaped) : escaped;
  // Its pattern reads any backslash before the closing quote as an escape, so that is written as a default too.
  const literal = inLines.replaceAll('${', `${yields('$')}{`).replace(/\\\\$/, () => yields('\\\\'));
  return `${quote}${literal}${quote}`;
}

/** An expansion of a variable without a name, which yields its default. */
const yields = (text: string): string => `\${:-${text}}`;

/** The longest line that Go's bufio.Scanner reads, which docker uses. */
const longestLineBytes = 65_535;

/** `docker run --env-file`: the raw value up to the end of the line. */
export const docker: Format = {
  refuses: (key, value) => {
    if (value.includes('\0')) return nul;
    if (value.includes('\n')) return 'contains a line break';
    if (value.endsWith('\r')) return 'ends with a carriage return';
    const isTooLong = Buffer.byteLength(`${key}=${value}`) > longestLineBytes;
    return isTooLong ? `makes a line of more than ${longestLineBytes} bytes` : undefined;
  },
  write: lines((key, value) => `${key}=${value}`),
};

/** For Docker Compose's `env_file` (compose-go). Only double quotes support escapes other than the quote itself. */
export const compose: Format = {
  refuses: (_, value) => (value.includes('\0') ? nul : undefined),
  write: lines((key, value) => `${key}=${quotedForCompose(value)}`),
};

function quotedForCompose(value: string): string {
  if (isBare(value)) return value;
  return value.includes('\\') ? `"${value.replace(/[\\"$]/g, '\\$&')}"` : `'${value.replaceAll("'", "\\'")}'`;
}

/** For systemd's `EnvironmentFile=`. */
export const systemd: Format = {
  refuses: (key, value) => {
    if (!isName(key)) return notAName;
    if (value.includes('\0')) return nul;
    // It makes systemd reject the whole file.
    return noncharacter.test(value) ? 'contains a Unicode noncharacter' : undefined;
  },
  write: lines((key, value) => `${key}="${value.replace(/[\\"$`]/g, '\\$&')}"`),
};
