import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { medians, timed } from '../measure.ts';

/* Starts of `holdfast run -- true` next to those of its peers, which read local files instead of a service. */

const versions = { '@dotenvx/dotenvx': '2.38.2', varlock: '1.20.0' };
const root = join(import.meta.dirname, '../../..');

interface Start {
  script: string;
  env: Record<string, string>;
}

/** Median starts as multiples of `holdfast run`'s. Peers are installed temporarily, without their install scripts. */
export async function measureStarts(
  secrets: readonly { key: string; value: string }[],
  holdfastEnv: Record<string, string>,
): Promise<Map<string, number>> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-peers-'));
  try {
    const starts = await install(directory, secrets, holdfastEnv);
    for (const start of Object.values(starts)) await requireValues(start, secrets, directory);
    const measurements = Object.entries(starts).map(([name, start]) => [
      name,
      () => timed(() => run(start, ['true'], directory)),
    ]);
    const times: Record<string, number> = await medians(15, Object.fromEntries(measurements), 1);
    const base = times['holdfast run'] ?? Number.NaN;
    return new Map(Object.entries(times).map(([name, time]) => [name, time / base]));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function install(
  directory: string,
  secrets: readonly { key: string; value: string }[],
  holdfastEnv: Record<string, string>,
): Promise<Record<string, Start>> {
  const execute = promisify(execFile);
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  writeFileSync(join(directory, 'package.json'), '{"private":true}');
  await execute('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], { cwd: directory });
  const bundle = join(directory, 'holdfast.cjs');
  await execute(process.execPath, [join(root, 'clients/cli/build.ts'), bundle]);
  writeFileSync(join(directory, '.env'), secrets.map(({ key, value }) => `${key}=${value}\n`).join(''));
  writeFileSync(join(directory, '.env.schema'), secrets.map(({ key }) => `${key}=\n`).join(''));
  const module = (path: string) => join(directory, 'node_modules', path);
  return {
    'holdfast run': { script: bundle, env: holdfastEnv },
    'dotenvx run': { script: module('@dotenvx/dotenvx/src/cli/dotenvx.js'), env: {} },
    'varlock run': { script: module('varlock/bin/cli.js'), env: { VARLOCK_TELEMETRY_DISABLED: '1' } },
  };
}

/** @throws Error if the command starts its program without one of the values */
async function requireValues(
  start: Start,
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
  await run(start, [process.execPath, file], directory);
}

async function run({ script, env }: Start, program: readonly string[], cwd: string): Promise<void> {
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
}
