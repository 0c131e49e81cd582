import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry } from '@holdfast/contracts/fields/formats/format.ts';
import {
  ApprovalRequired,
  type Environment,
  type NewValues,
  type Plan,
  RevisionMismatch,
  type Snapshot,
} from '@holdfast/sdk';
import { applyPlan, requireConfirmed, showPlan } from '../change.ts';
import { defineCommand } from '../define-command.ts';
import { readDotenv, writeDotenv } from '../dotenv-text.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { withHint } from '../failure-of.ts';
import { given } from '../given.ts';
import { launchOfShell } from '../launch/launch.ts';
import { invisibleNotes } from '../one-value.ts';
import { messageOption, proposeOptions, yesOption } from '../options.ts';
import { type PlannedChange, type ProposeFlags, proposePlan } from '../proposal.ts';
import type { Session } from '../session.ts';
import { decode } from '../standard-input.ts';
import { environmentWithoutCredentials } from '../withheld.ts';

export default defineCommand({
  name: 'edit',
  heading: 'Change secrets',
  position: 4,
  description: 'edit all secrets in your editor',
  example: 'EDITOR=nano holdfast edit',
  options: [messageOption, ...proposeOptions, yesOption],
  run: edit,
});

type Values = ReadonlyMap<string, string>;

interface Edits {
  set: Map<string, string>;
  delete: string[];
}

/** Opens the environment in the editor and applies the edits, merged with concurrent changes. */
async function edit(session: Session, flags: ProposeFlags): Promise<void> {
  const { message, propose = false } = flags;
  const { output, terminal } = session;
  if (!terminal.mayWait) {
    const hint = 'In scripts: holdfast set KEY < file, or holdfast push FILE';
    throw usage('An editor needs a person, and --no-input never waits for one.', hint);
  }
  const command = process.env.VISUAL || process.env.EDITOR;
  if (!command) throw usage('No editor is set.', 'Set one: EDITOR=nano holdfast edit');
  const environment = await session.environment();
  let base = await pullRaw(environment);
  const directory = mkdtempSync(join(privateDirectory(), 'holdfast-'));
  const file = join(directory, `${environment.slug}.env`);
  let keepsFile = false;
  try {
    writeFileSync(file, writeDotenv(entriesOf(base)), { mode: 0o600 });
    const editedValues = await editFile(
      command,
      file,
      terminal.confirms ? question => terminal.confirm(question) : undefined,
    );
    let edits = editsOf(valuesOf(base), editedValues);
    for (let isConfirmed = false; ; ) {
      if (edits.set.size + edits.delete.length === 0) {
        output.note('Nothing was changed.');
        if (output.json)
          output.document({ created: [], updated: [], unchanged: [], deleted: [], revision: base.revision });
        return;
      }
      keepsFile = true;
      const change = { set: newValues(edits.set, base), delete: edits.delete };
      const plan = await environment.plan({ ...change, ...given({ message }) });
      if (plan.revision === base.revision) {
        for (const note of invisibleNotes(edits.set)) output.warn(note);
        showPlan(session, plan, `edit ${environment.slug}`);
        if (!isConfirmed) await requireConfirmed(terminal, propose);
        isConfirmed = true;
        try {
          await carryOut(session, { environment, plan, change }, flags);
          keepsFile = false;
          return;
        } catch (error) {
          if (!(error instanceof RevisionMismatch)) throw error;
        }
      }
      const moved = await pullRaw(environment);
      edits = merge(valuesOf(base), valuesOf(moved), edits, environment.slug);
      output.note(
        `${environment.slug} moved from revision ${base.revision} to ${moved.revision}; your changes are merged into it.`,
      );
      base = moved;
    }
  } catch (error) {
    if (error instanceof Failure && error.code === 'declined') keepsFile = false;
    if (keepsFile) output.warn(`Your edits are kept in a file that only you can read: ${file}`);
    if (!(error instanceof ApprovalRequired)) throw error;
    // A push would take the names of other keys for plain text.
    const isPlain = base.keys().every(key => !base.expands(key));
    const instead = isPlain ? `holdfast push ${file} --as-is --prune --propose` : 'holdfast edit --propose';
    throw withHint(error, `Propose them instead: ${instead}`);
  } finally {
    if (!keepsFile) rmSync(directory, { recursive: true, force: true });
  }
}

