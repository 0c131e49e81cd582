import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isInstalled, printed, printer, type Run } from './world.ts';

/** systemd checks the unit; then its command runs with the environment that the unit describes. */
const runUnit: Run = async (text, world, skip) => {
  const credentials = join(world.home, 'credentials');
  world.file('credentials/holdfast', world.token, 0o600);
  const server = world.file('srv/server.js', printer);
  const unit = world
    .fill(text)
    .replace('/usr/local/bin/holdfast', join(world.home, '.local/bin/holdfast'))
    .replace('/usr/bin/node', process.execPath)
    .replace('/srv/web-shop/server.js', server);
  const linesOf = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.+)$`, 'gm'))].map(match => match[1] ?? '');
  const assignments = linesOf('Environment').flatMap(line => line.replaceAll('%d', credentials).split(' '));
  const env = Object.fromEntries(
    assignments.map(one => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
  );

  expect(linesOf('LoadCredential')).toEqual(['holdfast:/etc/holdfast/token']);
  expect(await world.shell(`exec ${linesOf('ExecStart')[0]}`, env)).toBe(printed);
  if (!isInstalled('systemd-analyze')) return skip('systemd-analyze is not installed');
  const path = world.file('web-shop.service', unit);
  expect(await world.shell(`systemd-analyze verify ${path} 2>&1 | grep web-shop.service || true`)).toBe('');
};

const install: Run = async (text, world) => {
  const home = join(world.home, 'fresh');
  world.file('fresh/.profile', '');
  await world.shell(world.fill(text), { HOME: home });

  expect(statSync(join(home, '.local/bin/holdfast')).mode & 0o111).not.toBe(0);
};

const logIn: Run = async (text, world) => {
  world.file('work/token', world.token);
  await world.shell(world.fill(text));

  expect(await world.shell('holdfast whoami')).toContain('@');
  expect(existsSync(join(world.home, 'work/token'))).toBe(false);
};

const runCommands: Run = async (text, { file, shell }) => {
  file('web-shop/server.js', printer);
  expect(await shell(text)).toBe(printed);
};

const runCronLine: Run = async (text, { home, file, shell }) => {
  const [, command = ''] = /^(?:\S+ ){5}(.+)$/.exec(text.trim()) ?? [];
  file('web-shop/report.sh', `#!/bin/sh\nprintf %s "$DATABASE_URL" >reported\n`, 0o755);
  // As cron starts it.
  await shell(command, { PATH: '/usr/bin:/bin', SHELL: '/bin/sh' }, { command: ['/bin/sh'], cwd: home });
  expect(await shell('cat ~/web-shop/reported')).toContain('db.internal');
};

export const systemd = [runUnit];
export const machine = [install, logIn, runCommands, runCronLine];
