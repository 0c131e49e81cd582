import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleFunctions, bundleSettings } from '#infra/build/bundle.ts';
import { hotFunctions } from '#infra/plan/functions.ts';

/*
 * How long a new process takes to load the bundles of the hot functions, next to an empty handler with only the
 * DynamoDB client, its document client and the same lean credentials. `npm run bench -- load [rounds]` prints it.
 */

const emptyHandler = `
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
export const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
export const handler = async () => ({ statusCode: 200 });
`;

export interface LoadRatio {
  name: string;
  sizeBytes: number;
  milliseconds: number;
  /** As a multiple of the empty handler's median. */
  ratio: number;
}

/** The medians of `rounds` loads of each bundle, interleaved, so that other load on the machine affects all of them. */
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
    const files = [empty, ...bundles.map(({ directory }) => join(directory, 'index.mjs'))];
    const times = files.map((): number[] => []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, file] of files.entries()) times[index]?.push(loadTime(file));
    }
    const [base = Number.NaN, ...medians] = times.map(median);
    return bundles.map(({ name, sizeBytes }, index) => {
      const milliseconds = medians[index] ?? Number.NaN;
      return { name, sizeBytes, milliseconds, ratio: milliseconds / base };
    });
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

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** A line for the bench's output. */
export function loadRatioLine({ name, sizeBytes, ratio }: LoadRatio): string {
  return `${name}: ${Math.round(sizeBytes / 1000)} KB, loads in ${ratio.toFixed(2)} × an empty handler`;
}

if (import.meta.main) {
  for (const load of await measureLoads(Number(process.argv[2] ?? 31))) console.log(loadRatioLine(load));
}
