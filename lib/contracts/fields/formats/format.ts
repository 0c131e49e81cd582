import { type Allowance, refuseDangerous } from '../refuse-dangerous.ts';

export type Entry = readonly [key: string, value: string];

export interface Refusal {
  key: string;
  /** Continues the sentence "KEY …". Never quotes the value. */
  reason: string;
}

/** How one consumer reads a file of secrets. */
export interface Format {
  /** Why the consumer can't represent this entry exactly; undefined if it can. */
  refuses: (key: string, value: string) => string | undefined;
  /** Whether the consumer reads the keys as data. Otherwise they become variables of an environment. */
  isData?: true;
  /** Whether the consumer's variable names are case-insensitive. */
  ignoresCase?: true;
  /** Problems of the entries as a whole. */
  refusesTogether?: (entries: readonly Entry[]) => Refusal[];
  write: (entries: readonly Entry[], source: Source) => string;
  /** Printed on stderr before the text, for the consumer. */
  aside?: (entries: readonly Entry[]) => string;
  /** A warning for the user, even if every value is exact. */
  warning?: (entries: readonly Entry[]) => string | undefined;
}

/** Where the entries come from. */
export interface Source {
  project: string;
  environment: string;
}

/** Empty if `write` is exact and no name controls more than the program's own settings. */
export function refusalsOf(format: Format, entries: readonly Entry[], allowance: Allowance = { allowed: [] }) {
  const { isData = false, ignoresCase } = format;
  const single = entries.flatMap(([key, value]) => {
    const reason = format.refuses(key, value);
    if (reason !== undefined) return [{ key, reason }];
    return isData ? [] : refuseDangerous([key], allowance, ignoresCase && { ignoresCase });
  });
  return [...single, ...(format.refusesTogether?.(entries) ?? [])];
}

/** One line for each entry. */
export const lines =
  (line: (key: string, value: string) => string) =>
  (entries: readonly Entry[]): string =>
    entries.map(([key, value]) => `${line(key, value)}\n`).join('');

/** A variable name in all POSIX shells, fish and systemd. */
export const isName = (key: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(key);

/** Characters that every consumer reads literally, quoted or not. */
export const isBare = (value: string): boolean => /^[A-Za-z0-9_./:@%+,-]*$/.test(value);

export const noncharacter = /\p{Noncharacter_Code_Point}/u;

export const nul = 'contains a NUL character, which no environment variable can';
export const notAName = 'is not a variable name: use letters, digits and _';
/** Only `JSON.parse` keeps this key. Assigning to it sets the prototype of the reader's object. */
export const droppedByReader = 'is dropped by the reader, which mistakes it for the prototype of an object';
