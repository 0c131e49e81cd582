import { spawn } from 'node:child_process';
import { exitCodes, Failure } from '../failure.ts';
import { launchOf } from '../launch/launch.ts';
import { maxReadBytes, tooLarge } from '../read-limited.ts';
import { findProgram } from '../run/find-program.ts';
import { decode } from '../standard-input.ts';
import { environmentWithoutCredentials } from '../withheld.ts';
import type { SourceFile } from './exported.ts';

/** Whether the command line of a source is installed. */
export function isInstalled(program: string): boolean {
  try {
    findProgram(program, environmentWithoutCredentials());
    return true;
  } catch {
    return false;
  }
}

/** Runs the command line of a source, which may ask on the terminal. What it prints is never shown. @throws Failure */
export async function runTool(program: string, ...words: string[]): Promise<SourceFile> {
  const variables = environmentWithoutCredentials();
  const path = findProgram(program, variables);
  const { file, args, options } = launchOf(path, [program, ...words]);
  const child = spawn(file, args, { ...options, stdio: ['inherit', 'pipe', 'inherit'], env: variables });
  const name = `${program} ${words.slice(0, 2).join(' ')}`;
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxReadBytes) child.kill();
    else chunks.push(chunk);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (size > maxReadBytes) throw tooLarge(`The output of ${name}`);
  if (code === 0) return { name, text: decode(Buffer.concat(chunks), name) };
  throw new Failure(exitCodes.other, 'source_failed', `${name} failed; nothing was imported.`, {
    hint: 'Sign in to it, or export to a file first and name the file.',
  });
}
