import { valueProblem } from '@holdfast/contracts/fields/secret-rules.ts';
import type { Environment } from '@holdfast/sdk';
import { Argument, defineCommand, type FlagsOf, Option } from '../define-command.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { alphabetOption, generated, generateOption } from '../generate.ts';
import { given } from '../given.ts';
import { invisibleNotes, valueIn } from '../one-value.ts';
import { integer, keyArgument, writeOptions } from '../options.ts';
import { proposePlan } from '../proposal.ts';
import { readFile } from '../read-limited.ts';
import type { Session } from '../session.ts';
import { readBytes } from '../standard-input.ts';

const options = [
  ...writeOptions,
  new Option(
    '--from-file <file>',
    'use the content of this file with its last line break (- for standard input)',
  ).conflicts('generate'),
  new Option('--exact', 'keep a final line break and a byte order mark').conflicts('generate'),
  new Option('--allow-empty', 'set an empty value').conflicts('generate'),
  new Option(
    '--expand',
    'let the value name other keys as \u0024{KEY}, which pulls replace with their values',
  ).conflicts('generate'),
  generateOption('let the service generate a random value, which nobody sees'),
  alphabetOption,
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

function refuseValue(): never {
  throw usage(
    'A value is never an argument: others could read it in the process list, and the shell’s history keeps it.',
    'Pipe it in (holdfast set KEY < file), or call holdfast set KEY alone and type it.',
  );
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
