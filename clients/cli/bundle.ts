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

/** Packages that one command or two need. Together they are nearly half of the bundle. */
const neededRarely = /^(?:yaml|@bomb\.sh\/tab\/commander)$/;

/**
 * Keeps such a package as a string, which is compiled when a command imports it. V8 has to parse the whole file at each
 * start, but it only skips over a string.
 */
const asText: Plugin = {
  name: 'as-text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: neededRarely }, ({ path, resolveDir }) => ({
      path,
      namespace: 'as-text',
      pluginData: { resolveDir },
    }));
    onLoad({ filter: /./, namespace: 'as-text' }, async ({ path, pluginData: { resolveDir } }) => {
      const { outputFiles } = await build({
        ...settings,
        stdin: { contents: `module.exports = require(${JSON.stringify(path)});`, resolveDir },
      });
      const code = JSON.stringify(outputFiles[0]?.text);
      const contents = `const loaded = { exports: {} };
        require('node:vm').compileFunction(${code}, ['module', 'exports', 'require'])(loaded, loaded.exports, require);
        module.exports = loaded.exports.default ?? loaded.exports;`;
      return { contents };
    });
  },
};

const settings = {
  write: false,
  bundle: true,
  minify: true,
  platform: 'node',
  // A module of Node is loaded when the code that needs it runs, and not at the start as in ES modules.
  format: 'cjs',
  target: 'node20',
  logLevel: 'warning',
} as const;

/** The whole command line as one file, so that a start reads one file. Only the keyring's native module stays outside. */
export async function bundleCli(): Promise<Buffer> {
  const { outputFiles } = await build({
    ...settings,
    entryPoints: [`${import.meta.dirname}/src/main.ts`],
    conditions: ['@holdfast/source'],
    external: ['@napi-rs/keyring'],
    define: { HOLDFAST_VERSION: JSON.stringify(manifest.version) },
    plugins: [withoutSubprograms, asText],
  });
  return Buffer.concat(outputFiles.map(({ contents }) => contents));
}
