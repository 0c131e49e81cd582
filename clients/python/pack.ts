import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/**
 * The Python client as a wheel that `pip install` accepts, built from the sources (PEP 427). The same sources give the
 * same bytes, because requirements files contain a hash of them.
 */
export function packWheel(): { fileName: string; content: Buffer } {
  const { name, version, metadata } = readProject();
  const sources = join(import.meta.dirname, 'src', name);
  const modules = readdirSync(sources).filter(file => /\.(?:py|typed)$/.test(file));
  const folder = `${name}-${version}.dist-info`;
  const files = new Map([
    ...modules.toSorted().map(file => [`${name}/${file}`, readFileSync(join(sources, file))] as const),
    [`${folder}/METADATA`, Buffer.from(metadata)],
    [
      `${folder}/WHEEL`,
      Buffer.from('Wheel-Version: 1.0\nGenerator: holdfast\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
    ],
  ]);
  const record = `${folder}/RECORD`;
  files.set(record, Buffer.from(`${[...files].map(recordOf).join('')}${record},,\n`));
  return { fileName: `${name}-${version}-py3-none-any.whl`, content: zipOf(files) };
}

/** The metadata of `pyproject.toml` in the form of a wheel (PEP 566). */
function readProject() {
  const text = readFileSync(join(import.meta.dirname, 'pyproject.toml'), 'utf8');
  const field = (key: string): string => {
    const [, value] = new RegExp(`^${key} = "(.+)"$`, 'm').exec(text) ?? [];
    if (value === undefined) throw new Error(`pyproject.toml has no ${key}.`);
    return value;
  };
  const [name, version] = [field('name'), field('version')];
  const fields = {
    'Metadata-Version': '2.1',
    Name: name,
    Version: version,
    Summary: field('description'),
    'Requires-Python': field('requires-python'),
    'Description-Content-Type': 'text/markdown',
  };
  const classifiers = [...text.matchAll(/"(\w+ :: .+?)"/g)].map(([, classifier = '']) => ['Classifier', classifier]);
  const head = [...Object.entries(fields), ...classifiers].map(([key, value]) => `${key}: ${value}\n`);
  const readme = readFileSync(join(import.meta.dirname, field('readme')), 'utf8');
  return { name, version, metadata: `${head.join('')}\n${readme}` };
}

function recordOf([path, content]: [string, Buffer]): string {
  const digest = createHash('sha256').update(content).digest('base64url');
  return `${path},sha256=${digest},${content.length}\n`;
}

/** The oldest date that a zip archive can have, 1980-01-01. */
const date = 0x21;
/** A plain file that everybody can read, in the attributes that Unix programs write. */
const attributes = 0o100644 * 0x10000;

/** A zip archive without compression (PKWARE's APPNOTE.TXT, 4.3): for each file a header, and all again at the end. */
function zipOf(files: ReadonlyMap<string, Buffer>): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = Buffer.from(path);
    const common = fieldsOf([2, 20], [2, 0], [2, 0], [2, 0], [2, date], [4, crc32(content)]);
    const sizes = fieldsOf([4, content.length], [4, content.length], [2, name.length], [2, 0]);
    const entry = [Buffer.from('PK\x03\x04', 'latin1'), common, sizes, name, content];
    const place = fieldsOf([2, 0], [2, 0], [2, 0], [4, attributes], [4, offset]);
    // Written by a program for Unix, version 2.0 of the format.
    central.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, sizes, place, name);
    local.push(...entry);
    offset += Buffer.concat(entry).length;
  }
  const directory = Buffer.concat(central);
  const counts = fieldsOf([2, 0], [2, 0], [2, files.size], [2, files.size], [4, directory.length], [4, offset], [2, 0]);
  return Buffer.concat([...local, directory, Buffer.from('PK\x05\x06', 'latin1'), counts]);
}

/** Numbers of so many bytes each, the lowest byte first. */
function fieldsOf(...fields: [bytes: number, value: number][]): Buffer {
  return Buffer.concat(
    fields.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}
