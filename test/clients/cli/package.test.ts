import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { allCommands, ownOnDemand } from '#clients/cli/bundle.ts';
import { shared } from '#test/support/fixtures.ts';
import { installPacked, run } from '../packed.ts';
import { pullAnswer, startServer } from '../sdk/scripted-server.ts';
import { variablesOf } from './cli.ts';

const root = join(import.meta.dirname, '../../..');
const cli = join(root, 'clients/cli');

// Without the optional keyring; the package contains everything else.
const packed = shared(() => installPacked(cli, {}, '--omit=optional'));
const server = shared(() => startServer(pullAnswer(3, { GREETING: 'hello' })));
const inPackage = (path: string) => join(packed.project, 'node_modules/@holdfast/cli', path);

/** What only `sync` or `import` needs is compressed text in the bundle, and not part of what is parsed. */
const withoutOwnOnDemand: Plugin = {
  name: 'without-own-on-demand',
  setup({ onResolve }) {
    onResolve({ filter: ownOnDemand }, ({ path }) => ({ path, external: true }));
  },
};

async function holdfast(node: string, words: string[]) {
  const env = { PATH: process.env.PATH ?? '', HOME: packed.folder, ...variablesOf(server.url, 'service_tok_x') };
  return run(node, [inPackage('bin/holdfast.cjs'), ...words], { env, cwd: packed.project });
}

describe('the packed command line', () => {
  it('is one bundle, its launcher and its README, and depends only on the optional keyring', () => {
    expect(packed.files.toSorted()).toEqual(['README.md', 'bin/holdfast.cjs', 'dist/holdfast.cjs', 'package.json']);
    const manifest = JSON.parse(readFileSync(inPackage('package.json'), 'utf8'));
    expect(manifest.dependencies).toBeUndefined();
    expect(Object.keys(manifest.optionalDependencies)).toEqual(['@napi-rs/keyring']);
  });

  it('contains neither zod nor the AWS SDK, only what signs for AWS, and stays small', async () => {
    const { metafile } = await build({
      entryPoints: [join(cli, 'src/main.ts')],
      bundle: true,
      write: false,
      metafile: true,
      minify: true,
      platform: 'node',
      format: 'cjs',
      conditions: ['@holdfast/source'],
      external: ['@napi-rs/keyring'],
      plugins: [allCommands, withoutOwnOnDemand],
    });
    const packageOf = (path: string) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
    const packages = Object.keys(metafile.inputs).flatMap(path => packageOf(path) ?? []);
    expect([...new Set(packages)].toSorted()).toEqual(['@bomb.sh/tab', 'aws4fetch', 'commander', 'yaml']);
    const bytes = Object.values(metafile.outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .filter(([path]) => !['@bomb.sh/tab', 'yaml'].includes(packageOf(path) ?? ''))
      .reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
    // About 9,000 are for prompts and messages, 19,000 for first sessions and mistakes, 6,000 for the processes of `run`,
    // 8,000 for exports, deletions and rights in projects, 13,000 for proposals and access for an hour, 9,000 for what is
    // due, 2,000 for the options of `sync`, 12,000 for rotations, 3,000 for values that the service generates and for
    // `mcp`, 7,000 for plans of imports, 4,000 for Windows, and the rest reads dotenv text.
    expect(bytes).toBeLessThan(323_000);
    // The targets of `sync` have 290,000 of it, nearly all of that for AWS, the server of `mcp` 133,000, with zod and the
    // protocol's library, two packages 54,000, and `import` 19,000.
    expect(statSync(inPackage('dist/holdfast.cjs')).size).toBeLessThan(820_000);
  });

  it('keeps what few commands need in a comment, which no start has to parse', () => {
    const file = readFileSync(inPackage('dist/holdfast.cjs'), 'utf8');
    const [code = '', comment = ''] = file.split('\n/* on demand\n');
    const names = comment.split('\n').flatMap(line => /^(\S+) [A-Za-z0-9+/]+=*$/.exec(line)?.[1] ?? []);
    const own = [
      'aws-secrets-manager.ts',
      'aws-ssm.ts',
      'cloudflare.ts',
      'engine.ts',
      'github.ts',
      'kubernetes.ts',
      'read-export.ts',
      'server.ts',
      'vercel.ts',
    ];
    expect(names.toSorted()).toEqual(['@bomb.sh/tab/commander', 'yaml', ...own].toSorted());
    expect(code.length).toBeLessThan(322_000);
  });

  it('loads nothing slow before a command needs it', async () => {
    const hook = join(packed.folder, 'hook.cjs');
    writeFileSync(hook, "process.on('exit', () => process.stderr.write(process.moduleLoadList.join()));");
    const bundle = inPackage('dist/holdfast.cjs');
    for (const words of [['--version'], ['--help']]) {
      const { stderr } = await run(process.execPath, ['-r', hook, bundle, ...words], { cwd: packed.project });
      expect(stderr).toContain('NativeModule fs');
      expect(stderr.match(/NativeModule (?:crypto|child_process|http|https|readline|zlib)\b(?!\/)/g)).toBeNull();
    }
  });

  it('is what npx holdfast runs, here and where it is installed', async () => {
    const version = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8')).version;
    for (const cwd of [root, packed.project]) {
      expect((await run('npx', ['--no-install', 'holdfast', '--version'], { cwd })).stdout.trim()).toBe(version);
    }
  });

  it.each([20, 22, 24])(
    'runs on Node %i',
    async major => {
      const node = await packed.node(major);
      expect((await holdfast(node, ['pull'])).stdout).toBe('GREETING=hello\n');
      expect((await holdfast(node, ['run', 'sh', '-c', 'echo $GREETING $HOLDFAST_REVISION'])).stdout).toBe('hello 3\n');
      expect((await holdfast(node, ['--help'])).stdout).toContain('Secrets for people');
      await expect(holdfast(node, ['run', 'sh', '-c', 'exit 42'])).rejects.toMatchObject({ code: 42 });
    },
    240_000,
  );

  it.each(['bash', 'zsh', 'fish', 'powershell'])('completes commands and their options in %s', async shell => {
    const { stdout } = await holdfast(process.execPath, ['completion', shell]);
    expect(stdout).toContain('holdfast');
    const completed = await holdfast(process.execPath, ['complete', '--', 'pull', '--format', '']);
    expect(completed.stdout).toMatch(/^python-dotenv/m);
  });
});
