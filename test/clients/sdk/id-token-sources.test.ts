import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runIdTokenCommand } from '#clients/sdk/src/id-token-command.ts';
import { idTokenSources, platformAssertion } from '#clients/sdk/src/index.ts';
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

const get = (variables: Record<string, string>) => platformAssertion(identity, variables).get();
const refusal = (variables: Record<string, string>): Promise<{ message: string }> =>
  failureOf((async () => get(variables))());

/** All variables of the sources that can be recognized, with values that tell which one was used. */
function allVariables(): Record<string, string> {
  const file = join(folder, 'token');
  writeFileSync(file, 'from-file');
  return {
    HOLDFAST_ID_TOKEN_COMMAND: 'echo from-command',
    HOLDFAST_ID_TOKEN: 'from-variable',
    HOLDFAST_ID_TOKEN_FILE: file,
    ACTIONS_ID_TOKEN_REQUEST_URL: 'http://127.0.0.1:2/',
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret',
  };
}

describe('the source of ID tokens', () => {
  it('is the first that is there if none is named: command, variable, file, github', async () => {
    const variables = allVariables();
    const used = [];
    for (const { needs, title } of Object.values(idTokenSources)) {
      if (needs.length === 0) continue;
      expect(platformAssertion(identity, variables).source).toBe(title);
      used.push(title === 'GitHub Actions' ? title : await get(variables));
      for (const name of needs) delete variables[name];
    }
    expect(used).toEqual(['from-command', 'from-variable', 'from-file', 'GitHub Actions']);
  });

  it('is never guessed to be a cloud', async () => {
    const aws = { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 's', AWS_REGION: 'eu-west-1' };
    expect((await refusal({ ...aws, GCE_METADATA_HOST: '127.0.0.1:2' })).message).toBe(
      'HOLDFAST_IDENTITY is set, but nothing provides its ID token: set HOLDFAST_ID_TOKEN_COMMAND to a command that prints the token, ' +
        'set HOLDFAST_ID_TOKEN to the token, set HOLDFAST_ID_TOKEN_FILE to the path of a file that contains the token, ' +
        'give the GitHub Actions job the permission id-token: write, set HOLDFAST_ID_TOKEN_SOURCE to aws on AWS ' +
        'or set HOLDFAST_ID_TOKEN_SOURCE to gcp on Google Cloud.',
    );
  });

  it.each(['command', 'variable', 'file'])('can be named: %s', async name => {
    expect(await get({ ...allVariables(), HOLDFAST_ID_TOKEN_SOURCE: name })).toBe(`from-${name}`);
  });

  it.each([
    ['command', 'HOLDFAST_ID_TOKEN_COMMAND', 'set HOLDFAST_ID_TOKEN_COMMAND to a command that prints the token.'],
    ['variable', 'HOLDFAST_ID_TOKEN', 'set HOLDFAST_ID_TOKEN to the token.'],
    ['file', 'HOLDFAST_ID_TOKEN_FILE', 'set HOLDFAST_ID_TOKEN_FILE to the path of a file that contains the token.'],
    ['github', 'ACTIONS_ID_TOKEN_REQUEST_URL', 'give the GitHub Actions job the permission id-token: write.'],
  ])('that is named but not there is an error: %s', async (name, missing, remedy) => {
    const variables: Record<string, string> = { ...allVariables(), HOLDFAST_ID_TOKEN_SOURCE: name };
    for (const needed of idTokenSources[name as 'command'].needs) variables[needed] = '';
    const message = `HOLDFAST_ID_TOKEN_SOURCE is ${name}, but ${missing} is not set: ${remedy}`;
    expect((await refusal(variables)).message).toBe(message);
  });

  it('that does not exist is an error which lists those that do, without quoting the variable', async () => {
    for (const name of ['azure', 'constructor', 'AWS']) {
      expect((await refusal({ ...allVariables(), HOLDFAST_ID_TOKEN_SOURCE: name })).message).toBe(
        'HOLDFAST_ID_TOKEN_SOURCE names no source: set it to command, variable, file, github, aws or gcp.',
      );
    }
  });

  it('must provide something that can be a token, which is never quoted', async () => {
    for (const text of ['line\nbreak', '<html>\n</html>', 'schlüssel']) {
      expect((await refusal({ HOLDFAST_ID_TOKEN: text })).message).toBe(
        'HOLDFAST_ID_TOKEN provided something other than a token: it must be one line of printable ASCII characters.',
      );
    }
  });
});

describe('a file', () => {
  it('is read again each time', async () => {
    const path = join(folder, 'projected');
    const assertion = platformAssertion(identity, { HOLDFAST_ID_TOKEN_FILE: path });
    writeFileSync(path, 'one\n');
    const one = await assertion.get();
    writeFileSync(path, 'two\n');

    expect([one, await assertion.get(), assertion.isAlwaysNew]).toEqual(['one', 'two', false]);
  });

  it('that can’t be read is named', async () => {
    expect((await refusal({ HOLDFAST_ID_TOKEN_FILE: '/nowhere/token' })).message).toBe(
      '/nowhere/token could not be read (ENOENT): set HOLDFAST_ID_TOKEN_FILE to the path of a file that contains the token.',
    );
  });
});

