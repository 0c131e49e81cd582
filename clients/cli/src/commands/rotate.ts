import { type Environment, type Proposal, type Proposals, proposals, RevisionMismatch } from '@holdfast/sdk';
import { Argument, defineCommand, type FlagsOf, Option } from '../define-command.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { alphabetOption, generateOption } from '../generate.ts';
import { given } from '../given.ts';
import { messageOption, secretKeys, yesOption } from '../options.ts';
import { warnOfProblems, withOutcome } from '../proposal.ts';
import { carryOn } from '../rotation/carry-on.ts';
import { findRotation, hasStarted, keysOf, ofAnother } from '../rotation/find-rotation.ts';
import { newValues } from '../rotation/new-values.ts';
import { requireNames } from '../rotation/scripts.ts';
import type { Session } from '../session.ts';

const beginning = ['generate', 'alphabet', 'stdin', 'message'];

/** An empty one, such as of a variable that is not set, would succeed without changing anything. */
function script(text: string): string {
  if (text.trim() !== '') return text;
  throw usage('A script is empty, so it would change nothing.', 'Nothing was changed. Is a variable unset?');
}

const options = [
  new Option('--run <script>', 'changes the value outside of Holdfast; may run again after a failure').argParser(
    script,
  ),
  new Option('--check <script>', 'ends with 0 if the new value works').argParser(script),
  new Option('--after <script>', 'what is left once the new value is set, such as revoking the old one').argParser(
    script,
  ),
  generateOption('generate a random value'),
  alphabetOption,
  new Option('--stdin', 'read the new value from standard input; of several keys as KEY=value lines or JSON').conflicts(
    ['generate', 'alphabet'],
  ),
  messageOption,
  new Option('--resume', 'go on with a rotation that was interrupted; takes the scripts again').conflicts([
    ...beginning,
    'abandon',
  ]),
  new Option('--abandon', 'end a rotation and forget its new value').conflicts([...beginning, 'run', 'check', 'after']),
  yesOption,
] as const;

type RotateFlags = FlagsOf<typeof options>;

export default defineCommand({
  name: 'rotate',
  heading: 'Change secrets',
  position: 5,
  description: 'change a value here and where it is used, so that the new one is never lost',
  example: "holdfast rotate SESSION_KEY --run './change.sh' --check './try.sh'",
  notes: `
The new value is stored as a proposal before anything changes. The scripts run in a shell, with the values in
HOLDFAST_OLD_<KEY> and HOLDFAST_NEW_<KEY>. A value of 32 letters and digits is generated unless told otherwise.`,
  arguments: [new Argument('[keys...]', 'keys of the secrets').argParser(secretKeys)],
  options,
  run: async (session, keys, flags) => {
    const environment = await session.environment();
    const own = proposals(await session.client(), environment);
    const named = [...new Set(keys)];
    if (flags.abandon) return await abandon(session, { environment, own }, named);
    const { run, check, after, resume = false } = flags;
    const proposal = resume
      ? await findRotation(own, named, { orUnfinished: true })
      : await propose(session, { environment, own }, named, flags);
    const rotating = { session, environment, own, proposal, scripts: given({ run, check, after }) };
    await carryOn({ ...rotating, isResumed: resume, takesInput: flags.stdin !== true });
  },
});

interface Place {
  environment: Environment;
  own: Proposals;
}

/** How often others may change the environment between the plan and the proposal. */
const mostAttempts = 10;

/** Stores the new values. @throws Failure for keys that have no value, or already the new one */
async function propose(
  session: Session,
  { environment, own }: Place,
  keys: readonly string[],
  flags: RotateFlags,
): Promise<Proposal> {
  if (keys.length === 0) throw usage('Which key?', 'For example: holdfast rotate DATABASE_PASSWORD --run ./change.sh');
  if (flags.run === undefined) {
    throw usage(
      '--run is missing: the command that changes the value outside.',
      'To set a value only here: holdfast set KEY',
    );
  }
  requireNames(keys);
  const change = { set: Object.fromEntries(await newValues(session, keys, flags)) };
  for (let attempt = 1; ; attempt += 1) {
    const revision = await requirePlain(environment, keys);
    const { created, unchanged } = await environment.plan(change);
    if (created.length > 0) {
      const hint = 'List the keys: holdfast list · set a first value: holdfast set KEY';
      throw new Failure(exitCodes.notFound, 'secret_not_found', `Not set: ${created.join(', ')}.`, { hint });
    }
    if (unchanged.length > 0) {
      const message = `${unchanged.join(', ')} already has the value that was given. Nothing was changed.`;
      throw new Failure(exitCodes.conflict, 'unchanged', message);
    }
    try {
      const { message } = flags;
      const options = given({ message, ifRevision: revision });
      const answer = await own.propose(change, { ...options, purpose: 'rotation' });
      warnOfProblems(session, answer);
      session.output.note(`The new value of ${keys.join(', ')} is stored as the proposal ${answer.proposal.id}.`);
      return answer.proposal;
    } catch (error) {
      if (error instanceof RevisionMismatch && attempt < mostAttempts) continue;
      throw withOutcome(error, 'holdfast proposals');
    }
  }
}

/**
 * The world outside knows expanded values, and a script would get the old one as it was set.
 * @returns the revision at which this holds
 * @throws Failure for a key whose value names others
 */
async function requirePlain(environment: Environment, keys: readonly string[]): Promise<number> {
  const { keys: listed, revision } = await environment.keys();
  const expanding = listed.filter(({ key, expand }) => expand === true && keys.includes(key)).map(({ key }) => key);
  if (expanding.length === 0) return revision;
  const message = `The value of ${expanding.join(', ')} names other keys, and changes with theirs. Nothing was changed.`;
  throw new Failure(exitCodes.conflict, 'key_expands', message, { hint: 'Rotate the keys that it names.' });
}

/** @throws Failure unless the new value is not in use, or somebody says that it may be lost */
async function abandon(
  { output, terminal }: Session,
  { environment, own }: Place,
  keys: readonly string[],
): Promise<void> {
  const found = await findRotation(own, keys, { orUnfinished: false });
  const { id, progress } = found;
  const names = keysOf(found).join(', ');
  if (hasStarted(found)) {
    const state = progress === 'started' ? 'may already be in use outside' : 'is in use outside';
    const warning = `The new value of ${names} ${state}, and nothing else has it. Make sure that no --run is running.`;
    if (terminal.isUnattended) {
      throw usage(`${warning} It was kept.`, `See it: holdfast proposals show ${id} --values · forget it: --yes`);
    }
    output.warn(warning);
    if (!(await terminal.confirm('Forget it?'))) throw new Failure(exitCodes.other, 'declined', 'Nothing was changed.');
  }
  const answer = await own.withdraw(id).catch(error => {
    throw ofAnother(error, found) ?? withOutcome(error, `holdfast proposals show ${id}`);
  });
  if (output.json) output.document(answer);
  else output.note(`The rotation of ${names} is abandoned; ${environment.slug} is unchanged.`);
}
