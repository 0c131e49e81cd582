import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  ExportEnd,
  type ExportHeader,
  ExportRecord,
  exportFormat,
} from '#lib/contracts/organizations/export-records.ts';

/** The file can't be imported. The message says why, with the line. */
export class NotImportable extends Error {
  override readonly name = 'NotImportable';
}

export type RecordOf<Kind extends ExportRecord['record']> = Extract<ExportRecord, { record: Kind }>;

const lineFeed = 0x0a;

/** The lines of a file as bytes, without their line feeds. Other line separators may occur in values. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      yield Buffer.concat([...rest, chunk.subarray(start, end)]);
      rest = [];
      start = end + 1;
    }
    rest.push(chunk.subarray(start));
  }
  if (rest.some(({ length }) => length > 0)) throw new NotImportable('The file ends in the middle of a line.');
}

/**
 * The records of an export. The last line is checked when it is reached, so use nothing before that.
 * @throws NotImportable, naming the line but never its content
 */
export async function* readRecords(path: string): AsyncGenerator<ExportRecord, { sha256: string; lines: number }> {
  const hash = createHash('sha256');
  let lines = 0;
  let end: ReturnType<typeof ExportEnd.parse> | undefined;
  for await (const line of linesOf(path)) {
    if (end !== undefined) throw new NotImportable(`The file goes on after its end, in line ${lines + 2}.`);
    const content = contentOf(line, lines + 1);
    const parsedEnd = ExportEnd.safeParse(content);
    if (parsedEnd.success) {
      end = parsedEnd.data;
      continue;
    }
    const record = ExportRecord.safeParse(content);
    lines += 1;
    if (lines === 1) requireFormat(content);
    if (!record.success) {
      const where = record.error.issues.map(({ path }) => path.join('.')).join(', ');
      throw new NotImportable(`Line ${lines} is not a valid record (${where}).`);
    }
    hash.update(line).update('\n');
    yield record.data;
  }
  const sha256 = hash.digest('hex');
  if (end === undefined) throw new NotImportable('The file is incomplete: its last line is missing.');
  if (end.lines !== lines || end.sha256 !== sha256) {
    throw new NotImportable('The file was changed after its export: its lines do not match its last line.');
  }
  return { sha256, lines };
}

function contentOf(line: Buffer, number: number): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    throw new NotImportable(`Line ${number} is not JSON.`);
  }
}

function requireFormat(content: unknown): void {
  const { record, format } = (content ?? {}) as Partial<ExportHeader>;
  if (record !== 'export') throw new NotImportable('The file is not an export of an organization.');
  if (format !== exportFormat) {
    throw new NotImportable(`The file has the format ${format}; this version reads format ${exportFormat}.`);
  }
}
