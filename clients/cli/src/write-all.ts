import { writeSync } from 'node:fs';

/** Text to a descriptor, to its last byte, whatever the other end does. */
export function writeAll(stream: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length; ) {
    try {
      offset += writeSync(stream, bytes, offset);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // The reader went away (`… | head`): end as a process that SIGPIPE ends, without a word.
      if (code === 'EPIPE' && stream === 1) process.exit(141);
      if (code === 'EPIPE') return;
      // Another process made the descriptor non-blocking, and its reader is slow.
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
