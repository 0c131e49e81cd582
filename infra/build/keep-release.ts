import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { builtinModules } from './builtin-modules.ts';
import { bundleSettings } from './bundle.ts';

/*
 * `node infra/build/keep-release.ts <version> [checkout]` keeps the handlers of all functions as one compressed module,
 * `releases/<version>.mjs.br`, so that tests can run them on the table of later versions. Git history is not needed to
 * run them: it may be missing where the tests run.
 */

const root = join(import.meta.dirname, '../..');
const [version, checkout = root] = process.argv.slice(2);
if (version === undefined) throw new Error('Name the version: node infra/build/keep-release.ts 0.1.0 [checkout]');

const names = readdirSync(join(checkout, 'functions'), { recursive: true, encoding: 'utf8' })
  // The documentation is the same for everybody, and needs files of its own.
  .filter(file => file.endsWith('.ts') && !file.startsWith('system/'))
  .map(file => file.slice(0, -'.ts'.length))
  .toSorted();
const contents = [
  ...names.map((name, index) => `import { handler as handler${index} } from './functions/${name}.ts';`),
  `export const handlers = { ${names.map((name, index) => `'${name}': handler${index}`).join(', ')} };`,
].join('\n');
const { outputFiles } = await build({
  ...bundleSettings,
  // One module has all functions, so nothing is left out for one of them.
  alias: {},
  plugins: [builtinModules],
  absWorkingDir: checkout,
  stdin: { contents, resolveDir: checkout },
  write: false,
});
const module = outputFiles[0]?.contents ?? new Uint8Array();
const compressed = brotliCompressSync(module);
writeFileSync(join(root, 'releases', `${version}.mjs.br`), compressed);
console.log(`${names.length} functions of ${version}: ${(compressed.length / 1000).toFixed(0)} KB`);
