import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleFunctions, bundleSettings } from '#infra/build/bundle.ts';
import { hotFunctions } from '#infra/plan/functions.ts';
import { medians } from './measure.ts';

/* `npm run bench -- load [rounds]`: load times of the hot bundles, next to an empty handler with a DynamoDB client. */

const emptyHandler = `
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
export const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
export const handler = async () => ({ statusCode: 200 });
`;

export interface LoadRatio {
  name: string;
  sizeBytes: number;
  /** As a multiple of the empty handler's median. */
  ratio: number;
}

export async function measureLoads(rounds: number): Promise<LoadRatio[]> {
  const outDirectory = mkdtempSync(join(tmpdir(), 'holdfast-bundles-'));
  try {
    const bundles = await bundleFunctions({
      outDirectory,
      functions: hotFunctions.map(name => ({ area: 'secrets', name })),
    });
    const empty = join(outDirectory, 'empty/index.mjs');
    // Without our plugins: what an ordinary bundle loads just to use the table.
    await build({
      ...bundleSettings,
      plugins: [],
      stdin: { contents: emptyHandler, resolveDir: import.meta.dirname, loader: 'js' },
      outfile: empty,
    });
    const files = bundles.map(({ name, directory }) => [name, () => loadTime(join(directory, 'index.mjs'))]);
    const times = await medians(rounds, { empty: () => loadTime(empty), ...Object.fromEntries(files) });
    const timeOf = (name: string) => times[name] ?? Number.NaN;
    return bundles.map(({ name, sizeBytes }) => ({ name, sizeBytes, ratio: timeOf(name) / timeOf('empty') }));
  } finally {
    rmSync(outDirectory, { recursive: true, force: true });
  }
}

/** Milliseconds that a new process takes to import the file. */
function loadTime(file: string): number {
  const script = `const t = performance.now(); await import(${JSON.stringify(file)}); console.log(performance.now() - t);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', AWS_REGION: 'us-east-1' },
  });
  const time = Number(stdout.trim());
  if (!Number.isFinite(time) || stdout.trim() === '') throw new Error(`${file} does not load: ${stderr}`);
  return time;
}

export function loadRatioLine({ name, sizeBytes, ratio }: LoadRatio): string {
  return `${name}: ${Math.round(sizeBytes / 1000)} KB, loads in ${ratio.toFixed(2)} × an empty handler`;
}

if (import.meta.main) {
  for (const load of await measureLoads(Number(process.argv[2] ?? 31))) console.log(loadRatioLine(load));
}
