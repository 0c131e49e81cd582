import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDownloads } from '#clients/cli/build-downloads.ts';
import { type Api, createToken, startApi } from '../support/api.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/use/any-image.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(match => match[1] ?? '');
const [install = '', download = '', run = '', ...others] = blocks('sh');
const [dockerfile = ''] = blocks('dockerfile');

let api: Api;
let ada: Person;
let home: string;

beforeAll(async () => {
  api = await startApi({}, undefined, undefined, buildDownloads());
  ada = await seedPerson();
  const made = await expectStatus(api.post('/orgs', { name: 'Acme', slug: 'acme' }, ada.session), 201);
  const orgId = made.body.organization.id;
  await expectStatus(api.post(`/projects/${orgId}`, { name: 'Web shop' }, ada.session), 201);
  const value = 'postgres://db.internal/shop';
  const set = api.put('/secrets/acme/web-shop/production', { key: 'DATABASE_URL', value }, ada.session);
  await expectStatus(set, 200, 201);
  home = mkdtempSync(join(tmpdir(), 'holdfast-any-image-'));
  writeFileSync(join(home, 'token'), `${(await createToken(api, ada)).token}\n`);
});
afterAll(async () => {
  rmSync(home, { recursive: true });
  await api.stop();
});

/** Runs commands of the page against this service, as printed but for the address and the token's file. */
function shell(script: string) {
  const here = script
    .replaceAll('https://secrets.example.com', new URL(api.url).origin)
    .replaceAll('/run/secrets/holdfast', join(home, 'token'));
  const env = { PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home };
  return promisify(execFile)('sh', ['-euc', here], { cwd: home, env });
}

describe('the page about any image', () => {
  it('installs the command line', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
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
    mkdirSync(join(home, 'bin'), { recursive: true });
    await shell(`curl -fsS -o bin/run.sh ${address}; chmod 755 bin/run.sh`);
    // Stands in for the image's own program.
    writeFileSync(join(home, 'bin/java'), '#!/bin/sh\necho "$@" "$DATABASE_URL"\n', { mode: 0o755 });
    const command = ['ENTRYPOINT', 'CMD'].flatMap(name => JSON.parse(instruction(name)) as string[]).join(' ');
    const settings = run.split('\n').filter(line => line.startsWith('export '));
    const { stdout } = await shell([...settings, command].join('\n'));
    expect(stdout).toBe('-jar /app.jar postgres://db.internal/shop\n');
  });
});
