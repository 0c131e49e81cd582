import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { type FunctionPlan, functions } from '../plan/functions.ts';
import { builtinModules } from './builtin-modules.ts';
import { leanClients } from './lean-clients.ts';
import { leanModules } from './lean-modules.ts';
import { leanDefinitions, leanPackages } from './lean-packages.ts';
import { leanZod } from './lean-zod.ts';

const root = join(import.meta.dirname, '../..');

/** The SDK's clients import their whole package.json, 2 to 4 KB each, only to put their version into the user agent. */
const versionsOnly: Plugin = {
  name: 'versions-only',
  setup: ({ onLoad }) => {
    onLoad({ filter: /@aws-sdk[/\\][^/\\]+[/\\]package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/**
 * The SDK loads this on the first call that streams events, which the service never makes. Lambda's client also sets it
 * up when it starts, so its bundle has it.
 */
const withoutEventStreams: Plugin = {
  name: 'without-event-streams',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/** esbuild keeps everything that it has read for one build in memory: 4 GB for all functions, 0.8 GB for eight. */
const functionsPerBuild = 8;

/** esbuild's options for a function. */
export const bundleSettings = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minify: true,
  // ES modules first: esbuild can tree-shake them, and fewer packages need `require`.
  mainFields: ['module', 'main'],
  alias: {
    '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'lambda-credentials.ts'),
    '@aws-sdk/endpoint-cache': join(import.meta.dirname, 'endpoint-cache.ts'),
  },
  define: leanDefinitions,
  plugins: [builtinModules, versionsOnly, withoutEventStreams, leanClients, leanPackages, leanZod, leanModules],
  legalComments: 'none',
  // CommonJS dependencies load Node's own modules with `require`, which ES modules do not have.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'silent',
} as const satisfies BuildOptions;

export interface Bundle {
  name: string;
  /** The folder to upload: `index.mjs` and the files that it reads. */
  directory: string;
  /** Size of `index.mjs`, minified. */
  sizeBytes: number;
  /** The packages and project folders in the bundle with their bytes, largest first. */
  weights: readonly [string, number][];
}

export interface BundleOptions {
  outDirectory?: string;
  functions?: readonly Pick<FunctionPlan, 'area' | 'name'>[];
}

/**
 * Bundles every function with all its dependencies, including the AWS SDK, into `dist/<name>/index.mjs`, so that the
 * tested code is the code that runs. Source maps are not uploaded.
 * @throws Error that names every function without a file
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
  const bundles: Bundle[] = [];
  for (const batch of chunksOf(functionsPerBuild, plans)) bundles.push(...(await bundleBatch(batch, outDirectory)));
  return bundles;
}

async function bundleBatch(plans: NonNullable<BundleOptions['functions']>, outDirectory: string): Promise<Bundle[]> {
  const { metafile } = await build({
    ...bundleSettings,
    absWorkingDir: root,
    entryPoints: Object.fromEntries(plans.map(plan => [`${plan.name}/index`, sourceOf(plan)])),
    outdir: outDirectory,
    outExtension: { '.js': '.mjs' },
    sourcemap: 'external',
    metafile: true,
  });
  return plans.map(({ name }) => {
    const directory = join(outDirectory, name);
    if (name === 'get-docs-script') copyRedoc(directory);
    const sizeBytes = statSync(join(directory, 'index.mjs')).size;
    return { name, directory, sizeBytes, weights: weightsOf(metafile, name) };
  });
}

/** The most memory that esbuild's process has used since this process started it; undefined where /proc is missing. */
export function peakBytesOfBuild(): number | undefined {
  if (!existsSync('/proc/self/task')) return undefined;
  const children = readdirSync('/proc/self/task').flatMap(thread =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
  const statuses = children.map(pid => readFileSync(`/proc/${pid}/status`, 'utf8'));
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(statuses.find(status => status.startsWith('Name:\tesbuild')) ?? '')?.[1];
  return peak === undefined ? undefined : Number(peak) * 1024;
}

function sourceOf({ area, name }: Pick<FunctionPlan, 'area' | 'name'>): string {
  return join(root, 'functions', area, `${name}.ts`);
}

/** Puts the reference page's script where the function's `require.resolve` finds it. */
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