describe('a command', () => {
  const run = (command: string, limitMs?: number) => {
    const variables = { PATH: process.env.PATH, HOLDFAST_ID_TOKEN_COMMAND: command };
    return runIdTokenCommand({ audience: 'holdfast:identity:i-1', variables }, limitMs);
  };
  const toPrint = 'set it to a command that prints the token.';

  it('runs in a shell, with the audience and without standard input', async () => {
    expect(await run('printf "%s|" "$HOLDFAST_AUDIENCE" | cat; cat; echo end')).toBe('holdfast:identity:i-1|end\n');
  });

  it.each([
    ['that fails', 'echo eyJ-secret; echo "no session" >&2; exit 3', 'ended with exit code 3'],
    ['that prints nothing', 'echo "no session" >&2', 'printed nothing'],
  ])('%s is reported with its standard error, and never with its standard output', async (_, command, problem) => {
    const { message } = await failureOf(run(command));
    expect(message).toBe(`HOLDFAST_ID_TOKEN_COMMAND ${problem}: ${toPrint}\nno session`);
  });

  it('is reported with the end of a long standard error', async () => {
    const { message } = await failureOf(run('yes filler | head -c 1000000 >&2; echo the reason >&2; exit 1'));
    expect(message).toMatch(/the reason$/);
    expect(message.length).toBeLessThan(2_200);
  });

  it('is ended with everything it started if it takes too long', async () => {
    const pids = join(folder, 'pids');
    const script = `sh -c 'sleep 600 & echo $! >> ${pids}; wait' & echo $! >> ${pids}; echo part; wait`;
    const { message } = await failureOf(run(script, 500));

    expect(message).toBe(`HOLDFAST_ID_TOKEN_COMMAND did not end within 0.5 seconds: ${toPrint}`);
    const started = readFileSync(pids, 'utf8').trim().split('\n');
    expect(started).toHaveLength(2);
    await expect.poll(() => started.filter(isRunning)).toEqual([]);
  });

  it('is ended if it prints without end', async () => {
    const { message } = await failureOf(run('yes eyJ-secret'));
    expect(message).toBe(`HOLDFAST_ID_TOKEN_COMMAND printed more than 65536 characters: ${toPrint}`);
  });

  it('that does not exist, or is ended by a signal, is reported', async () => {
    expect((await failureOf(run('no-such-program-here'))).message).toContain('ended with exit code 127: set it to');
    expect((await failureOf(run('kill -TERM $$'))).message).toContain('was ended by SIGTERM: set it to');
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

it('GitHub’s runner is asked for a token, without following a redirect or revealing a secret', async () => {
  const elsewhere = await untilEnd(startReceiver());
  let status = 302;
  const redirect = startReceiver(response => response.writeHead(status, { location: elsewhere.url }).end());
  const runner = await untilEnd(redirect);
  const assertion = platformAssertion(identity, {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${runner.url}/?a=b`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret',
  });
  const redirected = await failureOf(assertion.get());
  status = 503;
  const failed = await failureOf(assertion.get());

  expect(redirected).toMatchObject({ code: 'platform_token_unavailable', retryable: false });
  expect(failed).toMatchObject({ code: 'platform_token_unavailable', retryable: true });
  expect(redirected.message).toBe(
    'GitHub Actions returned no token (it answered 302): check that the job has the permission id-token: write.',
  );
  expect(String(redirected)).not.toContain('secret');
  expect(elsewhere.connections()).toBe(0);
  expect(runner.received[0]?.headers.authorization).toBe('Bearer secret');
  expect(runner.received[0]?.path).toBe(`/?a=b&audience=holdfast%3Aidentity%3A${identity}`);
});

describe('Google’s metadata server', () => {
  const flavor = { 'metadata-flavor': 'Google' };
  const gcp = (host: string) => ({ HOLDFAST_ID_TOKEN_SOURCE: 'gcp', GCE_METADATA_HOST: host });
  const start = (...answer: Parameters<typeof startReceiver>) => untilEnd(startReceiver(...answer));

  it('is asked for a token with the audience and all claims', async () => {
    const server = await start((response, { headers }) => {
      if (headers['metadata-flavor'] !== 'Google') return response.writeHead(403).end();
      return response.writeHead(200, flavor).end('google.id.token\n');
    });
    expect(await get(gcp(`127.0.0.1:${server.port}`))).toBe('google.id.token');
    expect(await get(gcp(server.url))).toBe('google.id.token');
    expect(server.received[0]?.path).toBe(
      '/computeMetadata/v1/instance/service-accounts/default/identity?audience=holdfast%3Aidentity%3Ai-1&format=full',
    );
    expect(platformAssertion(identity, gcp('x')).isAlwaysNew).toBe(false);
  });

  it('is asked again while a pod starts, and its problem is named if it stays', async () => {
    let ready = 0;
    const server = await start(response => {
      ready += 1;
      response.writeHead(ready === 2 ? 200 : 503, flavor).end('google.id.token');
    });
    const host = `127.0.0.1:${server.port}`;
    expect(await get(gcp(host))).toBe('google.id.token');
    expect((await refusal(gcp(host))).message).toBe(
      `Google’s metadata server at ${host} returned no token (it answered 503): run this on Google Cloud with a service account, or set another HOLDFAST_ID_TOKEN_SOURCE.`,
    );
    expect(server.received).toHaveLength(5);
  });

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

  it('must be Google’s, and must be there', async () => {
    const portal = await start(response => response.writeHead(200).end('sign.in.here'));
    for (const [host, problem] of [
      [`127.0.0.1:${portal.port}`, '(another server answered): run this'],
      ['127.0.0.1:2', '(ECONNREFUSED): run this on Google Cloud'],
      ['no host', '(GCE_METADATA_HOST is not a host): run this'],
    ] as const) {
      expect((await refusal(gcp(host))).message).toContain(problem);
    }
  });
});
