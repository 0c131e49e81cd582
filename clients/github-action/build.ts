import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import manifest from './package.json' with { type: 'json' };

/*
 * `npm run generate -- action`: the action as one file, which is committed because the runner installs nothing. It is not minified,
 * so that it can be read before it is trusted. `--check` fails if the committed file is not what the sources give.
 */
/** Parts of @actions/core that the action doesn't use, with an HTTP client and a way to start programs. */
const withoutUnused: Plugin = {
  name: 'without-unused',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@actions[\\/]core[\\/]lib[\\/]oidc-utils\.js$/ }, () => ({
      contents: 'export const OidcClient = undefined;',
    }));
    onLoad({ filter: /[\\/]@actions[\\/]core[\\/]lib[\\/]platform\.js$/ }, () => ({ contents: 'export {};' }));
  },
};

const { outputFiles } = await build({
  absWorkingDir: join(import.meta.dirname, '../..'),
  entryPoints: [join(import.meta.dirname, 'src/main.ts')],
  write: false,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  charset: 'utf8',
  conditions: ['@holdfast/source'],
  define: { HOLDFAST_VERSION: JSON.stringify(manifest.version) },
  plugins: [withoutUnused],
  logLevel: 'warning',
});
const text = outputFiles[0]?.text ?? '';
const isCheck = process.argv[2] === '--check';
const file = process.argv[isCheck ? 3 : 2] ?? join(import.meta.dirname, 'dist/index.js');

if (!isCheck) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write(`${file} is stale: run npm run generate -- action, and commit the result.\n`);
  process.exitCode = 1;
}
