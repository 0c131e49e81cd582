import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { type FunctionPlan, functions } from '../plan/functions.ts';

const root = join(import.meta.dirname, '../..');

export interface Bundle {
  name: string;
  /** The folder that is uploaded: `index.mjs` and the files it reads. */
  directory: string;
  /** Size of `index.mjs`, minified. */
  sizeBytes: number;
  /** What it consists of: package, or folder of the project → bytes in the bundle, largest first. */
  weights: readonly [string, number][];
}

export interface BundleOptions {
  outDirectory?: string;
  functions?: readonly Pick<FunctionPlan, 'area' | 'name'>[];
}

/**
 * Bundles every function as `dist/<name>/index.mjs` with everything it needs, including the AWS SDK, so that the tested
 * code is the code that runs. One esbuild pass reads and parses each file once. It keeps the parts of a file that *any*
 * function uses, so what makes one function grow may show in all (`test/infra/build/bundles.test.ts` limits the hot
 * ones). Source maps are next to the bundles and are not uploaded.
 * @throws Error naming every function without a file.
 */
export async function bundleFunctions({
  outDirectory = join(root, 'dist'),
  functions: plans = functions,
}: BundleOptions = {}): Promise<Bundle[]> {
  const missing = plans.map(sourceOf).filter(file => !existsSync(file));
  if (missing.length > 0) {
    throw new Error(`These functions have no file: ${missing.map(file => file.slice(root.length + 1)).join(', ')}.`);
  }
  rmSync(outDirectory, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(plans.map(plan => [`${plan.name}/index`, sourceOf(plan)])),
    outdir: outDirectory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minify: true,
    // ES modules first: esbuild can drop their unused parts, and fewer packages need `require`.
    mainFields: ['module', 'main'],
    alias: { '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'lambda-credentials.ts') },
    // The SDK loads it on the first call that streams events. None of ours does.
    external: ['@smithy/core/event-streams'],
    plugins: [versionsOnly],
    sourcemap: 'external',
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    // CommonJS dependencies load Node's own modules with `require`, which an ES module does not have.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'silent',
  });
  return plans.map(({ name }) => {
    const directory = join(outDirectory, name);
    if (name === 'get-docs-script') copyRedoc(directory);
    const sizeBytes = statSync(join(directory, 'index.mjs')).size;
    return { name, directory, sizeBytes, weights: weightsOf(metafile, name) };
  });
}

function sourceOf({ area, name }: Pick<FunctionPlan, 'area' | 'name'>): string {
  return join(root, 'functions', area, `${name}.ts`);
}

/** The SDK's clients import their own package.json (2 to 4 KB) for the version in the user agent. This keeps only the version. */
const versionsOnly: Plugin = {
  name: 'versions-only',
  setup: ({ onLoad }) => {
    onLoad({ filter: /@aws-sdk[/\\][^/\\]+[/\\]package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/** Copies the script that the reference page loads to where the function's `require.resolve` finds it. */
function copyRedoc(directory: string): void {
  for (const file of ['package.json', 'LICENSE', 'bundles/redoc.standalone.js']) {
    const target = join(directory, 'node_modules/redoc', file);
    mkdirSync(join(target, '..'), { recursive: true });
    cpSync(join(root, 'node_modules/redoc', file), target);
  }
}

function weightsOf({ outputs }: Metafile, name: string): [string, number][] {
  const output = Object.entries(outputs).find(([file]) => file.endsWith(`/${name}/index.mjs`))?.[1];
  const weights = new Map<string, number>();
  for (const [file, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
    const owner = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file.split('/').slice(0, 2).join('/');
    weights.set(owner, (weights.get(owner) ?? 0) + bytesInOutput);
  }
  return [...weights].sort(([, a], [, b]) => b - a);
}
