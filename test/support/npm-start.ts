import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const entry = join(import.meta.dirname, '../../infra/local/start.ts');

/** The local stack, like `npm start`. @throws Error with its stderr if it ends before it serves */
export async function startStack(env: Record<string, string>) {
  const child = spawn(process.execPath, [entry], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let errors = '';
  child.stderr.on('data', chunk => {
    errors += chunk;
  });
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', line => {
      if (line.startsWith('ready ')) resolve(line.slice('ready '.length));
    });
    void exited.then(([code]) => reject(new Error(`The stack ended with ${code} before it served: ${errors}`)));
  });
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    const [code] = await exited;
    return code;
  };
  return {
    /** Base address with `/v1`. */
    url,
    /** Resident memory of the process (Linux). */
    residentBytes: () => {
      const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
      return Number(kilobytes) * 1024;
    },
    errors: () => errors,
    /** @returns the exit code */
    stop: () => end('SIGTERM'),
    /** Whatever it is doing. */
    kill: async (): Promise<void> => void (await end('SIGKILL')),
  };
}

export type StartedStack = Awaited<ReturnType<typeof startStack>>;
