import { spawnSync } from 'node:child_process';
import { launchOfShell } from './launch/launch.ts';
import { environmentWithoutCredentials } from './withheld.ts';

/** A shorter text fits on nearly every terminal; a longer one goes to the pager, which prints it if it does fit. */
const maxLinesUnpaged = 20;

/** @returns undefined if nothing is to be started */
function pagerCommand(): string | undefined {
  const chosen = process.env.PAGER;
  if (chosen !== undefined) return chosen === '' || chosen === 'cat' ? undefined : chosen;
  const terminal = process.env.TERM ?? '';
  return terminal === '' || terminal === 'dumb' ? undefined : 'less -FRX';
}

/**
 * Shows a text on a terminal in the person's pager.
 * @returns whether it was shown: false if it is short, no pager is wanted, or the pager can't be started
 */
export function page(text: string): boolean {
  const command = text.split('\n').length > maxLinesUnpaged ? pagerCommand() : undefined;
  if (command === undefined) return false;
  // Ctrl-C reaches this process too, which must outlive the pager.
  const ignore = () => undefined;
  process.on('SIGINT', ignore);
  const { file, args, options } = launchOfShell(command, []);
  const { status, signal } = spawnSync(file, args, {
    ...options,
    input: text,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: environmentWithoutCredentials(),
  });
  process.off('SIGINT', ignore);
  // The shell's own codes for a command that it can't run. A pager that ended early has been left by the reader.
  return signal !== null || (status !== null && status !== 126 && status !== 127);
}