/** Values that name other keys are edited as they were set, and still name them afterwards. */
const pullRaw = (environment: Environment): Promise<Snapshot> => environment.pull({ raw: true });

function newValues(edited: Values, before: Snapshot): NewValues {
  const entries = [...edited].map(([key, value]): [string, NewValues[string]] => {
    return [key, before.expands(key) ? { value, expand: true } : value];
  });
  return Object.fromEntries(entries);
}

/** Applies or proposes the plan. If it turns out to need approval, asks whether to propose it. */
async function carryOut(
  session: Session,
  planned: PlannedChange & { plan: Plan<{ revision: number }> },
  flags: ProposeFlags,
): Promise<void> {
  const { output, terminal } = session;
  const { environment, plan } = planned;
  if (flags.propose) return await proposePlan(session, planned, flags);
  try {
    const answer = await applyPlan(environment, plan);
    if (output.json) output.document(answer);
    else output.note(`Done; ${environment.slug} is at revision ${answer.revision}.`);
  } catch (error) {
    if (!(error instanceof ApprovalRequired && terminal.confirms)) throw error;
    output.warn(error.message);
    await requireConfirmed(terminal, true);
    await proposePlan(session, planned, flags);
  }
}

/** A directory in memory, if the system has one. On Windows, `/dev/shm` would be a folder that any user can create. */
function privateDirectory(): string {
  if (process.platform === 'win32') return tmpdir();
  const candidates = [process.env.XDG_RUNTIME_DIR, '/dev/shm', tmpdir()];
  return (
    candidates.find(path => path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory()) ?? tmpdir()
  );
}

/** @param askAgain asks whether to reopen the editor */
async function editFile(
  command: string,
  file: string,
  askAgain: ((question: string) => Promise<boolean>) | undefined,
): Promise<Values> {
  for (;;) {
    await openEditor(command, file);
    try {
      return readDotenv(decode(readFileSync(file), 'The file'), 'The file', { asIs: true });
    } catch (error) {
      if (askAgain === undefined || !(error instanceof Failure)) throw error;
      if (!(await askAgain(`${error.message}\nOpen it again?`))) throw error;
    }
  }
}

/** Like git: the shell splits the command, and the file is passed as a separate argument. */
async function openEditor(command: string, file: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  const env = environmentWithoutCredentials();
  const launch = launchOfShell(command, [file]);
  const editor = spawn(launch.file, launch.args, { ...launch.options, stdio: 'inherit', env });
  return await new Promise((resolve, reject) => {
    editor.once('error', reject);
    editor.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new Failure(
            exitCodes.other,
            'editor_failed',
            `The editor exited with ${signal ?? code}; nothing was changed.`,
          ),
        );
    });
  });
}

const entriesOf = (snapshot: Snapshot): Entry[] => snapshot.keys().map(key => [key, snapshot.require(key)]);
const valuesOf = (snapshot: Snapshot): Values => new Map(entriesOf(snapshot));

export function editsOf(before: Values, after: Values): Edits {
  return {
    set: new Map([...after].filter(([key, value]) => before.get(key) !== value)),
    delete: [...before.keys()].filter(key => !after.has(key)),
  };
}

/**
 * Applies my edits of `base` to `theirs`. Keys that only one side changed keep that change; identical changes are
 * dropped.
 * @throws Failure naming every key that both sides changed to different values; nothing is applied then
 */
export function merge(base: Values, theirs: Values, mine: Edits, slug: string): Edits {
  const myValues = new Map<string, string | undefined>([
    ...mine.set,
    ...mine.delete.map(key => [key, undefined] as const),
  ]);
  const merged: Edits = { set: new Map(), delete: [] };
  const conflicts: string[] = [];
  for (const [key, value] of myValues) {
    const theirValue = theirs.get(key);
    if (theirValue === value) continue;
    if (theirValue !== base.get(key)) conflicts.push(key);
    else if (value === undefined) merged.delete.push(key);
    else merged.set.set(key, value);
  }
  if (conflicts.length === 0) return merged;
  throw new Failure(
    exitCodes.conflict,
    'edit_conflict',
    `You and others changed the same keys of ${slug}: ${conflicts.join(', ')}. Nothing was changed.`,
    { details: { keys: conflicts }, hint: 'See theirs: holdfast revisions · then edit again' },
  );
}
