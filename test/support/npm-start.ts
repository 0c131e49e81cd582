import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The local stack in its own process, like `npm start`. */
export interface StartedStack {
  /** Base address with `/v1`. */
  url: string;
  /** Resident memory of the process (Linux). */
  residentBytes(): number;
  /** Its output on stderr. */
  errors(): string;
  /** Sends SIGTERM. @returns the exit code */
  stop(): Promise<number | null>;
  /** Kills it with SIGKILL, whatever it is doing. */
  kill(): Promise<void>;
}

const entry = join(import.meta.dirname, '../../infra/local/start.ts');

/** @throws Error with its stderr if it ends before it serves */
export async function startStack(env: Record<string, string>): Promise<StartedStack> {
  const child: ChildProcess = spawn(process.execPath, [entry], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let errors = '';
  child.stderr?.on('data', chunk => {
    errors += chunk;
  });
  const lines = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> });
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', line => {
      if (line.startsWith('ready ')) resolve(line.slice('ready '.length));
    });
    void exited.then(([code]) => reject(new Error(`The stack ended with ${code} before it served: ${errors}`)));
  });
  return {
    url,
    residentBytes: () => {
      const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
      return Number(kilobytes) * 1024;
    },
    errors: () => errors,
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = await exited;
      return code;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
