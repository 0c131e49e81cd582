import { build, type Plugin } from 'esbuild';
import manifest from './package.json' with { type: 'json' };

/** commander runs subcommands that are programs of their own. There are none here, and the module takes long to load. */
const withoutSubprograms: Plugin = {
  name: 'without-subprograms',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: 'none', namespace: 'without-subprograms' } : undefined,
    );
    onLoad({ filter: /^none$/, namespace: 'without-subprograms' }, () => ({ contents: 'export default {};' }));
  },
};

/** The whole command line as one file, so that a start reads one file. Only the keyring's native module stays outside. */
export async function bundleCli(): Promise<Buffer> {
  const { outputFiles } = await build({
    entryPoints: [`${import.meta.dirname}/src/main.ts`],
    write: false,
    bundle: true,
    minify: true,
    platform: 'node',
    // A module of Node is loaded when the code that needs it runs, and not at the start as in ES modules.
    format: 'cjs',
    target: 'node20',
    conditions: ['@holdfast/source'],
    external: ['@napi-rs/keyring'],
    define: { HOLDFAST_VERSION: JSON.stringify(manifest.version) },
    plugins: [withoutSubprograms],
    logLevel: 'warning',
  });
  return Buffer.concat(outputFiles.map(({ contents }) => contents));
}
