import { isUtf8 } from 'node:buffer';
import { constants } from 'node:os';
import { writeAll } from '../write-all.ts';

/** What Node takes from a process before any code runs, as noted by the shell at the head of the bundle. */
export interface Inherited {
  /** Whether that shell executes the command, after evaluating what it reads from descriptor 9. */
  awaitsPlan: boolean;
  /** Whether that shell has started this process. */
  isNoted: boolean;
  /** Numbers of the ignored signals. */
  ignored: number[];
  /** Descriptors from 3 on. */
  descriptors: number[];
  /** Variables that a shell can't name, and most shells drop. */
  unusual: Record<string, string>;
  /** Those of them whose bytes are not UTF-8. */
  notUtf8: string[];
}

export function readInherited(): Inherited {
  const { HOLDFAST_SHELL: noted = '', HOLDFAST_SHELL_NAMES: names = '' } = process.env;
  // A shell of Windows, such as that of Git, can't hand over what it notes to a program of Windows.
  const notes = process.platform === 'win32' ? '' : noted;
  const [, task, mask = '0', descriptors = ''] = /^(plan|stay) ([0-9a-f]{1,16})((?: \d{1,4})*)$/.exec(notes) ?? [];
  const bits = BigInt(`0x${mask}`);
  return {
    awaitsPlan: task === 'plan',
    isNoted: task !== undefined,
    ignored: Array.from({ length: 64 }, (_, index) => index + 1).filter(number => (bits >> BigInt(number - 1)) & 1n),
    descriptors: descriptors.split(' ').filter(Boolean).map(Number),
    ...unusualFrom(names),
  };
}

function unusualFrom(hexadecimal: string): Pick<Inherited, 'unusual' | 'notUtf8'> {
  const entries = Buffer.from(hexadecimal, 'hex').toString('latin1').split('\0');
  const pairs = entries.flatMap(entry => {
    const bytes = Buffer.from(entry, 'latin1');
    const text = bytes.toString();
    const at = text.indexOf('=');
    return at > 0 ? [{ name: text.slice(0, at), value: text.slice(at + 1), isText: isUtf8(bytes) }] : [];
  });
  return {
    unusual: Object.fromEntries(pairs.map(({ name, value }) => [name, value])),
    notUtf8: pairs.filter(({ isText }) => !isText).map(({ name }) => name),
  };
}

/** Whether a variable names this process, or the shell that started it, as the one that systemd's sockets are for. */
export const isForThisProcess = ({ LISTEN_PID: pid }: NodeJS.ProcessEnv): boolean =>
  [process.pid, process.ppid].includes(Number(pid));

/** Only a shell can ignore signals for a program, and tell it its own pid, which the socket activation of systemd checks. */
export const needsShell = (variables: NodeJS.ProcessEnv, { ignored, isNoted }: Inherited): boolean =>
  ignored.length > 0 || (isNoted && isForThisProcess(variables));

/** Makes the shell execute Node in its own place. */
export function letShellStay(): never {
  writePlan('stay');
}

/** Gives the shell what it evaluates, and ends this process. */
export function writePlan(plan: string): never {
  writeAll(9, plan);
  process.exit(0);
}

/** Keeps ignoring signals while this process prepares the command or waits for it. */
export function ignoreSignals(ignored: readonly number[]): void {
  for (const [name, number] of Object.entries(constants.signals)) {
    if (ignored.includes(number)) process.on(name, () => undefined);
  }
}

/** A plan's shell is gone if it was killed. Nobody would read the plan. */
export function endWithShell(): void {
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) process.exit(125);
  }, 500).unref();
}
