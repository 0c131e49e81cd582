import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/* `npm run bench -- cli`: the command line's startup time, as a multiple of Node's. */

const root = join(import.meta.dirname, '../..');
const rounds = 40;
const directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
const bundle = join(directory, 'holdfast.cjs');

function milliseconds(words: string[]): number {
  const begun = performance.now();
  const { status } = spawnSync(process.execPath, words, { env: { PATH: process.env.PATH, HOME: directory } });
  if (status !== 0) throw new Error(`node ${words.join(' ')} ended with ${status}.`);
  return performance.now() - begun;
}

try {
  milliseconds([join(root, 'clients/cli/build.ts'), bundle]);
  const cases: Record<string, string[]> = {
    'node -e 0': ['-e', '0'],
    'holdfast --version': [bundle, '--version'],
    'holdfast --help': [bundle, '--help'],
    'holdfast status': [bundle, 'status'],
  };
  const times: Record<string, number[]> = {};
  // Interleaved, so that other load on the machine affects all of them.
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, words] of Object.entries(cases)) {
      times[name] = [...(times[name] ?? []), milliseconds(words)];
    }
  }
  const median = (all: number[] = []) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
  const base = median(times['node -e 0']);
  for (const name of Object.keys(cases)) {
    const time = median(times[name]);
    console.log(`${name.padEnd(20)} ${time.toFixed(1).padStart(6)} ms  ${(time / base).toFixed(2)} ×`);
  }
} finally {
  rmSync(directory, { recursive: true });
}
