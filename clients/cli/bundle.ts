import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/**
 * Packages that one command or two need, and what they need of them, and a module of ours with all that only it needs.
 * Together they are most of the bundle. The files of `yaml` for browsers are ES modules, of which unused parts are left
 * out.
 */
const neededRarely: Readonly<Record<string, { exports: string; platform: 'node' | 'browser' }>> = {
  '../mcp/server.ts': { exports: '{ serve }', platform: 'node' },
  yaml: { exports: '{ isAlias, isMap, isScalar, parseAllDocuments }', platform: 'browser' },
  '@bomb.sh/tab/commander': { exports: '{ default }', platform: 'node' },
};

/**
 * Keeps such a package as a string, which is compiled when a command imports it. V8 has to parse the whole file at each
 * start, but it only skips over a string.
 */
const asText: Plugin = {
  name: 'as-text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z@.]/ }, ({ path, resolveDir }) =>
      Object.hasOwn(neededRarely, path) ? { path, namespace: 'as-text', pluginData: { resolveDir } } : undefined,
    );
    onLoad({ filter: /./, namespace: 'as-text' }, async ({ path, pluginData: { resolveDir } }) => {
      const { exports, platform } = neededRarely[path] as (typeof neededRarely)[string];
      const { outputFiles } = await build({
        ...settings,
        platform,
        stdin: { contents: `export ${exports} from ${JSON.stringify(path)};`, resolveDir },
      });
      const code = JSON.stringify(outputFiles[0]?.text);
      const contents = `const loaded = { exports: {} };
        require('node:vm').compileFunction(${code}, ['module', 'exports', 'require'])(loaded, loaded.exports, require);
        module.exports = loaded.exports.default ?? loaded.exports;`;
      return { contents };
    });
  },
};

/** Replaces `command-list.ts`, which reads the folder `commands` at each start, by an import of each of its files. */
export const allCommands: Plugin = {
  name: 'all-commands',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]command-list\.ts$/ }, ({ path }) => {
      const resolveDir = dirname(path);
      const files = readdirSync(join(resolveDir, 'commands'));
      const imports = files.map((file, index) => `import command${index} from './commands/${file}';`);
      const list = files.map((_, index) => `command${index}`);
      return { contents: `${imports.join('\n')}\nexport const commands = [${list.join(', ')}];`, resolveDir };
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
  charset: 'utf8',
  logLevel: 'warning',
} as const;

/** The script that a shell runs before Node. It begins the launcher too. */
function shellHead(): Buffer {
  const launcher = readFileSync(`${import.meta.dirname}/bin/holdfast.cjs`, 'utf8');
  return Buffer.from(launcher.slice(0, launcher.indexOf('\n*/\n') + 4));
}

/**
 * The whole command line as one program, so that a start reads one file. Only the keyring's native module stays outside.
 */
export async function bundleCli(): Promise<Buffer> {
  const { outputFiles } = await build({
    ...settings,
    entryPoints: [`${import.meta.dirname}/src/main.ts`],
    conditions: ['@holdfast/source'],
    external: ['@napi-rs/keyring'],
    define: { HOLDFAST_VERSION: JSON.stringify(manifest.version) },
    // Only commander names members like this: its private ones, of which no string speaks.
    mangleProps: /^_[a-z]/,
    // Strict once for the whole file, instead of in each module.
    banner: { js: '"use strict";' },
    tsconfigRaw: { compilerOptions: { alwaysStrict: false } },
    plugins: [allCommands, withoutSubprograms, asText],
  });
  return Buffer.concat([shellHead(), ...outputFiles.map(({ contents }) => contents)]);
}
