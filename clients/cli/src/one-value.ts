import { invisibleIn } from '@holdfast/contracts/fields/invisible.ts';
import { exitCodes, Failure } from './failure.ts';
import { decode, withoutMark } from './standard-input.ts';

interface Flags {
  fromFile?: string;
  exact?: boolean;
  allowEmpty?: boolean;
  /** At a prompt, which has dropped the Enter key. */
  isTyped?: boolean;
}

/** One line and its line break. `echo` and most editors add it. */
const oneLine = /^[^\r\n]*\r?\n$/;

/**
 * The value that a file, a pipe or a prompt provides, and a line about each thing that was left out.
 * @throws Failure for text that is not UTF-8 or is empty
 */
export function valueIn(
  key: string,
  bytes: Uint8Array,
  name: string,
  { fromFile, exact = false, allowEmpty = false, isTyped = false }: Flags,
): { value: string; changes: string[] } {
  const text = decode(bytes, name, exact);
  const unmarked = exact ? text : withoutMark(text);
  const dropsBreak = fromFile === undefined && !exact && oneLine.test(unmarked);
  const value = dropsBreak ? unmarked.replace(/\r?\n$/, '') : unmarked;
  if (value === '' && !allowEmpty) {
    throw new Failure(exitCodes.usage, 'empty_value', `There is no value for ${key}: ${name} is empty.`, {
      hint: 'Nothing was changed. To set an empty value: --allow-empty',
    });
  }
  if (isTyped && value.startsWith('-----BEGIN ') && !value.includes('-----END ')) {
    throw new Failure(exitCodes.other, 'not_pasted', `The value of ${key} is cut off: it begins like a PEM text.`, {
      hint: `Nothing was changed. Use a file: holdfast set ${key} < file`,
    });
  }
  const changes = [
    ...(unmarked === text ? [] : [`${key}: a byte order mark was left out (--exact keeps it).`]),
    ...(dropsBreak ? [`${key}: the final line break was left out (--exact keeps it).`] : []),
  ];
  return { value, changes };
}

const mostNotes = 20;

/** A line about each new value that has something that can't be seen. */
export function invisibleNotes(entries: Iterable<readonly [key: string, value: string]>): string[] {
  const notes = [...entries].flatMap(([key, value]) => {
    const seen = invisibleIn(value);
    return seen.length === 0 ? [] : [`${key}: the value ${seen.join(', ')}.`];
  });
  const more = notes.length - mostNotes;
  return more > 0 ? [...notes.slice(0, mostNotes), `${more} more values have such characters.`] : notes;
}
