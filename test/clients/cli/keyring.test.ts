import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { shared } from '#test/support/fixtures.ts';
import { json, startServer } from '../sdk/scripted-server.ts';
import { buildCli } from './cli.ts';

const missing = ['dbus-run-session', 'gnome-keyring-daemon'].filter(
  command => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0,
);
if (missing.length > 0) process.stderr.write(`SKIPPED: the keyring, for ${missing.join(' and ')} are not installed\n`);

const cli = shared(buildCli);
const server = shared(() =>
  startServer((request, response) => {
    const user = { id: 'u', email: `${request.headers.authorization}@example.com` };
    json(200, { user, organizations: [], authentication: { method: 'token' } })(request, response);
  }),
);
beforeAll(() => {
  // The place where the bundle looks for the optional package.
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(cli.home, 'node_modules'));
});

async function inSession(script: string, keyring: string): Promise<{ stdout: string; stderr: string }> {
  const file = cli.file(
    'session.sh',
    `${keyring}\nholdfast() { ${process.execPath} ${cli.bundle} "$@"; }\n${script}\n[ -z "$daemon" ] || kill "$daemon"\n`,
  );
  const env = { PATH: process.env.PATH ?? '', HOME: cli.home };
  return await promisify(execFile)('dbus-run-session', ['--', 'bash', file], { env, cwd: cli.home });
}

const unlocked = `printf pw | gnome-keyring-daemon --foreground --unlock --components=secrets > /dev/null 2>&1 &
daemon=$!
for i in $(seq 50); do
  dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.GetNameOwner string:org.freedesktop.secrets > /dev/null 2>&1 && break
  sleep 0.1
done
sleep 0.5`;
const file = () => readFileSync(join(cli.home, cli.credentialsOf(server.url)), 'utf8');

describe.skipIf(missing.length > 0)('the system’s keyring', () => {
  it('stores the token instead of a file; logout removes it', async () => {
    const login = `printf a-token | holdfast login --with-token --url ${server.url}`;
    const signedIn = await inSession(
      `${login}; holdfast whoami; cat .config/holdfast/credentials/*; holdfast logout; holdfast whoami; echo "ended with $?"`,
      unlocked,
    );
    expect(signedIn.stderr).toContain('The token is stored in the system’s keyring.');
    expect(signedIn.stdout).toContain('Bearer a-token@example.com');
    expect(signedIn.stdout.replace('Bearer a-token', '')).not.toContain('a-token');
    expect(signedIn.stdout).toContain('ended with 3');
    expect(file).toThrow('ENOENT');
  });

  it('if unavailable, is replaced by a file that only the owner can read, and login says so', async () => {
    const login = `printf b-token | holdfast login --with-token --url ${server.url}`;
    const { stderr } = await inSession(login, 'unset DBUS_SESSION_BUS_ADDRESS');
    expect(stderr).toMatch(/The token is stored in \S+credentials\/\S+\.json, readable by you alone/);
    expect(file()).toContain('b-token');
  });
});
