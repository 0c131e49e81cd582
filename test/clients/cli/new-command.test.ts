import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const [, sample = ''] = /## Add a command\n[\s\S]*?^```ts\n([\s\S]*?)^```$/m.exec(
  readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'),
) as string[];

/** A copy of the folder that has the sample of CONTRIBUTING.md as one more file. */
let copy: string;
let cli: string;

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'holdfast-command-'));
  cli = join(copy, 'clients/cli');
  cpSync(join(root, 'clients/cli'), cli, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(join(copy, 'docs'));
  writeFileSync(join(cli, 'src/commands/greet.ts'), sample);
  await run(process.execPath, [join(cli, 'build.ts'), join(copy, 'holdfast.cjs')]);
}, 60_000);
afterAll(() => rmSync(copy, { recursive: true }));

const holdfast = async (...words: string[]) =>
  (await run(process.execPath, [join(copy, 'holdfast.cjs'), ...words], { env: { HOME: copy } })).stdout;

describe('a new command', () => {
  it('is one file, which runs in the bundle', async () => {
    expect(await holdfast('greet', 'Ada', '--times', '2')).toBe('Hello Ada\nHello Ada\n');
    await expect(holdfast('greet', 'Ada', '--times', '99')).rejects.toMatchObject({ code: 2 });
    await expect(holdfast('greet')).rejects.toMatchObject({ code: 2 });
  });

  it('is in the help and in the completion', async () => {
    expect(await holdfast('--help')).toMatch(/Organize:[\s\S]* greet <name> +greet a person\n/);
    expect(await holdfast('greet', '--help')).toMatch(/--times <number> +how often \(default: 1\)[\s\S]*Example:/);
    expect(await holdfast('complete', '--', 'gr')).toContain('greet');
    expect(await holdfast('complete', '--', 'greet', 'Ada', '--ti')).toContain('--times');
  });

  it('is in the generated reference, which is otherwise unchanged', async () => {
    await run(process.execPath, ['--conditions=@holdfast/source', join(cli, 'write-reference.ts')]);
    const entry = [
      '### greet\n\nGreet a person.\n\n```sh\nholdfast greet Ada --times 2\n```\n',
      'Usage: `holdfast greet <name>`\n\n- `<name>`: name of the person\n- `--times <number>`: how often (default: 1)\n\n',
    ].join('\n');
    const page = readFileSync(join(copy, 'docs/command-line.md'), 'utf8');
    expect(page).toContain(entry);
    expect(page.replace(entry, '')).toBe(readFileSync(join(root, 'docs/command-line.md'), 'utf8'));
  });

  it('has the types of its arguments and options', async () => {
    mkdirSync(join(cli, 'src/wrong'));
    writeFileSync(join(cli, 'src/wrong/greet.ts'), sample.replace('repeat(times)', 'repeat(times.length)'));
    const config = { extends: join(root, 'tsconfig.json'), include: ['clients/cli/src'], exclude: [] };
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config));
    const compiler = join(root, 'node_modules/.bin/tsc');
    const { stdout } = await run(compiler, ['--typeRoots', join(root, 'node_modules/@types')], { cwd: copy }).catch(
      error => error,
    );
    expect(stdout.match(/^\S+\.ts.+$/gm)).toEqual([
      expect.stringMatching(/^clients\/cli\/src\/wrong\/greet\.ts.+'length' does not exist on type 'number'/),
    ]);
  }, 120_000);
});

describe('the existing commands', () => {
  it('are in files of their names', () => {
    const files = readdirSync(join(root, 'clients/cli/src/commands'));
    const page = readFileSync(join(root, 'docs/command-line.md'), 'utf8');
    const names = [...page.matchAll(/^### (\S+)$/gm)].map(([, name]) => `${name}.ts`);
    expect(files.toSorted()).toEqual(names.filter(name => name !== 'completion.ts').toSorted());
  });
});
