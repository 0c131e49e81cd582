import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe } from 'vitest';
import type { Outcome, Sdk } from '../cases/case.ts';

const root = join(import.meta.dirname, '../../..');

/** The package as it is in this checkout. */
export const packagePath = join(root, 'clients/python/src');

/** Why tests in Python can't run here; undefined if they can. */
export function whyWithoutPython(): string | undefined {
  try {
    const check = 'import ensurepip, sys; sys.exit(sys.version_info < (3, 9))';
    execFileSync('python3', ['-c', check], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'python3, of version 3.9 or newer and with venv, is not installed';
  }
}

/** Tests that are skipped, with a message, where there is no Python. */
export function describeWithPython(title: string, tests: () => void): void {
  const note = whyWithoutPython();
  if (note !== undefined) process.stderr.write(`SKIPPED: ${title}: ${note}\n`);
  describe.skipIf(note !== undefined)(title, tests);
}

/** The lines of `requirements.txt` for a package of the registry. */
export function pinned(name: string): string {
  const lines = readFileSync(join(import.meta.dirname, 'requirements.txt'), 'utf8').split('\n');
  return `${lines.filter(line => line.startsWith(`${name}==`)).join('\n')}\n`;
}

/** Where this machine's pip finds packages, also in a process with another home. */
export function pipVariables(): Record<string, string> {
  const { HOME = '', XDG_CONFIG_HOME = join(HOME, '.config') } = process.env;
  const config = [join(XDG_CONFIG_HOME, 'pip/pip.conf'), join(HOME, '.pip/pip.conf')].find(path => existsSync(path));
  const set = Object.entries(process.env).flatMap(([name, value = '']) =>
    name.startsWith('PIP_') ? [[name, value] as const] : [],
  );
  return { ...(config === undefined ? {} : { PIP_CONFIG_FILE: config }), ...Object.fromEntries(set) };
}

const variables = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: packagePath };

/** Runs a script with the package. @returns the JSON that it prints */
export async function runScript(script: string, env: Record<string, string>, ...args: string[]): Promise<unknown> {
  const options = { env: { ...variables, ...env } };
  const { stdout } = await promisify(execFile)('python3', ['-c', script, ...args], options);
  return JSON.parse(stdout);
}

/** A process that runs calls of the package, one after the other. */
export function startDriver(): Sdk & { stop: () => Promise<void> } {
  const child = spawn('python3', [join(import.meta.dirname, 'driver.py')], {
    env: variables,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  const ask = async (op: string, message: object): Promise<Outcome> => {
    child.stdin.write(`${JSON.stringify({ op, ...message })}\n`);
    const { value } = await lines.next();
    if (value === undefined) throw new Error('The driver ended.');
    return JSON.parse(value);
  };
  return {
    open: (url, options, given) => ask('open', { url, options, variables: given }),
    call: (call, given) => ask('call', { call, variables: given }),
    advance: async milliseconds => void (await ask('advance', { milliseconds })),
    reset: async () => void (await ask('reset', {})),
    stop: () => {
      child.stdin.end();
      return ended;
    },
  };
}
