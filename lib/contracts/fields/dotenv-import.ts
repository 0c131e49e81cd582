import { type AmbiguousLine, ambiguousLines } from '../../formats/dotenv/ambiguous.ts';
import { type Dialect, dialectReaders, dialects } from '../../formats/dotenv/dialects.ts';
import type { Reading } from '../../formats/dotenv/reading.ts';
import { type DotenvResult, maxProblems, parseDotenv, problemOf } from './dotenv.ts';

export const dotenvDialects = ['strict', ...dialects] as const;
export type DotenvDialect = 'strict' | Dialect;

/** `ambiguous` only if no dialect was named and the text has no problem. */
export interface DotenvImport extends DotenvResult {
  ambiguous?: AmbiguousLine[];
}

/** Reads dotenv text as the dialect's tool does, or by this service's rules. Lines that the tool skips are problems. */
export function readDotenv(text: string, dialect?: DotenvDialect): DotenvImport {
  if (dialect !== undefined && dialect !== 'strict') return checked(dialectReaders[dialect](text));
  const result = parseDotenv(text);
  if (result.problems.length > 0) return result;
  const ambiguous = ambiguousLines(text, result.entries);
  if (dialect === undefined) return { ...result, ambiguous };
  const problems = ambiguous.slice(0, maxProblems).map(({ line, key }) => {
    return { line, message: `sets ${key} to what not all tools read alike` };
  });
  return { ...result, problems };
}

function checked(readings: readonly Reading[]): DotenvResult {
  const entries: DotenvResult['entries'] = [];
  const problems: DotenvResult['problems'] = [];
  const firstLines = new Map<string, number>();
  for (const reading of readings) {
    if (problems.length === maxProblems) break;
    const { line } = reading;
    const message = messageOf(reading, firstLines);
    if (message !== undefined) problems.push({ line, message });
    if ('problem' in reading) continue;
    if (message === undefined) entries.push({ key: reading.key, value: reading.value, line });
    if (!firstLines.has(reading.key)) firstLines.set(reading.key, line);
  }
  return { entries, problems };
}

/** Never names the variable that isn't set: after an accidental `$` that is a part of the value. */
function messageOf(reading: Reading, firstLines: ReadonlyMap<string, number>): string | undefined {
  if ('problem' in reading) return reading.problem;
  if (reading.unset) return 'refers to a variable that no line above sets';
  return problemOf(reading, firstLines.get(reading.key));
}
