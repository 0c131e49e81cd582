import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildDownloads } from '#clients/cli/build-downloads.ts';
import { shared } from '#test/support/fixtures.ts';
import { openAcme } from '../support/acme.ts';
import { createToken, startApi } from '../support/api.ts';
import { seedPerson } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { blocksOf, read } from './pages.ts';

const page = read('docs/use/any-image.md');
const [install = '', download = '', run = '', ...others] = blocksOf(page, 'sh');
const [dockerfile = ''] = blocksOf(page, 'dockerfile');
const api = shared(() => startApi({}, undefined, undefined, buildDownloads()));
const ada = shared(seedPerson);
/** Of a machine without the command line. */
const machine = shared(() => {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-any-image-'));
  return { home, remove: () => rmSync(home, { recursive: true }) };
});

beforeAll(async () => {
  await openAcme(api, ada);
  const value = 'postgres://db.internal/shop';
  const set = api.put('/secrets/acme/web-shop/production', { key: 'DATABASE_URL', value }, ada.session);
  await expectStatus(set, 200, 201);
  writeFileSync(join(machine.home, 'token'), `${(await createToken(api, ada)).token}\n`);
});

/** Runs commands of the page against this service, as printed but for the address and the token's file. */
function shell(script: string) {
  const { home } = machine;
  const here = script
    .replaceAll('https://secrets.example.com', new URL(api.url).origin)
    .replaceAll('/run/secrets/holdfast', join(home, 'token'));
  const env = { PATH: `${join(machine.home, 'bin')}:${process.env.PATH}`, HOME: home };
  return promisify(execFile)('sh', ['-euc', here], { cwd: home, env });
}

describe('the page about any image', () => {
  it('installs the command line', async () => {
    const { version } = JSON.parse(read('package.json'));
    const { stdout } = await shell(install);
    expect(stdout.split('\n').at(-2)).toBe(version);
  });

  it('installs one that signs in and reads without the system’s keyring', async () => {
    const holdfast = '~/.local/bin/holdfast';
    const signedIn = await shell(`${holdfast} login --url https://secrets.example.com --with-token <token`);
    expect(signedIn.stderr).toContain('readable by you alone');
    const place = '--org acme --project web-shop --env production';
    expect((await shell(`${holdfast} get DATABASE_URL ${place}`)).stdout).toBe('postgres://db.internal/shop');
  });

  it('downloads run.sh and runs a command with it', async () => {
    expect(others).toEqual([]);
    await shell(download);
    expect(await shell(run)).toEqual({ stdout: 'postgres://db.internal/shop\n', stderr: '' });
  });

  it('has an image whose entry point is the script and gets the command', async () => {
    const instruction = (name: string) => new RegExp(`^${name} (.*)$`, 'm').exec(dockerfile)?.[1] ?? '';
    const [mode, address, target] = instruction('ADD').split(' ');
    expect([mode, target]).toEqual(['--chmod=755', '/usr/local/bin/run.sh']);
    mkdirSync(join(machine.home, 'bin'), { recursive: true });
    await shell(`curl -fsS -o bin/run.sh ${address}; chmod 755 bin/run.sh`);
    // Stands in for the image's own program.
    writeFileSync(join(machine.home, 'bin/java'), '#!/bin/sh\necho "$@" "$DATABASE_URL"\n', { mode: 0o755 });
    const command = ['ENTRYPOINT', 'CMD'].flatMap(name => JSON.parse(instruction(name)) as string[]).join(' ');
    const settings = run.split('\n').filter(line => line.startsWith('export '));
    const { stdout } = await shell([...settings, command].join('\n'));
    expect(stdout).toBe('-jar /app.jar postgres://db.internal/shop\n');
  });
});
