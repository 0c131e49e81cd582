import { closeSync, openSync, readSync } from 'node:fs';
import { exitCodes, Failure } from './failure.ts';

/** More than an environment, or its encrypted copy, can hold. */
export const maxReadBytes = 16 * 1024 * 1024;

/** Bounded, because a path may lead to a device or a pipe that never ends. @throws Failure, or the system's own error */
export function readLimited(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for (;;) {
      const chunk = Buffer.alloc(65_536);
      const count = readSync(file, chunk);
      if (count === 0) return Buffer.concat(chunks);
      size += count;
      if (size > maxReadBytes) throw tooLarge(path);
      chunks.push(chunk.subarray(0, count));
    }
  } finally {
    closeSync(file);
  }
}

export function tooLarge(name: string): Failure {
  return new Failure(exitCodes.other, 'file_too_large', `${name} has more than 16 MiB, which no environment can hold.`);
}

/** Reads a file that an argument names. */
export function readFile(path: string): Buffer {
  try {
    return readLimited(path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(exitCodes.usage, 'file_unreadable', `${path} can’t be read (${code}).`);
  }
}
