import { noIdToken, reasonOf } from './id-token-failure.ts';
import type { IdTokenRequest } from './identity.ts';
import { nodeModule } from './node-modules.ts';

/** No header could carry a longer token. */
const mostOutputCharacters = 65_536;
/** The end of standard error is shown, because programs say there why they stop. */
const shownCharacters = 2_000;

/**
 * Runs `HOLDFAST_ID_TOKEN_COMMAND` in a shell. As with `credential_process` of the AWS SDKs, it writes the token to
 * standard output, which no message ever shows.
 */
export function runIdTokenCommand(
  { audience, variables }: Pick<IdTokenRequest, 'audience' | 'variables'>,
  limitMs = 30_000,
): Promise<string> {
  const { spawn } = nodeModule('node:child_process');
  const child = spawn(variables.HOLDFAST_ID_TOKEN_COMMAND ?? '', {
    shell: true,
    // In a process group of its own, so that everything it started ends with it.
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...variables, HOLDFAST_AUDIENCE: audience },
    windowsHide: true,
  });
  const ignoreSignals = killOnSignal(() => killGroup(child.pid));
  let output = '';
  let complaint = '';
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      ignoreSignals();
      settle();
    };
    const fail = (problem: string, cause?: unknown) => {
      killGroup(child.pid);
      // A process that left the group may hold them open.
      child.stdout.destroy();
      child.stderr.destroy();
      const said = complaint.trim() === '' ? '' : `\n${complaint.trim()}`;
      const message = `HOLDFAST_ID_TOKEN_COMMAND ${problem}: set it to a command that prints the token.${said}`;
      end(() => reject(noIdToken(message, { cause })));
    };
    const timer = setTimeout(() => fail(`did not end within ${limitMs / 1000} seconds`), limitMs);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > mostOutputCharacters) fail(`printed more than ${mostOutputCharacters} characters`);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-shownCharacters);
    });
    child.on('error', error => fail(`could not be started (${reasonOf(error)})`, error));
    child.on('close', (code, signal) => {
      if (code === 0 && output.trim() !== '') end(() => resolve(output));
      else if (code === 0) fail('printed nothing');
      else fail(code === null ? `was ended by ${signal}` : `ended with exit code ${code}`);
    });
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

/**
 * The terminal's signals don't reach another process group, so the command is killed when one arrives here. If the
 * application doesn't handle that signal, it then ends the process as usual.
 */
function killOnSignal(kill: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const take = (signal: NodeJS.Signals) => {
    kill();
    stop();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const stop = () => {
    for (const signal of signals) process.removeListener(signal, take);
  };
  for (const signal of signals) process.on(signal, take);
  return stop;
}
