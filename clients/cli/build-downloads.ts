import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packWheel } from '../python/pack.ts';
import { packSdk } from '../sdk/pack.ts';
import { bundleCli } from './bundle.ts';
import manifest from './package.json' with { type: 'json' };
import { withheldPrefixes } from './src/withheld.ts';

/** What an installation serves at this origin beside its dashboard, by URL path. */
export type Downloads = (origin: string) => ReadonlyMap<string, Buffer>;

/** The command line, its installer, `run.sh` and both SDKs, built from the sources in their version. */
export async function buildDownloads(): Promise<Downloads> {
  const [program, sdk] = await Promise.all([bundleCli(), packSdk()]);
  const wheel = packWheel();
  const sha256 = createHash('sha256').update(program).digest('hex');
  // Files below /assets/ never change: an installer that is already running gets the file that it expects.
  const path = `/assets/holdfast-${sha256.slice(0, 16)}.cjs`;
  const { version } = manifest;
  const run = filled('run.sh', { VERSION: version, WITHHELD: withheldPattern() });
  return origin => {
    const install = { ORIGIN: plainOrigin(origin), PATH: path, SHA256: sha256, VERSION: version };
    return new Map([
      [path, program],
      [`/${sdk.fileName}`, sdk.content],
      [`/${wheel.fileName}`, wheel.content],
      ['/run.sh', run],
      ['/install.sh', filled('install.sh', install)],
    ]);
  };
}

function filled(script: string, values: Readonly<Record<string, string>>): Buffer {
  const template = readFileSync(join(import.meta.dirname, 'scripts', script), 'utf8');
  const text = template.replaceAll(/@([A-Z0-9_]+)@/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${script} names ${name}, which has no value.`);
    return value;
  });
  return Buffer.from(text);
}

/** Shells read the origin, so it may have none of their special characters. @throws Error otherwise */
function plainOrigin(address: string): string {
  const { origin } = new URL(address);
  if (/^https?:\/\/[\w.:[\]-]+$/.test(origin)) return origin;
  throw new Error(`${address} can't be an installation's address.`);
}

function withheldPattern(): string {
  return withheldPrefixes.map(prefix => `${prefix}*`).join('|');
}
