import { execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const root = join(import.meta.dirname, '../../..');

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

interface Options {
  /** Those that are undefined are not set. */
  env?: Record<string, string | undefined>;
  cwd?: string;
  input?: string | Buffer;
  /** Runs under a terminal of its own, of unknown width unless given. */
  terminal?: boolean;
  columns?: number;
  /** The user that it runs as, which only root can choose. */
  user?: number;
  /** Runs the bundle as a program, with `node` from the PATH, under this command. */
  under?: readonly string[];
}

export type Cli = ReturnType<typeof buildCli>;
export type StartedCli = ReturnType<Cli['start']>;

let built: string | undefined;

/** Builds the bundle from its sources once per process, whose test files share it. */
function requireBundle(): string {
  if (built !== undefined) return built;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-bundle-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  built = join(folder, 'holdfast.cjs');
  execFileSync(process.execPath, [join(root, 'clients/cli/build.ts'), built]);
  return built;
}

/** The command line as built from the current sources, with an empty home and an empty environment. */
export function buildCli() {
  const bundle = requireBundle();
  const home = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));

  const file = (name: string, text: string | Buffer, mode = 0o644): string => {
    const path = join(home, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };

  const start = (words: readonly string[], options: Options = {}) => {
    const { env = {}, cwd = home, input, terminal = false, columns, user, under = [process.execPath] } = options;
    const command = [...under, bundle, ...words];
    const variables = { PATH: process.env.PATH ?? '', HOME: home, HOLDFAST_KEYRING: 'off', ...env };
    const setWidth = columns === undefined ? '' : `stty cols ${columns}; `;
    const [program = '', ...rest] = terminal
      ? ['script', '-qefc', `${setWidth}exec ${command.map(quoted).join(' ')}`, '/dev/null']
      : command;
    // In a group of its own, so that a signal to this process's group does not reach it.
    const as = user === undefined ? {} : { uid: user, gid: user };
    const child = spawn(program, rest, { cwd, env: variables, stdio: ['pipe', 'pipe', 'pipe'], detached: true, ...as });
    let stdout = '';
    let stderr = '';
    const waiting = new Set<() => void>();
    child.stdout.on('data', chunk => (stdout += chunk));
    child.stderr.on('data', chunk => (stderr += chunk));
    const lookAgain = () => {
      for (const look of waiting) look();
    };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', lookAgain);
    child.stdin.on('error', () => undefined);
    if (input !== undefined) child.stdin.end(input);
    else if (!terminal) child.stdin.end();
    const ended = new Promise<Ending>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    });
    const seen = () => stdout + stderr;
    return {
      child,
      ended,
      seen,
      until: (text: string | RegExp) =>
        new Promise<void>((resolve, reject) => {
          const look = () => {
            if (!(typeof text === 'string' ? seen().includes(text) : text.test(seen()))) return;
            waiting.delete(look);
            resolve();
          };
          waiting.add(look);
          look();
          void ended.then(({ code, signal }) => {
            look();
            reject(new Error(`It ended with ${code ?? signal} before it wrote ${text}; it wrote: ${seen()}`));
          });
        }),
    };
  };
  return {
    home,
    bundle,
    start,
    run: (words: readonly string[], options?: Options) => start(words, options).ended,
    /** Runs on a terminal, and types each text once its prompt is there. */
    converse: async (
      words: readonly string[],
      dialog: [prompt: string | RegExp, typed: string][],
      options?: Options,
    ): Promise<Ending> => {
      const started = start(words, { ...options, terminal: true });
      for (const [prompt, typed] of dialog) {
        await started.until(prompt);
        started.child.stdin?.write(typed);
      }
      return started.ended;
    },
    /** Runs a script with bash, as pasted, in `home`, with `holdfast` as a program. @throws Error if a command fails */
    shell: (script: string, more: Record<string, string> = {}) => {
      const program = `#!/bin/sh\nexec '${process.execPath}' '${bundle}' "$@"\n`;
      file('bin/holdfast', program, 0o755);
      const env = { PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home, HOLDFAST_KEYRING: 'off', ...more };
      return promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd: home, env });
    },
    credentialsOf: (origin: string) => `.config/holdfast/credentials/${encodeURIComponent(origin)}.json`,
    file,
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

const matching = (text: string | RegExp) =>
  typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text);

/** The ending of a command that failed: it printed nothing on standard output, and this message. */
export const failure = (code: number, message: string | RegExp): Ending => ({
  code,
  signal: null,
  stdout: '',
  stderr: matching(message),
});

export const success = (stdout: string): Ending => ({ code: 0, signal: null, stdout, stderr: '' });

export function variablesOf(url: string, token: string, environment = 'acme/web-shop/dev'): Record<string, string> {
  const [HOLDFAST_ORG = '', HOLDFAST_PROJECT = '', HOLDFAST_ENV = ''] = environment.split('/');
  return { HOLDFAST_URL: url, HOLDFAST_TOKEN: token, HOLDFAST_ORG, HOLDFAST_PROJECT, HOLDFAST_ENV };
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
