import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { isName, notAName, nul } from '@holdfast/contracts/fields/formats/format.ts';
import { type ExitCode, exitCodes, Failure, usage } from '../failure.ts';
import { readInherited } from '../run/inherited.ts';
import { environmentWithoutCredentials } from '../withheld.ts';

/** What each value was before the rotation, and what it is to be. */
export type Values = readonly { key: string; before?: string | undefined; after?: string | undefined }[];

export interface Scripts {
  /** Changes the values outside. */
  run?: string;
  /** Succeeds if the new values work. */
  check?: string;
  /** Follows once the new values are set. */
  after?: string;
}

const ownPrefix = /^HOLDFAST_(?:OLD|NEW)_/;

/** The values are in the environment only: arguments are in the process list. */
function variablesOf(values: Values): Record<string, string | undefined> {
  const inherited = Object.entries(environmentWithoutCredentials()).filter(([name]) => !ownPrefix.test(name));
  const own = values.flatMap(({ key, before, after }) => [
    [`HOLDFAST_OLD_${key}`, before],
    [`HOLDFAST_NEW_${key}`, after],
  ]);
  return Object.fromEntries([...inherited, ...own.filter(([, value]) => value !== undefined)]);
}

/** @throws Failure for keys that a shell can’t name as variables */
export function requireNames(keys: readonly string[]): void {
  const unnamed = keys.filter(key => !isName(key));
  if (unnamed.length === 0) return;
  throw usage(`No script can get the value of ${unnamed.join(', ')}, which ${notAName}.`, 'Nothing was changed.');
}

/** @throws Failure for values that no variable can hold. It never quotes them. */
export function requireVariables(values: Values): void {
  const cut = values.filter(({ before, after }) => [before, after].some(value => value?.includes('\0')));
  if (cut.length === 0) return;
  const keys = cut.map(({ key }) => key);
  const message = `No script can get the value of ${keys.join(', ')}: it ${nul}. Nothing was changed now.`;
  throw new Failure(exitCodes.other, 'invalid_value', message, {
    hint: `End the rotation: holdfast rotate --abandon ${keys[0]}`,
  });
}

interface Running {
  values: Values;
  /** Whether the script gets standard input, which was not used up for the values. */
  takesInput: boolean;
}

/**
 * Runs a script of a rotation in a shell. What it prints goes to standard error.
 * @throws Failure unless it ends with 0
 */
export async function runScript(name: keyof Scripts, script: string, { values, takesInput }: Running): Promise<void> {
  const { spawn } = await import('node:child_process');
  const { forwardSignals } = await import('../run/spawn.ts');
  // This process goes on when it is interrupted, to say how far the rotation is.
  const forwarding = forwardSignals(readInherited());
  try {
    await new Promise<void>((resolve, reject) => {
      const end = (how: string) => reject(failed(name, how));
      const notStarted = ({ code }: NodeJS.ErrnoException) => end(`can’t be started (${code})`);
      const options: SpawnOptions = { stdio: [takesInput ? 'inherit' : 'ignore', 2, 2], env: variablesOf(values) };
      let child: ChildProcess;
      try {
        child = spawn('/bin/sh', ['-c', script], options);
      } catch (error) {
        // Node’s message quotes a variable that it doesn’t allow, and so the value.
        notStarted(error as NodeJS.ErrnoException);
        return;
      }
      child.once('error', notStarted);
      child.once('spawn', () => forwarding.to(child));
      child.once('exit', (code, signal) => {
        if (code === 0) resolve();
        else end(signal === null ? `ended with ${code}` : `was ended by ${signal}`);
      });
    });
  } finally {
    forwarding.stop();
  }
}

const exitCodeOf: Record<keyof Scripts, ExitCode> = {
  run: exitCodes.other,
  check: exitCodes.checkFailed,
  after: exitCodes.other,
};

const failed = (name: keyof Scripts, how: string) =>
  new Failure(exitCodeOf[name], `${name}_failed`, `--${name} ${how}.`);
