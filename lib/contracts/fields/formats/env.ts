import { droppedByReader, type Format, isBare, isName, lines, noncharacter, notAName, nul } from './format.ts';
import { setByShell, shellVariables } from './shell-variables.ts';

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
    if (quoted(value) === undefined) return 'mixes quotes with characters that readers interpret differently';
    return undefined;
  },
  write: lines((key, value) => `${key}=${quoted(value)}`),
};

function quoted(value: string): string | undefined {
  if (isBare(value)) return value;
  if (!/['\n\\]|\$\{/.test(value)) return `'${value}'`;
  if (!/["\\$`]/.test(value)) return `"${value}"`;
  return undefined;
}
