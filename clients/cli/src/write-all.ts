import { writeSync } from 'node:fs';

/** Writes all of the text to a descriptor; 9 leads to the shell that started `run`. */
export function writeAll(stream: 1 | 2 | 9, text: string): void {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length; ) {
    try {
      offset += writeSync(stream, bytes, offset);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // The reader is gone (`… | head`). Exit silently, as SIGPIPE would. EOF is what Windows calls it.
      const isGone = code === 'EPIPE' || code === 'EOF';
      if (isGone && stream === 1) process.exit(141);
      if (isGone) return;
      // Another process made the descriptor non-blocking, and its reader is slow.
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
