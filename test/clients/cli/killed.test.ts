import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Environment, Holdfast } from '#clients/sdk/src/index.ts';
import { shared } from '#test/support/fixtures.ts';
import { type StartedStack, startStack } from '#test/support/npm-start.ts';
import { passTo } from '../relay.ts';
import { type ReceivedRequest, type ScriptedServer, startServer } from '../sdk/scripted-server.ts';
import { buildCli, variablesOf } from './cli.ts';

/* The service is killed in the middle of `push`. `npm run proof -- kills --full` uses 40 moments. */
const moments = Number(process.env.KILLS ?? 1);
let stack: StartedStack;
let relay: ScriptedServer;
let dataDir: string;
let settings: Record<string, string>;
let environment: Environment;
let variables: Record<string, string>;
/** What happens once a change is sent to the service, and whether its response is lost. */
let onChange: () => void = () => undefined;
let losesAnswer = false;
const cli = shared(buildCli);
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'holdfast-killed-'));
  settings = {
    AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoDbUrl'),
    TABLE_NAME: `test-${randomUUID()}`,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'ERROR',
  };
  stack = await startStack(settings);
  const post = async (path: string, body: unknown, cookie = '') => {
    const headers = { 'content-type': 'application/json', 'x-requested-with': 'service', cookie };
    const answer = await fetch(`${stack.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: answers of several operations
    return { answer, body: (await answer.json()) as any };
  };
  const ada = await post('/auth/register', { email: 'ada@example.com', password: 'an example of a pass phrase' });
  const cookie = ada.answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  await post(`/projects/${ada.body.organization.id}`, { name: 'Web Shop' }, cookie);
  const { token } = (await post('/auth/token', { name: 'test' }, cookie)).body;
  // The service has a new address after each start; the address of the relay stays.
  relay = await startServer((request, response) => {
    const isChange = request.path.endsWith('/changes') && !request.query.has('dryRun');
    if (isChange) onChange();
    void hand(request, response, isChange && losesAnswer);
  });
  const organization = ada.body.organization.slug;
  variables = variablesOf(relay.url, token, `${organization}/web-shop/dev`);
  environment = new Holdfast({ url: relay.url, token }).environment(organization, 'web-shop', 'dev');
});
afterAll(async () => {
  await relay.stop();
  await stack.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Forwards to the service and back. If the service is killed meanwhile, this breaks its connection too. */
async function hand(request: ReceivedRequest, response: ServerResponse, isLost: boolean): Promise<void> {
  const nowhere = { writeHead: () => nowhere, end: () => nowhere } as unknown as ServerResponse;
  try {
    await passTo(stack.url)(request, isLost ? nowhere : response);
    if (!isLost) return;
    await stack.kill();
  } catch {
    // The service was killed before it responded.
  }
  response.socket?.resetAndDestroy();
}

const valuesOf = (from: number, to: number, value: string) =>
  Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`K${String(from + index)}`, value]));
const now = async () => {
  const snapshot = await environment.pull();
  return { values: { ...snapshot.toObject() }, revision: snapshot.revision };
};
const old = valuesOf(100, 220, 'old');

/** The push creates, updates and deletes: three kinds of change in one revision. */
const push = async (file: string) => await cli.run(['push', file, '--prune', '--yes'], { env: variables });

it('a service that is killed in the middle of a push leaves all of it or nothing, and the next push works', async () => {
  const fileOf = (wanted: Record<string, string>) =>
    cli.file(
      '.env',
      Object.entries(wanted)
        .map(([key, value]) => `${key}=${value}\n`)
        .join(''),
    );
  const reset = async () => {
    const { values } = await now();
    const deleted = Object.keys(values).filter(key => !(key in old));
    await (await environment.plan({ set: old, delete: deleted })).apply();
    return (await now()).revision;
  };

  // How long an undisturbed change takes.
  const first = valuesOf(160, 300, 'first');
  await environment.import(old);
  let begun = 0;
  onChange = () => (begun = performance.now());
  expect(await push(fileOf(first))).toMatchObject({ code: 0 });
  const durationMs = performance.now() - begun;
  expect((await now()).values).toEqual(first);

  const seen = { made: 0, notMade: 0, unknown: 0 };
  for (let moment = 0; moment <= moments; moment += 1) {
    const wanted = valuesOf(160, 300, `new-${moment}`);
    const base = await reset();
    const file = fileOf(wanted);
    const delayMs = (durationMs * moment) / moments;
    let killed: Promise<void> | undefined;
    losesAnswer = moment === moments;
    onChange = () => {
      if (!losesAnswer) killed ??= new Promise(resolve => setTimeout(resolve, delayMs)).then(() => stack.kill());
    };
    const { code, stderr } = await push(file);
    onChange = () => undefined;
    losesAnswer = false;
    await killed;
    stack = await startStack(settings);

    const { values, revision } = await now();
    const isMade = revision === base + 1;
    expect({ moment, values, revision }).toEqual({
      moment,
      values: isMade ? wanted : old,
      revision: isMade ? base + 1 : base,
    });
    seen[isMade ? 'made' : 'notMade'] += 1;
    if (code === 0) expect(isMade).toBe(true);
    else {
      seen.unknown += 1;
      expect({ moment, code, stderr }).toMatchObject({
        code: 8,
        stderr: expect.stringMatching(
          /The change may have been applied, in full or not at all\.\nIt is safe to run the command again\. The previous revision was \d+\.\n$/,
        ),
      });
    }

    expect(await push(file)).toMatchObject({ code: 0 });
    expect(await now()).toEqual({ values: wanted, revision: base + 1 });
  }
  process.stderr.write(
    `killed ${moments + 1} times: made ${seen.made}, not made ${seen.notMade}, reported as not known ${seen.unknown}\n`,
  );
  expect(seen.made).toBeGreaterThan(0);
  expect(seen.notMade).toBeGreaterThan(0);
  expect(seen.unknown).toBeGreaterThan(0);
}, 600_000);
