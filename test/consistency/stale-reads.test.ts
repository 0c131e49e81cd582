import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, createToken } from '../support/api.ts';
import { openWorkplace, type Workplace } from '../support/environments.ts';
import type { FaultKind } from '../support/inject-faults.ts';
import { startObservedApi, withFault } from '../support/observed-api.ts';

/*
 * Sixteen readers and four writers use one environment through four instances of the service, each with snapshots of its
 * own in memory. Meanwhile AWS calls fail, the data key is rotated, and the environment is deleted and created again.
 * Every read is compared with what the writers were told. `npm run stale-reads` takes ten minutes.
 */

const seconds = Number(process.env.READ_SECONDS ?? 15);
const phases = Math.max(2, Math.round(seconds / 20));
const instances = 4;
const readersEach = 4;
const keys = Array.from({ length: 12 }, (_, index) => `KEY_${index}`);
const namedKeys = keys.slice(0, 3);

let api: Api;
let place: Workplace;
let token: { token: string };
const others: ChildProcess[] = [];
/** The addresses of the instances. */
const urls: string[] = [];

beforeAll(async () => {
  // The owner's session rotates keys and deletes environments for the whole time.
  api = await startObservedApi({ LOG_LEVEL: 'SILENT', STEP_UP_FRESH_SECONDS: '86400' });
  place = await openWorkplace(api);
  token = await createToken(api, place.owner);
  urls.push(api.url, ...(await Promise.all(Array.from({ length: instances - 1 }, startInstance))));
});
afterAll(async () => {
  for (const child of others) child.stdin?.end();
  await Promise.all(others.filter(({ exitCode }) => exitCode === null).map(child => once(child, 'exit')));
  await api.stop();
});

async function startInstance(): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../support/instance.ts')], {
    // The stand-in for e-mail is this process's, and rejects what a new instance sets up.
    env: { ...process.env, AWS_ENDPOINT_URL_SESV2: '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  others.push(child);
  const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => [''])]);
  if (line === '') throw new Error('An instance does not start.');
  return String(line).trim();
}

async function send(url: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API answers
  return { status: response.status, body: (await response.json()) as any };
}

type Content = Readonly<Record<string, string>>;

interface Read {
  /** At least this revision was acknowledged before the read began. */
  after: number;
  revision: number;
  /** All secrets, or the named ones. */
  of: readonly string[];
  content: Content;
}

/** What the writers were told: the change of every revision, and the revision at which the environment was empty. */
const changes = new Map<number, Content | 'empty'>();
let acknowledged = 0;
const reads: Read[] = [];
const refusals = new Map<string, number>();

const acknowledge = (revision: number, change: Content | 'empty') => {
  expect(changes.has(revision)).toBe(false);
  changes.set(revision, change);
  acknowledged = Math.max(acknowledged, revision);
};

const faults: readonly FaultKind[] = ['blip', 'answer-lost-once', 'refused', 'dies-after'];

/** Pulls until the test ends. In the first instance, every other pull has a fault at one of its AWS calls. */
async function read(instance: number, reader: number, isOver: () => boolean): Promise<void> {
  const of = reader % 2 === 0 ? keys : namedKeys;
  const query = of === keys ? '' : `?keys=${of.join(',')}`;
  for (let count = reader; !isOver(); count += 1) {
    const after = acknowledged;
    const pull = (headers = {}) => send(urls[instance] as string, 'GET', place.at('dev', query), undefined, headers);
    const kind = instance === 0 && count % 2 === 0 ? faults[count % faults.length] : undefined;
    const { status, body } = await (kind === undefined
      ? pull()
      : withFault({ kind, position: 1 + (count % 5) }, headers => pull(headers)));
    if (status !== 200) {
      const name = `${status} ${body.error.code}`;
      refusals.set(name, (refusals.get(name) ?? 0) + 1);
      continue;
    }
    const content = Object.fromEntries(body.secrets.map(({ key, value }: Record<string, string>) => [key, value]));
    reads.push({ after, revision: body.revision, of, content });
  }
}

/** Sets one or two keys at a time until the phase ends. Each value is used once. */
async function write(instance: number, isOver: () => boolean): Promise<void> {
  for (let count = 0; !isOver(); count += 1) {
    const some = keys.filter((_, index) => (index + count) % (instance + 3) === 0).slice(0, 2);
    const change = Object.fromEntries(some.map(key => [key, `${key} ${instance} ${count} ${Math.random()}`]));
    const { status, body } = await send(urls[instance] as string, 'POST', place.at('dev', '/bulk'), {
      secrets: change,
    });
    expect([status, body.error]).toEqual([200, undefined]);
    acknowledge(body.revision, change);
    await sleep(20);
  }
}

async function rotate(): Promise<void> {
  const project = `/projects/${place.owner.organization.id}/${place.project.slug}`;
  expect((await api.post(`${project}/rotate-key`, undefined, place.owner.session)).status).toBe(202);
  for (;;) {
    const { body } = await api.get(project, place.owner.session);
    if (body.project.rotation?.status === 'completed') return;
    await sleep(100);
  }
}

async function createAgain(): Promise<void> {
  const environments = `/projects/${place.owner.organization.id}/${place.project.slug}/environments`;
  expect((await api.delete(`${environments}/dev`, place.owner.session)).status).toBe(200);
  // From here on, nothing of the deleted environment may be read.
  acknowledged += 1;
  for (;;) {
    const { status, body } = await api.post(environments, { name: 'dev', slug: 'dev' }, place.owner.session);
    if (status === 201) return acknowledge(body.environment.revision, 'empty');
    expect(body.error.code).toBe('slug_taken');
    await sleep(50);
  }
}

/** The content after each revision. */
function contents(): Map<number, Content> {
  const found = new Map<number, Content>();
  let content: Content = {};
  for (const [revision, change] of [...changes].toSorted(([a], [b]) => a - b)) {
    content = change === 'empty' ? {} : { ...content, ...change };
    found.set(revision, content);
  }
  return found;
}

it('no instance returns anything but the current revision', { timeout: (seconds + 120) * 1000 }, async () => {
  acknowledge(0, 'empty');
  let isOver = false;
  const readers = Array.from({ length: instances * readersEach }, (_, index) =>
    read(index % instances, Math.floor(index / instances), () => isOver),
  );
  for (let phase = 0; phase < phases; phase += 1) {
    const endsAt = Date.now() + (1000 * seconds) / phases;
    const hasEnded = () => Date.now() >= endsAt;
    const writers = urls.map((_, instance) => write(instance, hasEnded));
    await Promise.all([...writers, rotate()]);
    await createAgain();
  }
  isOver = true;
  await Promise.all(readers);

  const expected = contents();
  const wrong = reads.filter(({ after, revision, of, content }) => {
    const known = expected.get(revision);
    if (revision < after || known === undefined) return true;
    return of.some(key => known[key] !== content[key]);
  });
  expect(wrong).toEqual([]);
  expect(reads.length).toBeGreaterThan(20 * seconds);
  if (process.env.READ_SECONDS === undefined) return;
  writeSync(1, `${reads.length} reads of ${changes.size} revisions; refused: ${JSON.stringify([...refusals])}\n`);
});
