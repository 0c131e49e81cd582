import {
  chmodSync,
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { replaceFile } from './replace-file.ts';

/** Where an interrupted export continues. `what` says of which organization, and how values are protected. */
interface Progress {
  what: string;
  after: string;
  bytes: number;
}

interface ExportedPage {
  records: readonly object[];
  next: string | null;
}

/**
 * Writes an export to a file that only its owner can read, page by page, and continues one that was interrupted. The
 * file gets its name when it is complete. Returns the number of lines.
 * @throws Error if the file exists
 */
export async function writeExport(
  file: string,
  what: string,
  getPage: (after: string | undefined) => Promise<ExportedPage>,
  report: (lines: number) => void,
): Promise<number> {
  if (existsSync(file)) throw new Error(`${file} exists already.`);
  const part = `${file}.part`;
  const progressFile = `${part}.json`;
  const progress = readProgress(part, progressFile, what);
  if (progress === undefined) rmSync(part, { force: true });
  else truncateSync(part, progress.bytes);
  let bytes = progress?.bytes ?? 0;
  let after = progress?.after;
  const target = openSync(part, 'a', 0o600);
  let lines = 0;
  try {
    // The umask removes bits, but the mode must be exactly this.
    chmodSync(part, 0o600);
    do {
      const { records, next } = await getPage(after);
      const text = records.map(record => `${JSON.stringify(record)}\n`).join('');
      bytes += writeWhole(target, Buffer.from(text));
      lines += records.length;
      fsyncSync(target);
      after = next ?? undefined;
      if (after !== undefined) replaceFile(progressFile, JSON.stringify({ what, after, bytes } satisfies Progress));
      report(lines);
    } while (after !== undefined);
    const end = await endOf(part);
    writeWhole(target, Buffer.from(`${JSON.stringify(end)}\n`));
    fsyncSync(target);
    lines = end.lines;
  } finally {
    closeSync(target);
  }
  renameSync(part, file);
  rmSync(progressFile, { force: true });
  return lines;
}

/** Removes what an export that can't continue has left. */
export function discardExport(file: string): void {
  rmSync(`${file}.part`, { force: true });
  rmSync(`${file}.part.json`, { force: true });
}

function readProgress(part: string, progressFile: string, what: string): Progress | undefined {
  if (!existsSync(part) || !existsSync(progressFile)) return undefined;
  const progress = JSON.parse(readFileSync(progressFile, 'utf8')) as Progress;
  return progress.what === what ? progress : undefined;
}

function writeWhole(target: number, content: Buffer): number {
  for (let written = 0; written < content.length; ) written += writeSync(target, content, written);
  return content.length;
}

const lineFeed = 0x0a;

async function endOf(part: string): Promise<{ record: 'end'; lines: number; sha256: string }> {
  // Loaded on demand, because it is slow to load.
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256');
  let lines = 0;
  for await (const chunk of createReadStream(part) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) lines += 1;
  }
  return { record: 'end', lines, sha256: hash.digest('hex') };
}
