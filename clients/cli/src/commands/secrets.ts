import { valueProblem } from '@holdfast/contracts/fields/secret-rules.ts';
import { type Command, Option } from 'commander';
import { exitCodes, Failure, usage } from '../failure.ts';
import { given } from '../given.ts';
import { invisibleNotes, valueIn } from '../one-value.ts';
import { readLimited } from '../read-limited.ts';
import type { Session } from '../session.ts';
import { pullEntries } from '../snapshot.ts';
import { readBytes } from '../standard-input.ts';
import { ifRevisionOption, integer, messageOption, revisionOption, secretKey, secretKeys } from './options.ts';

export interface WriteFlags {
  message?: string;
  ifRevision?: number;
}

export const writeOptions = (command: Command): Command =>
  command.addOption(messageOption()).addOption(ifRevisionOption());

export const listOptions = (command: Command): Command => command.addOption(revisionOption());

export async function list(session: Session, { revision }: { revision?: number }): Promise<void> {
  const environment = await session.environment();
  const answer = await environment.keys(given({ revision }));
  const { output } = session;
  if (output.json) return output.document(answer);
  output.table(
    ['KEY', 'VERSION', 'UPDATED', 'BY'],
    answer.keys.map(({ key, version, updatedAt, updatedBy }) => {
      return [key, String(version), output.time(updatedAt), updatedBy.email];
    }),
    `${environment.slug} has no keys at revision ${answer.revision}. Begin: holdfast push .env, or holdfast set KEY`,
  );
}

export const getOptions = (command: Command): Command =>
  command.argument('<key>', 'key of the secret', secretKey).addOption(revisionOption());

/** Prints only the value. On a terminal a line break follows, so the prompt starts on its own line. */
export async function get(session: Session, key: string, flags: { revision?: number }): Promise<void> {
  const { output } = session;
  const { entries, revision } = await pullEntries(session, { ...given({ revision: flags.revision }), only: [key] });
  const value = entries[0]?.[1] ?? '';
  if (output.json) output.document({ key, value, revision });
  else output.data(output.isTerminal ? `${value}\n` : value);
}

interface SetFlags extends WriteFlags {
  fromFile?: string;
  exact?: boolean;
  allowEmpty?: boolean;
  ifVersion?: number;
  generate?: number;
  alphabet?: string[];
  show?: boolean;
}

export const setOptions = (command: Command): Command =>
  writeOptions(command)
    .usage('[options] <key>')
    .argument('<key>', 'key of the secret', secretKey)
    .argument('[value]', 'not allowed: values come from standard input, a file or a hidden prompt', refuseValue)
    .option('--from-file <file>', 'use the content of this file with its last line break (- for standard input)')
    .option('--exact', 'keep a final line break and a byte order mark')
    .option('--allow-empty', 'set an empty value')
    .addOption(
      new Option('--generate <length>', `generate a random value of this length (${minLength} to ${maxLength})`)
        .argParser(generatedLength)
        .conflicts(['fromFile', 'exact', 'allowEmpty']),
    )
    .addOption(
      new Option('--alphabet <characters>', 'the characters to generate from; letters and digits if omitted').argParser(
        alphabetOf,
      ),
    )
    .option('--show', 'print the generated value')
    .option('--if-version <number>', 'fail unless the key is at this version; 0 means it must not exist', integer(0));

const minLength = 8;
const maxLength = 4096;
/** Refuses the name of an alphabet, such as `hex`, which would give a value of three letters that is easy to guess. */
const minAlphabet = 10;
const lettersAndDigits = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'];

function generatedLength(text: string): number {
  const length = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (length >= minLength && length <= maxLength) return length;
  throw usage(`A generated value has ${minLength} to ${maxLength} characters.`, 'For example: --generate 32');
}

