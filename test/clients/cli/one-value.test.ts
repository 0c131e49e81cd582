import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { valueIn } from '#clients/cli/src/one-value.ts';
import { failure } from './cli.ts';
import { pathOf } from './scripts/image.ts';
import { useShop } from './shop.ts';

const { cli, environment, valuesIn: pull, holdfast } = useShop();

const shell = (line: string): Promise<{ status: number | null; stdout: string; stderr: string }> =>
  new Promise(resolve => {
    const run = `holdfast() { '${process.execPath}' '${cli.bundle}' "$@"; }; ${line}`;
    const variables = { PATH: process.env.PATH ?? '', HOME: cli.home, HOLDFAST_KEYRING: 'off', ...environment };
    const child = execFile('sh', ['-c', run], { cwd: cli.home, env: variables }, (_, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    );
  });

const pem = '-----BEGIN KEY-----\nabc\n-----END KEY-----\n';

describe('set', () => {
  it('takes no input for an empty value only with --allow-empty', async () => {
    await holdfast(['set', 'A'], 'kept');
    cli.file('empty', '');
    cli.file('mark', '\ufeff');
    const nothing = ['</dev/null', '<&-', '<empty', '--from-file empty', '--from-file mark', '--exact </dev/null'];
    const lines = nothing.map(input => `holdfast set A ${input}`);
    for (const line of ['false | holdfast set A', 'echo | holdfast set A', ...lines]) {
      const { status, stderr } = await shell(line);
      expect([line, status]).toEqual([line, 2]);
      expect(stderr).toMatch(/no value for A: .* is empty\.\n.*--allow-empty/);
    }
    expect(await pull()).toEqual({ A: 'kept' });
    expect((await shell('holdfast set A --allow-empty </dev/null')).status).toBe(0);
    expect(await pull()).toEqual({ A: '' });
  });

  it.each([
    ['one line', {}, 'a\n', 'a'],
    ['one line with CRLF', {}, 'a\r\n', 'a'],
    ['several lines', {}, pem, pem],
    ['several lines with CRLF', {}, 'a\r\nb\r\n', 'a\r\nb\r\n'],
    ['two line breaks', {}, 'a\n\n', 'a\n\n'],
    ['a mark', {}, '\ufeffa\n', 'a'],
    ['--exact', { exact: true }, '\ufeffa\n', '\ufeffa\n'],
    ['--from-file -', { fromFile: '-' }, '\ufeffa\n', 'a\n'],
    ['--from-file - --exact', { fromFile: '-', exact: true }, '\ufeffa\n', '\ufeffa\n'],
    ['a NUL character', {}, 'a\0b', 'a\0b'],
  ])('keeps every byte but one final line break of one line and a mark: %s', (_, flags, input, value) => {
    const { changes, ...read } = valueIn('A', Buffer.from(input), 'Standard input', flags);
    expect(read).toEqual({ value });
    const dropsMark = input.startsWith('\ufeff') && !value.startsWith('\ufeff');
    expect(changes.some(change => change.includes('byte order mark was left out'))).toBe(dropsMark);
    const dropsBreak = input.endsWith('\n') && !value.endsWith('\n');
    expect(changes.some(change => change.includes('final line break was left out'))).toBe(dropsBreak);
  });

  it('passes a value of several lines from get to set unchanged', async () => {
    await holdfast(['set', 'A', '--from-file', '-'], pem);
    expect((await shell('holdfast get A | holdfast set B')).status).toBe(0);
    await holdfast(['set', 'A', '--from-file', '-'], 'one line\n');
    expect((await shell('holdfast get A | holdfast set C --exact')).status).toBe(0);
    expect(await pull()).toEqual({ A: 'one line\n', B: pem, C: 'one line\n' });
  });

  it.skipIf(pathOf('ssh-keygen') === undefined)('keeps a private key that OpenSSH accepts', async () => {
    mkdirSync(`${cli.home}/keys`, { mode: 0o700 });
    expect((await shell("ssh-keygen -q -t ed25519 -N '' -f keys/id")).status).toBe(0);
    expect((await shell('cat keys/id | holdfast set K && (umask 077; holdfast get K >keys/copy)')).status).toBe(0);
    const copy = await shell('ssh-keygen -y -f keys/copy | cut -d" " -f1,2');
    expect(copy.stdout).toBe((await shell('cut -d" " -f1,2 keys/id.pub')).stdout);
  });

  it('refuses UTF-16 with and without a mark, as push does', async () => {
    for (const text of [Buffer.from('\ufeffA=1\n', 'utf16le'), Buffer.from('A=1\n', 'utf16le')]) {
      for (const bytes of [text, Buffer.from(text).swap16()]) {
        expect(() => valueIn('A', bytes, 'key.txt', {})).toThrow('key.txt is not UTF-8.');
      }
    }
    for (const [command, argument] of Object.entries({ set: 'A', push: '-' })) {
      const ended = await holdfast([command, argument], Buffer.from('A=1\n', 'utf16le'));
      expect(ended).toEqual(failure(1, 'looks like UTF-16'));
    }
    expect(await pull()).toEqual({});
  });

  it('says what can’t be seen in a new value, as push does, but never the value', async () => {
    const { stderr, code } = await holdfast(['set', 'A'], '\ufeffhid\0den \n');
    expect(code).toBe(0);
    expect(stderr).toMatch(/A: the value ends with white space, contains a NUL character, so it can never be/);
    expect(stderr).toMatch(/A: a byte order mark was left out.*\nA: the final line break was left out/);
    expect(stderr).not.toContain('hid');
    const pushed = await holdfast(['push', '-'], '\ufeffC=plain\nD=“quoted”\n');
    expect(pushed.stderr).toMatch(/byte order mark was left out.\nD: the value contains typographic quotes\.\n/);
    expect(pushed.stderr).not.toMatch(/^C:|quoted/m);
  });
});

it('deleting without a terminal takes --yes for push --prune and restore, and not for a plan that deletes nothing', async () => {
  await holdfast(['push', '-'], 'A=1\n');
  await holdfast(['push', '-'], 'B=1\n');
  for (const line of ['push - --prune', 'push - --prune --no-input', 'restore 1']) {
    expect(await holdfast(line.split(' '), 'A=1\n')).toEqual(failure(2, 'would delete B. Nothing was changed'));
  }
  expect(await pull()).toEqual({ A: '1', B: '1' });
  expect((await holdfast(['push', '-', '--prune', '--dry-run'], 'A=1\n')).code).toBe(0);
  expect((await holdfast(['restore', '1', '--yes'])).code).toBe(0);
  expect(await pull()).toEqual({ A: '1' });
  expect((await holdfast(['push', '-', '--prune'], 'A=2\n')).code).toBe(0);
  expect((await holdfast(['push', '-', '--prune', '--yes'], 'C=1\n')).code).toBe(0);
  expect(await pull()).toEqual({ C: '1' });
});

describe('run', () => {
  it('refuses arguments and inherited variables whose bytes it would change, by name', async () => {
    await holdfast(['set', 'A'], 'v');
    const latin1 = String.raw`"$(printf 'caf\351')"`;
    const argument = await shell(`holdfast run -- echo ok ${latin1}`);
    expect(argument).toEqual({ status: 125, stdout: '', stderr: expect.stringContaining('argument 2 of the command') });
    const variable = await shell(`PLACE=${latin1} OTHER=ok HOLDFAST_TOKEN_X=${latin1} holdfast run -- echo ok`);
    expect([variable.status, variable.stdout]).toEqual([125, '']);
    expect(variable.stderr).toMatch(/\n {2}the variable PLACE\n/);
    expect(variable.stderr).not.toMatch(/OTHER|TOKEN_X/);
  });

  it.skipIf(process.platform !== 'linux')('passes on a genuine replacement character', async () => {
    const { stdout, status } = await shell(
      "PLACE='\ufffd' holdfast run -- sh -c 'printf %s \"$PLACE$1\"' sh 'a\ufffd'",
    );
    expect([status, stdout]).toEqual([0, '\ufffda\ufffd']);
  });
});
