import { parseDotenv } from '../../../lib/contracts/fields/dotenv.ts';
import type { Entry } from '../../../lib/contracts/fields/formats/format.ts';
import { exitCodes, Failure } from './failure.ts';

/** Reads dotenv text by the service's own rules. @throws Failure with every problem and its line */
export function readDotenv(text: string, name: string): Map<string, string> {
  const { entries, problems } = parseDotenv(text);
  if (problems.length === 0) return new Map(entries.map(({ key, value }) => [key, value]));
  const named = problems.map(({ line, message }) => `line ${line} ${message}`);
  throw new Failure(
    exitCodes.other,
    'invalid_dotenv',
    `${name} can’t be read; nothing was changed.\n  ${named.join('\n  ')}`,
    {
      details: problems,
      hint: problems.some(({ message }) => message.includes('single quote'))
        ? 'Text of several lines needs double quotes, or JSON: holdfast push --format json'
        : undefined,
    },
  );
}

/** Text that `readDotenv` reads back exactly. Line breaks in values stay line breaks. */
export function writeDotenv(entries: Iterable<Entry>): string {
  return [...entries].map(([key, value]) => `${key}=${quoted(value)}\n`).join('');
}

function quoted(value: string): string {
  if (/^[\w./:@%+,=-]*$/.test(value)) return value;
  if (!/['\n\r]/.test(value)) return `'${value}'`;
  return `"${value.replace(/[\\"$]/g, '\\$&').replaceAll('\r', '\\r')}"`;
}
