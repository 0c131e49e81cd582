import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runIdTokenCommand } from '#clients/sdk/src/id-token-command.ts';
import { platformAssertion } from '#clients/sdk/src/index.ts';
import { untilEnd } from '#test/support/fixtures.ts';
import { isRunning } from '#test/support/is-running.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { failureOf } from './variables.ts';

const identity = 'i-1';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-sources-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/* What the sources do alike in each SDK is in the cases that both pass. */

it.each([
  ['a command', { HOLDFAST_ID_TOKEN_COMMAND: 'true' }, 'HOLDFAST_ID_TOKEN_COMMAND', false],
  ['a file', { HOLDFAST_ID_TOKEN_FILE: 'token' }, 'HOLDFAST_ID_TOKEN_FILE', false],
  ['GitHub', { ACTIONS_ID_TOKEN_REQUEST_URL: 'x', ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'x' }, 'GitHub Actions', true],
  ['AWS', { HOLDFAST_ID_TOKEN_SOURCE: 'aws' }, 'AWS STS', true],
  ['Google', { HOLDFAST_ID_TOKEN_SOURCE: 'gcp' }, 'Google’s metadata server', false],
])('%s is named as the source, with whether its tokens are always new', (_, variables, source, isAlwaysNew) => {
  expect(platformAssertion(identity, variables)).toMatchObject({ source, isAlwaysNew });
});

describe('a command', () => {
  const run = (command: string, limitMs?: number) => {
    const variables = { PATH: process.env.PATH, HOLDFAST_ID_TOKEN_COMMAND: command };
    return runIdTokenCommand({ audience: 'holdfast:identity:i-1', variables }, limitMs);
  };
  const toPrint = 'set it to a command that prints the token.';

  it('is ended with everything it started if it takes too long', async () => {
    const pids = join(folder, 'pids');
    const script = `sh -c 'sleep 600 & echo $! >> ${pids}; wait' & echo $! >> ${pids}; echo part; wait`;
    const { message } = await failureOf(run(script, 500));

    expect(message).toBe(`HOLDFAST_ID_TOKEN_COMMAND did not end within 0.5 seconds: ${toPrint}`);
    const started = readFileSync(pids, 'utf8').trim().split('\n');
    expect(started).toHaveLength(2);
    await expect.poll(() => started.filter(isRunning)).toEqual([]);
  });

  it('leaves no listener behind', async () => {
    const count = () => ['SIGINT', 'SIGTERM', 'SIGHUP'].map(name => process.listenerCount(name));
    const before = count();
    await run('echo token');
    await failureOf(run('exit 1'));
    expect(count()).toEqual(before);
  });

  it('is not run before its token is needed', () => {
    const path = join(folder, 'ran');
    platformAssertion(identity, { HOLDFAST_ID_TOKEN_COMMAND: `touch ${path}` });
    expect(existsSync(path)).toBe(false);
  });
});

describe('Google’s metadata server', () => {
  const flavor = { 'metadata-flavor': 'Google' };
  const gcp = (host: string) => ({ HOLDFAST_ID_TOKEN_SOURCE: 'gcp', GCE_METADATA_HOST: host });
  const start = (...answer: Parameters<typeof startReceiver>) => untilEnd(startReceiver(...answer));

  it('is asked directly, even if a proxy is set for every request of the process', async () => {
    const server = await start(response => response.writeHead(200, flavor).end('google.id.token'));
    const proxy = await start();
    const sdk = join(import.meta.dirname, '../../../clients/sdk/src/index.ts');
    const script = `import(${JSON.stringify(sdk)}).then(async sdk => {
      process.stdout.write(await sdk.platformAssertion('i-1').get());
      await fetch(${JSON.stringify(server.url)}, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);
      process.exit();
    })`;
    const proxied = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url, http_proxy: proxy.url };
    const env = { ...gcp(`127.0.0.1:${server.port}`), ...proxied };
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env });
    expect([stdout, server.received.length]).toEqual(['google.id.token', 1]);
    // The other request shows that the proxy was set.
    expect(proxy.connections()).toBeGreaterThan(0);
  });
});
