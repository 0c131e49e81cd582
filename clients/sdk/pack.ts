import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import manifest from './package.json' with { type: 'json' };

/**
 * The SDK as a package that `npm install` accepts, built from the sources. The same sources give the same bytes, because
 * npm's lock files contain a hash of them.
 */
export async function packSdk(): Promise<{ fileName: string; content: Buffer }> {
  const { scripts: _, devDependencies: __, ...published } = manifest;
  const files = new Map([
    ['package.json', Buffer.from(`${JSON.stringify(published, null, 2)}\n`)],
    ['README.md', readFileSync(join(import.meta.dirname, 'README.md'))],
    ...(await compile()),
    ['dist/sign-sts-request.js', await withLibrary('sign-sts-request')],
  ]);
  const entries = [...files].flatMap(([path, content]) => entryOf(`package/${path}`, content));
  const fileName = `${manifest.name.slice(1).replace('/', '-')}-${manifest.version}.tgz`;
  return { fileName, content: gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * blockBytes)])) };
}

/** The JavaScript and the declarations. `npm run check:static -- types` checks the types. */
async function compile(): Promise<[path: string, content: Buffer][]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-sdk-'));
  try {
    const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [tsc, '-p', import.meta.dirname, '--outDir', folder, '--noCheck']);
    const names = readdirSync(folder).toSorted();
    return names.map(name => [`dist/${name}`, readFileSync(join(folder, name))]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A module together with the library that it imports, so that the package has no dependencies. */
async function withLibrary(name: string): Promise<Buffer> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, `src/${name}.ts`)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  });
  return Buffer.from(outputFiles[0]?.contents ?? []);
}

const blockBytes = 512;

/** A file in a tar archive: a header, then the content, in whole blocks (POSIX.1-1988, ustar). */
function entryOf(path: string, content: Buffer): Buffer[] {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  const fields: [offset: number, text: string][] = [
    [0, path],
    [100, octal(0o644, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(content.length, 11)],
    [136, octal(0, 11)],
    // The checksum, for which this field counts as spaces.
    [148, ' '.repeat(8)],
    // A plain file, and the format with its version.
    [156, '0'],
    [257, 'ustar\x0000'],
  ];
  for (const [offset, text] of fields) header.write(text, offset, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, 148, 'latin1');
  return [header, content, Buffer.alloc(-content.length & (blockBytes - 1))];
}
