import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { medians, timed } from './measure.ts';

/* `npm run bench -- cli`: the command line's startup time, as a multiple of Node's. */

const root = join(import.meta.dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
const bundle = join(directory, 'holdfast.cjs');

function node(...words: string[]): void {
  const { status } = spawnSync(process.execPath, words, { env: { PATH: process.env.PATH, HOME: directory } });
  if (status !== 0) throw new Error(`node ${words.join(' ')} ended with ${status}.`);
}

try {
  node(join(root, 'clients/cli/build.ts'), bundle);
  const times = await medians(40, {
    'node -e 0': () => timed(() => node('-e', '0')),
    'holdfast --version': () => timed(() => node(bundle, '--version')),
    'holdfast --help': () => timed(() => node(bundle, '--help')),
    'holdfast status': () => timed(() => node(bundle, 'status')),
  });
  for (const [name, time] of Object.entries(times)) {
    const ratio = (time / times['node -e 0']).toFixed(2);
    console.log(`${name.padEnd(20)} ${time.toFixed(1).padStart(6)} ms  ${ratio} ×`);
  }
} finally {
  rmSync(directory, { recursive: true });
}
