import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { isName, notAName } from '@holdfast/contracts/fields/formats/format.ts';
import { type ExitCode, exitCodes, Failure, usage } from '../failure.ts';
import { launchOfShell } from '../launch/launch.ts';
import { addVariables } from '../run/child-environment.ts';
import { readInherited } from '../run/inherited.ts';

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

const ownPrefix = /^HOLDFAST_(?:OLD|NEW)_/i;

/**
 * What the scripts get. The values are in the environment only: arguments are in the process list.
 * @throws Failure for values that no variable can hold, which it never quotes
 */
export function variablesOf(values: Values): Record<string, string> {
  const parent = Object.entries(process.env).filter(([name]) => !ownPrefix.test(name));
  const own = values.flatMap(({ key, before, after }): [string, string][] => [
    ...(before === undefined ? [] : [[`HOLDFAST_OLD_${key}`, before] as [string, string]]),
    ...(after === undefined ? [] : [[`HOLDFAST_NEW_${key}`, after] as [string, string]]),
  ]);
  const { variables, refusals } = addVariables(own, { parent: Object.fromEntries(parent) });
  if (refusals.length === 0) return variables;
  const reasons = refusals.map(({ key, reason }) => `\n  ${key} ${reason}.`);
  const message = `Not every value can be a variable of a script. Nothing was changed now.${reasons.join('')}`;
  throw new Failure(exitCodes.other, 'invalid_value', message, {
    hint: `End the rotation: holdfast rotate --abandon ${values[0]?.key}`,
  });
}

/** @throws Failure for keys that a shell can’t name as variables */
export function requireNames(keys: readonly string[]): void {
  const unnamed = keys.filter(key => !isName(key));
  if (unnamed.length === 0) return;
  throw usage(`No script can get the value of ${unnamed.join(', ')}, which ${notAName}.`, 'Nothing was changed.');
}

interface Running {
  variables: Readonly<Record<string, string>>;
  /** Whether the script gets standard input, which was not used up for the values. */
  takesInput: boolean;
}

/**
 * Runs a script of a rotation in a shell. What it prints goes to standard error.
 * @throws Failure unless it can be started and ends with 0
 */
export async function runScript(
  name: keyof Scripts,
  script: string,
  { variables, takesInput }: Running,
): Promise<void> {
  const { file, args, options: launch } = launchOfShell(script, []);
  const { spawn } = await import('node:child_process');
  const { forwardSignals } = await import('../run/spawn.ts');
  // This process goes on when it is interrupted, to say how far the rotation is.
  const forwarding = forwardSignals(readInherited());
  try {
    await new Promise<void>((resolve, reject) => {
      const end = (how: string) => reject(failed(name, how));
      const notStarted = ({ code }: NodeJS.ErrnoException) => end(`can’t be started (${code})`);
      const options: SpawnOptions = { ...launch, stdio: [takesInput ? 'inherit' : 'ignore', 2, 2], env: variables };
      let child: ChildProcess;
      try {
        child = spawn(file, args, options);
      } catch (error) {
        // Such as for more variables than a process can have. Node’s own message would quote one.
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
