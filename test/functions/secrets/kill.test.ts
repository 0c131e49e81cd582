import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { clientOf, createToken, sessionOf } from '#test/support/api.ts';
import { scratchDirectory } from '#test/support/fixtures.ts';
import { type StartedStack, startStack } from '#test/support/npm-start.ts';
import { numbered } from '#test/support/numbered.ts';

const scratch = scratchDirectory();
let stack: Promise<StartedStack> | undefined;
const kill = async () => (await stack)?.kill();
afterAll(kill);

/** Starts the local stack on this test's data directory. Its JVM ends with it, however it ends. */
function start(): Promise<StartedStack> {
  stack = startStack({ HOME: scratch, LOG_LEVEL: 'SILENT', DATA_DIR: join(scratch, 'data') });
  return stack;
}

const names = (letter: string, count: number) => Object.keys(numbered(count, '', letter));
const kept = names('K', 334);
const halves = [names('A', 333), names('B', 333)] as const;

/** The content of the environment after change `number`: the permanent keys and one of two halves, alternating. */
const valuesAfter = (number: number, value: string): Record<string, string> =>
  Object.fromEntries([...kept, ...(halves[number % 2] ?? [])].map(key => [key, value]));

/** The change to that content: 1,000 sets and deletions. */
function changeTo(number: number, value: string) {
  const set = Object.entries(valuesAfter(number, value)).map(([key, one]) => ({ key, value: one }));
  return { set, delete: halves[(number + 1) % 2] ?? [] };
}

it('the whole system, killed during 1,000 sets and deletions while pulls continue has all of the change or nothing of it, ten times, and the next write works at once', async () => {
  let { url } = await start();
  const account = { email: 'ada@example.com', password: 'correct horse battery' };
  const registered = await clientOf(url).post('/auth/register', account);
  const session = sessionOf(registered);
  const token = await createToken(clientOf(url), { session });
  const { organization } = registered.body;
  const { project } = (await clientOf(url).post(`/projects/${organization.id}`, { name: 'Shop' }, token)).body;
  const call = (method: string, path: string, body?: unknown) => clientOf(url).call(method, path, { as: token, body });
  const path = `/secrets/${organization.slug}/${project.slug}/dev`;
  const imported = await call('POST', `${path}/bulk`, { secrets: valuesAfter(0, 'first') });
  expect(imported.body.revision).toBe(1);
  // The duration of one change, so that the kills happen during a change.
  const startedAt = performance.now();
  expect((await call('POST', `${path}/changes`, changeTo(1, 'second'))).body.revision).toBe(2);
  const changeMs = performance.now() - startedAt;
  let current = { number: 1, value: 'second' };
  let revision = 2;
  let setValue: string | undefined;
  const valuesOf = (body: { secrets: { key: string; value: string }[] }) =>
    Object.fromEntries(body.secrets.map(({ key, value }) => [key, value]));
  const expectedOf = ({ number, value }: typeof current) => ({
    ...valuesAfter(number, value),
    ...(setValue === undefined ? {} : { SET: setValue }),
  });
  const outcomes = { all: 0, nothing: 0 };
  let pulls = 0;
  for (let round = 0; round < 10; round += 1) {
    const next = { number: current.number + 1, value: `round ${round}` };
    const before = expectedOf(current);
    const after = expectedOf(next);
    const changing = call('POST', `${path}/changes`, changeTo(next.number, next.value)).then(
      ({ status }) => status,
      () => undefined,
    );
    const pulling = (async () => {
      for (;;) {
        // Without a response, the system was killed.
        const pulled = await call('GET', path).catch(() => undefined);
        if (pulled === undefined) return;
        expect(pulled.status).toBe(200);
        expect(valuesOf(pulled.body)).toEqual(pulled.body.revision === revision ? before : after);
        pulls += 1;
      }
    })();
    await sleep(changeMs * (0.05 + 0.09 * round) + Math.random() * changeMs * 0.09);
    await kill();
    const answered = await changing;
    await pulling;
    ({ url } = await start());

    const pulled = (await call('GET', path)).body;
    const isDone = pulled.revision === revision + 1;
    if (answered === 200) expect(isDone).toBe(true);
    expect(valuesOf(pulled)).toEqual(isDone ? after : before);
    if (isDone) {
      current = next;
      revision += 1;
    }
    expect(pulled.revision).toBe(revision);
    outcomes[isDone ? 'all' : 'nothing'] += 1;

    setValue = `set in round ${round}`;
    const set = await call('PUT', path, { key: 'SET', value: setValue });
    revision += 1;
    expect([set.status < 300, set.body.revision]).toEqual([true, revision]);
  }
  expect(outcomes.nothing).toBeGreaterThan(0);
  expect(pulls).toBeGreaterThan(0);
  const { versions } = (await call('GET', `${path}/versions/K7?values=true`)).body;
  expect(versions).toHaveLength(2 + outcomes.all);
  expect(versions[0].value).toBe(current.value);
}, 900_000);