function alphabetOf(text: string): string[] {
  const characters = [...text];
  const isPlain = text.isWellFormed() && !/[\p{Cc}\p{Cf}\p{M}]/u.test(text);
  // A character given twice would be chosen twice as often.
  if (isPlain && characters.length >= minAlphabet && new Set(characters).size === characters.length) return characters;
  throw usage(
    `An alphabet has at least ${minAlphabet} characters, each of them once and none invisible.`,
    'For example: --alphabet 0123456789abcdef',
  );
}

function refuseValue(): never {
  throw usage(
    'A value is never an argument: others could read it in the process list, and the shell’s history keeps it.',
    'Pipe it in (holdfast set KEY < file), or call holdfast set KEY alone and type it.',
  );
}

export async function set(session: Session, key: string, _value: undefined, flags: SetFlags): Promise<void> {
  const environment = await session.environment();
  const { ifVersion, ifRevision, message } = flags;
  if (flags.generate === undefined && (flags.alphabet !== undefined || flags.show)) {
    throw usage('--alphabet and --show need --generate.', `For example: holdfast set ${key} --generate 32`);
  }
  const { value, changes } =
    flags.generate === undefined
      ? await readValue(session, key, flags)
      : { value: await generated(flags.generate, flags.alphabet), changes: [] };
  const problem = valueProblem(value);
  if (problem !== undefined) throw new Failure(exitCodes.other, 'invalid_value', `The value of ${key} ${problem}.`);
  const answer = await environment.set(key, value, given({ ifVersion, ifRevision, message }));
  for (const change of changes) session.output.note(change);
  for (const note of invisibleNotes([[key, value]])) session.output.warn(note);
  if (session.output.json) return session.output.document(flags.show ? { ...answer, value } : answer);
  if (flags.show) session.output.data(`${value}\n`);
  const { secret, changed, revision } = answer;
  const what = changed ? `set, version ${secret.version}` : 'already has that value';
  session.output.note(`${key} ${what}; ${environment.slug} is at revision ${revision}.`);
}

/** Every character is chosen by itself, each with the same probability. */
async function generated(length: number, alphabet = lettersAndDigits): Promise<string> {
  const { randomInt } = await import('node:crypto');
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

async function readValue({ terminal }: Session, key: string, flags: SetFlags) {
  const { fromFile } = flags;
  if (fromFile !== undefined && fromFile !== '-') return valueIn(key, readFile(fromFile), fromFile, flags);
  if (fromFile === undefined && terminal.canAsk) {
    const input = await terminal.askHidden(`Value of ${key}: `);
    return valueIn(key, Buffer.from(input), 'The input', { ...flags, isTyped: true });
  }
  if (process.stdin.isTTY) throw usage(`The value of ${key} is missing.`, `Pipe it in: holdfast set ${key} < file`);
  return valueIn(key, await readBytes(), 'Standard input', flags);
}

export function readFile(path: string): Buffer {
  try {
    return readLimited(path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(exitCodes.usage, 'file_unreadable', `${path} can’t be read (${code}).`);
  }
}

export const unsetOptions = (command: Command): Command =>
  writeOptions(command).argument('<keys...>', 'keys of the secrets', secretKeys);

export async function unset(session: Session, keys: readonly string[], flags: WriteFlags): Promise<void> {
  const environment = await session.environment();
  const { ifRevision, message } = flags;
  const answer = await environment.delete([...new Set(keys)], given({ ifRevision, message }));
  const { deleted, notFound, revision } = answer;
  if (deleted.length === 0) {
    throw new Failure(exitCodes.notFound, 'secret_not_found', `Not set: ${notFound.join(', ')}.`, {
      hint: 'List the keys: holdfast list',
    });
  }
  if (session.output.json) return session.output.document(answer);
  if (notFound.length > 0) session.output.warn(`Not set in the first place: ${notFound.join(', ')}.`);
  session.output.note(`${deleted.join(', ')} deleted; ${environment.slug} is at revision ${revision}.`);
}
