import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export async function runCommand(name: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const script = join(import.meta.dirname, `../../infra/commands/${name}.ts`);
  const running = promisify(execFile)(process.execPath, [script, ...args], { env });
  const { stdout, stderr } = await running.catch(error => error as { stdout: string; stderr: string });
  return { code: running.child.exitCode, stdout, stderr };
}
