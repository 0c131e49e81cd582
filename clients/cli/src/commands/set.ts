import {
  lettersAndDigits,
  maxGeneratedLength as maxLength,
  minAlphabet,
  minGeneratedLength as minLength,
} from '@holdfast/contracts/fields/generated.ts';
import { valueProblem } from '@holdfast/contracts/fields/secret-rules.ts';
import type { Environment } from '@holdfast/sdk';
import { Argument, defineCommand, type FlagsOf, Option } from '../define-command.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { given } from '../given.ts';
import { invisibleNotes, valueIn } from '../one-value.ts';
import { integer, keyArgument, writeOptions } from '../options.ts';
import { proposePlan } from '../proposal.ts';
import { readFile } from '../read-limited.ts';
import type { Session } from '../session.ts';
import { readBytes } from '../standard-input.ts';

const options = [
  ...writeOptions,
  new Option('--from-file <file>', 'use the content of this file with its last line break (- for standard input)'),
  new Option('--exact', 'keep a final line break and a byte order mark'),
  new Option('--allow-empty', 'set an empty value'),
  new Option(
    '--expand',
    'let the value name other keys as \u0024{KEY}, which pulls replace with their values',
  ).conflicts('generate'),
  new Option(
    '--generate <length>',
    `let the service generate a random value of this length (${minLength} to ${maxLength}), which nobody sees`,
  )
    .argParser(generatedLength)
    .conflicts(['fromFile', 'exact', 'allowEmpty']),
  new Option('--alphabet <characters>', 'the characters to generate from; letters and digits if omitted').argParser(
    alphabetOf,
  ),
  new Option('--show', 'generate the value here, and print it').conflicts('propose'),
  new Option('--if-version <number>', 'fail unless the key is at this version; 0 means it must not exist')
    .argParser(integer(0))
    .conflicts('propose'),
] as const;

export default defineCommand({
  name: 'set',
  heading: 'Change secrets',
  position: 1,
  description: 'set one value from standard input, a file or a hidden prompt, or generate it',
  example: 'holdfast set SESSION_KEY --generate 32',
  usage: '[options] <key>',
  arguments: [
    keyArgument,
    new Argument('[value]', 'not allowed: values come from standard input, a file or a hidden prompt').argParser(
      refuseValue,
    ),
  ],
  options,
  run: async (session, key, _value, flags) => {
    const environment = await session.environment();
    const { ifVersion, ifRevision, message } = flags;
    if (flags.generate === undefined && (flags.alphabet !== undefined || flags.show)) {
      throw usage('--alphabet and --show need --generate.', `For example: holdfast set ${key} --generate 32`);
    }
    if (flags.generate !== undefined && !flags.show) {
      return await generateUnseen(session, environment, key, { ...flags, generate: flags.generate });
    }
    const { value, changes } =
      flags.generate === undefined
        ? await readValue(session, key, flags)
        : { value: await generated(flags.generate, flags.alphabet), changes: [] };
    const problem = valueProblem(value);
    if (problem !== undefined) throw new Failure(exitCodes.other, 'invalid_value', `The value of ${key} ${problem}.`);
    const answer = flags.propose
      ? undefined
      : await environment.set(key, value, given({ ifVersion, ifRevision, message, expand: flags.expand }));
    for (const change of changes) session.output.note(change);
    for (const note of invisibleNotes([[key, value]])) session.output.warn(note);
    if (answer === undefined) {
      const change = { set: { [key]: flags.expand ? { value, expand: true as const } : value } };
      return await proposePlan(session, { environment, change, plan: await environment.plan(change) }, flags);
    }
    if (session.output.json) return session.output.document(flags.show ? { ...answer, value } : answer);
    if (flags.show) session.output.data(`${value}\n`);
    const { secret, changed, revision } = answer;
    const lines = value.replace(/\n$/, '').split('\n').length;
    // Whoever pasted more than the value sees it here.
    const size = lines === 1 ? '' : ` ${lines} lines,`;
    const what = changed ? `set,${size} version ${secret.version}` : 'already has that value';
    session.output.note(`${key} ${what}; ${environment.slug} is at revision ${revision}.`);
  },
});

type SetFlags = FlagsOf<typeof options>;

/** The value never leaves the service, so a token for names only may do this. */
async function generateUnseen(
  session: Session,
  environment: Environment,
  key: string,
  { generate: length, alphabet, propose, ...flags }: SetFlags & { generate: number },
): Promise<void> {
  const how = { length, ...given({ alphabet: alphabet?.join('') }) };
  if (propose) {
    const change = { set: { [key]: { generate: how } } };
    return await proposePlan(session, { environment, change, plan: await environment.plan(change) }, flags);
  }
  const { ifVersion, ifRevision, message } = flags;
  const answer = await environment.generate(key, { ...how, ...given({ ifVersion, ifRevision, message }) });
  if (session.output.json) return session.output.document(answer);
  const { secret, revision } = answer;
  session.output.note(
    `${key} generated, version ${secret.version}; ${environment.slug} is at revision ${revision}. Nobody has seen the value.`,
  );
}

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

/** Every character is chosen by itself, each with the same probability. */
async function generated(length: number, alphabet = [...lettersAndDigits]): Promise<string> {
  const { randomInt } = await import('node:crypto');
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

async function readValue({ terminal }: Session, key: string, flags: FlagsOf<typeof options>) {
  const { fromFile } = flags;
  if (fromFile !== undefined && fromFile !== '-') return valueIn(key, readFile(fromFile), fromFile, flags);
  if (fromFile === undefined && terminal.canAsk) {
    const input = await terminal.askHidden(`Value of ${key}: `);
    return valueIn(key, Buffer.from(input), 'The input', { ...flags, isTyped: true });
  }
  if (process.stdin.isTTY) throw usage(`The value of ${key} is missing.`, `Pipe it in: holdfast set ${key} < file`);
  return valueIn(key, await readBytes(terminal), 'Standard input', flags);
}
