import { type DotenvDialect, readDotenv as read } from '@holdfast/contracts/fields/dotenv-import.ts';
import type { Entry } from '@holdfast/contracts/fields/formats/format.ts';
import { describeReaders } from '@holdfast/formats/dotenv/ambiguous.ts';
import { exitCodes, Failure } from './failure.ts';
import { withoutMark } from './standard-input.ts';

/** Whose file it is. */
export interface DotenvFlags {
  dialect?: DotenvDialect;
  /** Accepts lines that other tools read differently. */
  asIs?: boolean;
  /** What a refusal means for the command. */
  outcome?: string;
}

/**
 * Reads dotenv text by the service's own rules, or as the tool of the dialect does.
 * @throws Failure with every problem, or else every ambiguous line
 */
export function readDotenv(
  text: string,
  name: string,
  { dialect, asIs, outcome = 'nothing was changed' }: DotenvFlags = {},
): Map<string, string> {
  const { entries, problems, ambiguous = [] } = read(withoutMark(text), dialect);
  const refuse = (code: string, why: string, lines: string[], more: { details: unknown; hint?: string | undefined }) =>
    new Failure(exitCodes.other, code, `${name} ${why}; ${outcome}.\n  ${lines.join('\n  ')}`, more);
  if (problems.length > 0) {
    const named = problems.map(({ line, message }) => `line ${line} ${message}`);
    throw refuse('invalid_dotenv', 'can’t be read', named, {
      details: problems,
      hint: problems.some(({ message }) => message.includes('single quote'))
        ? 'Text of several lines needs double quotes, or JSON: holdfast push --format json'
        : undefined,
    });
  }
  if (ambiguous.length > 0 && !asIs) {
    const named = ambiguous.map(({ line, key, readers }) => `line ${line} ${key}: ${describeReaders(readers)}`);
    throw refuse('ambiguous_dotenv', 'has lines that tools read differently', named, {
      details: ambiguous,
      hint: 'Name the tool that reads the file, such as --dialect node, or use Holdfast’s own rules with --as-is.',
    });
  }
  return new Map(entries.map(({ key, value }) => [key, value]));
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
