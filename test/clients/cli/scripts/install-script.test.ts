import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildDownloads, type Downloads } from '#clients/cli/build-downloads.ts';
import { dashboardHeaders } from '#infra/plan/dashboard-headers.ts';
import { startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { startServer } from '../../sdk/scripted-server.ts';
import { pathOf, type Shell, shells } from './image.ts';

const root = join(import.meta.dirname, '../../../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const tools = ['mkdir', 'mktemp', 'chmod', 'mv', 'rm', 'env', 'cat'];
let downloads: Downloads;
let origin: string;
let home: string;
let served: Buffer | undefined;
const api = shared(() => startApi({}, undefined, undefined, buildDownloads()));
/** A machine's own copy of the bytes that the origin serves may differ. */
const other = shared(() =>
  startServer((_, response) => response.writeHead(served === undefined ? 404 : 200).end(served)),
);
beforeAll(async () => {
  downloads = await buildDownloads();
  origin = new URL(api.url).origin;
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-install-'));
  other.requests.length = 0;
  served = undefined;
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const installerOf = (url = origin) => downloads(url).get('/install.sh')?.toString() ?? '';

function folderOf(programs: readonly string[]): string {
  const folder = mkdtempSync(join(home, 'bin-'));
  for (const program of programs)
    symlinkSync(program === 'node' ? process.execPath : (pathOf(program) ?? ''), join(folder, program));
  return folder;
}

/** Pipes the script into the shell. The servers are in this process, which therefore must not wait for it. */
function install(
  { command: [program = '', ...flags] }: Shell,
  words: readonly string[],
  { script = installerOf(), programs = [...tools, 'node', 'curl'], path = folderOf(programs) } = {},
) {
  const child = spawn(pathOf(program) ?? '', [...flags, '-s', '--', ...words], {
    cwd: home,
    env: { PATH: path, HOME: home },
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(script);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', chunk => (stdout += chunk));
  child.stderr.on('data', chunk => (stderr += chunk));
  return new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', status => resolve({ status, stdout, stderr }));
  });
}

/** What `command` prints, without any program of this machine but Node. */
function runInstalled(path: string, words: readonly string[]) {
  const env = { PATH: folderOf(['node']), HOME: home };
  const { status, stdout, stderr } = spawnSync(path, words, { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the local stack', () => {
  it.each(['/install.sh', '/run.sh'])('serves %s in its own version, for people to read', async path => {
    const response = await fetch(origin + path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    for (const [name, value] of Object.entries(dashboardHeaders)) expect(response.headers.get(name)).toBe(value);
    const text = await response.text();
    expect(text).toBe(downloads(origin).get(path)?.toString());
    expect(text).toContain(`Holdfast ${version}`);
  });

  it('serves the command line under a name that changes with it, and not as a script of pages', async () => {
    const [, path = ''] = /^path='(.*)'$/m.exec(installerOf()) ?? [];
    expect(path).toMatch(/^\/assets\/holdfast-[0-9a-f]{16}\.cjs$/);
    const response = await fetch(origin + path);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toBe('application/node');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(downloads(origin).get(path));
    expect(installerOf()).toContain(`origin='${origin}'\n`);
  });

  it('is never named by an address that a shell would interpret', () => {
    for (const address of [`https://a'b.example`, 'https://$(id).example', 'ftp://a.example', 'file:///etc']) {
      expect(() => downloads(address)).toThrow();
    }
    const address = 'https://secrets.example.com';
    expect(installerOf(`${address}/v1`)).toContain(`origin='${address}'\n`);
  });
});

describe.each(shells)('install.sh in $name', shell => {
  it('installs a holdfast that says the service’s version, and needs nothing but Node', async () => {
    const directory = join(home, "it's a bin");
    const lines = [
      `Installed holdfast ${version} as ${directory}/holdfast`,
      'Add its directory to your PATH:',
      `  export PATH="${directory}:$PATH"`,
      'Sign in:',
      `  holdfast login --url ${origin}\n`,
    ];
    expect(await install(shell, [directory])).toEqual({ status: 0, stdout: lines.join('\n'), stderr: '' });
    expect(readdirSync(directory)).toEqual(['holdfast']);
    expect(statSync(join(directory, 'holdfast')).mode & 0o777).toBe(0o755);
    const printed = { status: 0, stdout: `${version}\n`, stderr: '' };
    expect(runInstalled(join(directory, 'holdfast'), ['--version'])).toEqual(printed);
    expect(runInstalled(join(directory, 'holdfast'), ['run', 'true']).status).toBe(125);
  });

  it('installs into ~/.local/bin by default, over an older one, and without a hint if that is in PATH', async () => {
    const directory = join(home, '.local/bin');
    const path = `${folderOf([...tools, 'node', 'curl'])}:${directory}`;
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'holdfast'), 'older');
    const stdout = `Installed holdfast ${version} as ${directory}/holdfast\nSign in:\n  holdfast login --url ${origin}\n`;
    expect(await install(shell, [], { path })).toEqual({ status: 0, stdout, stderr: '' });
    expect(runInstalled(join(directory, 'holdfast'), ['--version']).stdout).toBe(`${version}\n`);
  });

  it('keeps its address as the user’s own, unless there are settings', async () => {
    const settings = join(home, '.config/holdfast/settings.json');
    for (const [before, after] of [
      [undefined, `{\n  "url": "${origin}"\n}\n`],
      ['{}', '{}'],
    ]) {
      if (before !== undefined) writeFileSync(settings, before);
      expect(await install(shell, ['bin'])).toMatchObject({ status: 0, stderr: '' });
      expect(readFileSync(settings, 'utf8')).toBe(after);
    }
  });

  it('takes a directory that is relative, and wget in place of curl', async () => {
    const withWget = await install(shell, ['tools'], { programs: [...tools, 'node', 'wget'] });
    expect(withWget).toMatchObject({ status: 0, stderr: '' });
    expect(runInstalled(join(home, 'tools/holdfast'), ['--version']).stdout).toBe(`${version}\n`);
  });

  it('installs nothing if the checksum is wrong, and leaves what is installed', async () => {
    writeFileSync(join(home, 'holdfast'), 'older');
    served = Buffer.from('#!/bin/sh\necho replaced\n');
    const wrong = installerOf().replace(/^sha256='.*'$/m, `sha256='${'0'.repeat(64)}'`);
    for (const script of [wrong, installerOf(other.url)]) {
      const { status, stdout, stderr } = await install(shell, [home], { script });
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        /^install\.sh: The SHA-256 of \S+ is not [0-9a-f]{64} but [0-9a-f]{64}\.\nNothing was installed\.\n$/,
      );
      expect(readdirSync(home).filter(name => !name.startsWith('bin-'))).toEqual(['holdfast']);
      expect(readFileSync(join(home, 'holdfast'), 'utf8')).toBe('older');
    }
  });

  it.each([
    ['the download fails', ['node', 'curl'], /can't be downloaded\.\nNothing was installed/],
    ['neither curl nor wget is there', ['node'], /can't be downloaded\.\nNothing was installed/],
    ['there is no Node', ['curl'], /needs Node 20 or newer, and here is no Node\.\nWithout it, \S+\/run\.sh runs/],
  ])('installs nothing if %s', async (_, programs, message) => {
    const options = { script: installerOf(other.url), programs: [...tools, ...programs] };
    const { status, stderr } = await install(shell, ['new'], options);
    expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(existsSync(join(home, 'new/holdfast'))).toBe(false);
  });

  it('installs nothing where it could not run: with an old Node, in a package of modules, over a directory', async () => {
    const path = folderOf([...tools, 'curl']);
    writeFileSync(join(path, 'node'), `#!${pathOf('sh')}\necho v18.20.4\n`);
    chmodSync(join(path, 'node'), 0o755);
    expect((await install(shell, ['new'], { path })).stderr).toContain('needs Node 20 or newer, and here is v18.20.4.');
    writeFileSync(join(home, 'package.json'), '{"type": "module"}');
    const inPackage = await install(shell, ['new']);
    expect(inPackage).toMatchObject({ status: 1, stderr: expect.stringContaining('"type": "module"') });
    rmSync(join(home, 'package.json'));
    mkdirSync(join(home, 'taken/holdfast'), { recursive: true });
    const taken = await install(shell, ['taken']);
    expect(taken).toMatchObject({ status: 1, stderr: expect.stringContaining('is a directory') });
    expect([...readdirSync(join(home, 'new')), ...readdirSync(join(home, 'taken/holdfast'))]).toEqual([]);
    expect(await install(shell, ['--help'])).toMatchObject({ status: 1, stderr: expect.stringContaining('Usage') });
  });

  it('does nothing if only a part of it arrives, wherever it ends', async () => {
    served = Buffer.from('x');
    const script = installerOf(other.url);
    const lastLine = script.trimEnd().lastIndexOf('\n') + 1;
    const ends = [...script.matchAll(/\n/g)].map(({ index }) => index).filter(index => index < lastLine);
    for (let end = lastLine; end < script.trimEnd().length; end += 1) ends.push(end);
    const path = folderOf([...tools, 'node', 'curl']);
    const before = readdirSync(home);
    for (const end of ends) await install(shell, ['new'], { script: script.slice(0, end), path });

    expect(ends.length).toBeGreaterThan(80);
    expect([other.requests.length, readdirSync(home)]).toEqual([0, before]);
    await install(shell, ['new'], { script, path });
    expect(other.requests.length).toBe(1);
  });
});
