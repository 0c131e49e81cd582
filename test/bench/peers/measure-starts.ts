import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median } from '../load-ratio.ts';

/* Starts of `holdfast run -- true` next to those of its peers, which read local files instead of a service. */

const versions = { '@dotenvx/dotenvx': '2.38.2', varlock: '1.20.0' };
const rounds = 15;
const root = join(import.meta.dirname, '../../..');

interface Start {
  script: string;
  env: Record<string, string>;
}

/**
 * The median start of each command as a multiple of `holdfast run`. The peers are installed into a temporary directory
 * without their install scripts.
 */
export async function measureStarts(
  secrets: readonly { key: string; value: string }[],
  holdfastEnv: Record<string, string>,
): Promise<Map<string, number>> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-peers-'));
  try {
    const starts = await install(directory, secrets, holdfastEnv);
    await requireValues(starts, secrets, directory);
    const times = new Map([...starts.keys()].map(name => [name, [] as number[]]));
    // The first round warms the caches. Interleaved, so that other load on the machine affects all of them.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, start] of starts) {
        const milliseconds = await timed(start, ['true'], directory);
        if (round > 0) times.get(name)?.push(milliseconds);
      }
    }
    const base = median(times.get('holdfast run') ?? []);
    return new Map([...times].map(([name, all]) => [name, median(all) / base]));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function install(
  directory: string,
  secrets: readonly { key: string; value: string }[],
  holdfastEnv: Record<string, string>,
): Promise<Map<string, Start>> {
  const run = promisify(execFile);
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  writeFileSync(join(directory, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], { cwd: directory });
  const bundle = join(directory, 'holdfast.cjs');
  await run(process.execPath, [join(root, 'clients/cli/build.ts'), bundle]);
  writeFileSync(join(directory, '.env'), secrets.map(({ key, value }) => `${key}=${value}\n`).join(''));
  writeFileSync(join(directory, '.env.schema'), secrets.map(({ key }) => `${key}=\n`).join(''));
  const module = (path: string) => join(directory, 'node_modules', path);
  return new Map([
    ['holdfast run', { script: bundle, env: holdfastEnv }],
    ['dotenvx run', { script: module('@dotenvx/dotenvx/src/cli/dotenvx.js'), env: {} }],
    ['varlock run', { script: module('varlock/bin/cli.js'), env: { VARLOCK_TELEMETRY_DISABLED: '1' } }],
  ]);
}

/** @throws Error if a command starts its program without one of the values */
async function requireValues(
  starts: ReadonlyMap<string, Start>,
  secrets: readonly { key: string; value: string }[],
  directory: string,
): Promise<void> {
  const file = join(directory, 'check.cjs');
  writeFileSync(
    file,
    `for (const { key, value } of ${JSON.stringify(secrets)}) {
    if (process.env[key] !== value) throw new Error(key + ' is wrong.');
  }`,
  );
  for (const start of starts.values()) await timed(start, [process.execPath, file], directory);
}

/** Milliseconds that running this program takes. */
async function timed({ script, env }: Start, program: readonly string[], cwd: string): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, [script, 'run', '--', ...program], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', chunk => {
    errors += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${script} ended with ${code}: ${errors}`);
  return performance.now() - begun;
}
