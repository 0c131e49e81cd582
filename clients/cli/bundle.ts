import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';
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
 * Packages that one command or two need, and what they need of them. The files of `yaml` for browsers are ES modules, of
 * which unused parts are left out.
 */
const neededRarely: Readonly<Record<string, { exports: string; platform: 'node' | 'browser' }>> = {
  yaml: { exports: '{ isAlias, isMap, isScalar, parseAllDocuments }', platform: 'browser' },
  '@bomb.sh/tab/commander': { exports: '{ default }', platform: 'node' },
};

/**
 * Our own modules that one command needs: the server of `mcp`, the sources of `import`, `sync`, and each of its targets,
 * with their libraries.
 */
export const ownOnDemand = /\/(?:mcp\/server|import\/sources\/read-export|sync\/(?:engine|targets\/[\w-]+))\.ts$/;

/** The errors of such a module are those of the command line, which knows them by their class. */
const sharedModule = { path: `${import.meta.dirname}/src/failure.ts`, name: 'holdfast:failure' } as const;

const shareFailures: Plugin = {
  name: 'share-failures',
  setup({ onResolve }) {
    onResolve({ filter: /\/failure\.ts$/ }, () => ({ path: sharedModule.name, external: true }));
  },
};

/** Begins the comment at the end of the bundle that has the compressed modules, each on a line after its name. */
const onDemandHead = '\n/* on demand\n';

/**
 * Keeps such a package or module as compressed text in a comment, and compiles it when a command imports it, so
 * that no other start parses it.
 * @param texts gets the lines of the comment
 */
const asText = (texts: Map<string, string>): Plugin => ({
  name: 'as-text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^holdfast:unpack$/ }, () => ({ path: 'unpack', namespace: 'unpack' }));
    onLoad({ filter: /./, namespace: 'unpack' }, () => ({ contents: unpack }));
    onResolve({ filter: /^[a-z@]/ }, ({ path, resolveDir }) =>
      Object.hasOwn(neededRarely, path) ? { path, namespace: 'package', pluginData: { resolveDir } } : undefined,
    );
    onResolve({ filter: ownOnDemand }, ({ path, resolveDir }) => ({ path: join(resolveDir, path), namespace: 'own' }));
    onLoad({ filter: /./, namespace: 'package' }, async ({ path, pluginData: { resolveDir } }) => {
      const { exports, platform } = neededRarely[path] as (typeof neededRarely)[string];
      const contents = `export ${exports} from ${JSON.stringify(path)};`;
      texts.set(path, await compressed({ platform, stdin: { contents, resolveDir } }));
      return {
        contents: `const loaded = require('holdfast:unpack').unpack(${JSON.stringify(path)}, require);
          module.exports = loaded.default ?? loaded;`,
      };
    });
    onLoad({ filter: /./, namespace: 'own' }, async ({ path }) => {
      const name = basename(path);
      texts.set(
        name,
        await compressed({
          entryPoints: [path],
          // The ES modules of the AWS SDK, of which unused parts are left out.
          conditions: ['@holdfast/source', 'module'],
          mainFields: ['module', 'main'],
          plugins: [shareFailures],
          // Code that is compiled from text can only `require`.
          supported: { 'dynamic-import': false },
        }),
      );
      const functions = [...readFileSync(path, 'utf8').matchAll(/^export (?:async )?function (\w+)/gm)];
      return {
        resolveDir: dirname(path),
        contents: `import * as shared from ${JSON.stringify(sharedModule.path)};
          import { unpack } from 'holdfast:unpack';
          const requireFrom = name => (name === '${sharedModule.name}' ? shared : require(name));
          export const { ${functions.map(([, one]) => one).join(', ')} } = unpack('${name}', requireFrom);`,
      };
    });
  },
});

/** Part of the bundle: finds a module in the file of the bundle, and compiles it. */
const unpack = `export function unpack(name, requireFrom) {
  const file = require('node:fs').readFileSync(__filename, 'latin1');
  const start = file.lastIndexOf('\\n' + name + ' ') + name.length + 2;
  const packed = Buffer.from(file.slice(start, file.indexOf('\\n', start)), 'base64');
  const code = require('node:zlib').brotliDecompressSync(packed).toString();
  const module = { exports: {} };
  const compiled = require('node:vm').compileFunction(code, ['module', 'exports', 'require']);
  compiled(module, module.exports, requireFrom);
  return module.exports;
}`;

/** @returns base64, which can't contain the end of a comment */
async function compressed(options: BuildOptions): Promise<string> {
  const { outputFiles = [] } = await build({ ...settings, ...options });
  // A higher quality takes many times as long, and saves a few hundredths.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return brotliCompressSync(outputFiles[0]?.contents ?? '', { params }).toString('base64');
}

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
  const texts = new Map<string, string>();
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
    plugins: [allCommands, withoutSubprograms, asText(texts)],
  });
  const lines = [...texts].toSorted().map(([name, text]) => `${name} ${text}\n`);
  const comment = `${onDemandHead}${lines.join('')}*/\n`;
  return Buffer.concat([shellHead(), ...outputFiles.map(({ contents }) => contents), Buffer.from(comment)]);
}
