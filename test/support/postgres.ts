import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';

/** Where Debian has the programs of the server, which are not on the PATH. */
const [debian] = globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed();
const path = [process.env.PATH, debian].filter(Boolean).join(':');
/** PostgreSQL refuses to run as root. Any other user will do. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export async function hasPostgres(): Promise<boolean> {
  const found = ['initdb', 'postgres', 'psql'].map(program =>
    promisify(execFile)(program, ['--version'], { env: { PATH: path } }),
  );
  return (await Promise.allSettled(found)).every(({ status }) => status === 'fulfilled');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** A real server on loopback, with an administrator of the name and password `admin`. */
export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-postgres-'));
  if (unprivileged.uid !== undefined) chownSync(folder, unprivileged.uid, unprivileged.gid);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, 'admin', { mode: 0o644 });
  const [data, port] = [join(folder, 'data'), await freePort()];
  const options = { env: { PATH: path, LC_ALL: 'C' }, cwd: folder, ...unprivileged };
  const initial = ['-D', data, '-U', 'admin', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--no-sync'];
  await promisify(execFile)('initdb', initial, options);
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'log_min_messages=fatal'];
  const server = spawn('postgres', ['-D', data, '-p', String(port), ...settings.flatMap(one => ['-c', one])], {
    ...options,
    stdio: 'ignore',
  });
  const ended = once(server, 'exit');
  const variables = { PATH: path, PGHOST: '127.0.0.1', PGPORT: String(port), PGDATABASE: 'postgres' };
  const psql = async (user: string, password: string, command: string) => {
    const env = { ...variables, PGUSER: user, PGPASSWORD: password, PGCONNECT_TIMEOUT: '10' };
    return (
      await promisify(execFile)('psql', ['-XqwAt', '-v', 'ON_ERROR_STOP=1', '-c', command], { env })
    ).stdout.trim();
  };
  const sql = (command: string) => psql('admin', 'admin', command);
  await eventually(() => sql('SELECT'));
  return {
    /** For psql, with the PATH on which it is. */
    variables,
    sql,
    /** Whether the server lets a user in. @throws Error if it says anything but that the password is wrong */
    accepts: async (user: string, password: string): Promise<boolean> => {
      try {
        return (await psql(user, password, 'SELECT current_user')) === user;
      } catch (error) {
        if (String((error as { stderr?: string }).stderr).includes('password authentication failed')) return false;
        throw error;
      }
    },
    stop: async (): Promise<void> => {
      // An immediate shutdown, which waits for no connection.
      server.kill('SIGQUIT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
