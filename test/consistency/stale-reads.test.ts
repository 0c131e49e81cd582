import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, createToken } from '../support/api.ts';
import { createWhenFree } from '../support/create-when-free.ts';
import { openWorkplace, type Workplace } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import type { FaultKind } from '../support/inject-faults.ts';
import { recordRequest, startObservedApi, withFault } from '../support/observed-api.ts';

/*
 * Readers and writers use one environment through four instances, each with snapshots in memory, while AWS calls
 * fail, the data key is rotated, and the environment is deleted and recreated. Responses must fit what was written.
 */

const seconds = Number(process.env.READ_SECONDS ?? 15);
const phaseMs = Math.min(20, seconds / 2) * 1000;
const instances = 4;
const keys = Array.from({ length: 12 }, (_, index) => `KEY_${index}`);
const namedKeys = keys.slice(0, 3);
/** Set by one change, which is too large for one transaction. */
const largeKeys = Array.from({ length: 50 }, (_, index) => `LARGE_${index}`);
let api: Api;
let place: Workplace;
let token: { token: string };
const others: ChildProcess[] = [];
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
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API answers
  const answered = (text === '' ? undefined : JSON.parse(text)) as any;
  return { status: response.status, body: answered, etag: response.headers.get('etag') ?? undefined };
}

type Content = Readonly<Record<string, string>>;
type Change = Readonly<Record<string, string | undefined>>;

/** The layered ones read it as the layer below another environment, which has a key of its own and never changes. */
const readings = ['whole', 'named', 'conditional', 'keys', 'layered', 'layered conditional'] as const;

interface Read {
  reading: (typeof readings)[number];
  /** At least this revision was acknowledged before the read began, and at most this one when it ended. */
  after: number;
  until: number;
  startedAt: number;
  endedAt: number;
  /** Undefined if it was refused. */
  revision: number | undefined;
  refusal: string | undefined;
  content: Content;
}

/** What the writers were told: the change of every revision, and the revisions at which the environment was empty. */
const changes = new Map<number, Change | 'empty'>();
let acknowledged = 0;
let reads: Read[] = [];
/** When there may have been no environment. */
const absences: { from: number; to: number }[] = [];
const counts = { reads: 0, unchanged: 0, warm: 0, deletions: 0, large: 0 };
const refusals = new Map<string, number>();
const wrong: unknown[] = [];

const acknowledge = (revision: number, change: Change | 'empty') => {
  expect(changes.has(revision)).toBe(false);
  changes.set(revision, change);
  acknowledged = Math.max(acknowledged, revision);
};

const faults: readonly FaultKind[] = ['blip', 'answer-lost-once', 'refused', 'dies-after'];
/** A writer must not notice them. */
const curableFaults: readonly FaultKind[] = ['blip', 'throttled-once', 'answer-lost-once', 'conflict'];

/** Reads until the end. In the first instance, every other read has a fault; the calls of the others are recorded. */
async function read(instance: number, reading: Read['reading'], isOver: () => boolean): Promise<void> {
  const paths = { whole: '', named: `?keys=${namedKeys.join(',')}`, conditional: '', keys: '/keys' };
  const isLayered = reading.startsWith('layered');
  const path = isLayered
    ? place.at('staging', `?layers=${place.project.slug}/dev`)
    : place.at('dev', paths[reading as keyof typeof paths]);
  let last: Pick<Read, 'revision' | 'content'> = { revision: undefined, content: {} };
  let tag: string | undefined;
  for (let count = 0; !isOver(); count += 1) {
    const after = acknowledged;
    const startedAt = performance.now();
    const condition: Record<string, string> =
      reading.endsWith('conditional') && tag !== undefined ? { 'if-none-match': tag } : {};
    const get = (headers = {}) => send(urls[instance] as string, 'GET', path, undefined, { ...condition, ...headers });
    const kind = instance === 0 && count % 2 === 0 ? faults[(count / 2) % faults.length] : undefined;
    const { status, body, etag } = await (kind === undefined
      ? instance === 0
        ? recorded(get)
        : get()
      : withFault({ kind, position: 1 + (count % 5) }, get));
    if (status === 200) {
      tag = etag;
      last = isLayered
        ? layerIn(body, etag)
        : { revision: body.revision, content: contentOf(body.secrets ?? body.keys) };
    }
    if (status === 304) counts.unchanged += 1;
    const refusal = status === 200 || status === 304 ? undefined : `${status} ${body.error?.code ?? 'by the gateway'}`;
    if (refusal !== undefined) refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
    // A read that was disturbed, or was not answered in time by a busy machine, says nothing about the environment.
    if (refusal !== undefined && (kind !== undefined || status >= 500)) continue;
    const found = refusal === undefined ? last : { revision: undefined, content: {} };
    const times = { startedAt, endedAt: performance.now() };
    reads.push({ reading, after, until: acknowledged, ...times, ...found, refusal });
  }
}

/** Counts the reads that find a snapshot in memory. */
async function recorded(get: (headers: Record<string, string>) => Promise<Awaited<ReturnType<typeof send>>>) {
  const { answer, calls } = await recordRequest(get);
  if (answer.status === 200 && !calls.some(({ operation }) => operation === 'Query')) counts.warm += 1;
  return answer;
}

const onTop = 'ON_TOP';

/** What a layered read says about the layer. */
function layerIn(
  { secrets, revision }: { secrets: readonly { key: string; value: string; from: string }[]; revision: number },
  etag = '',
): Pick<Read, 'revision' | 'content'> {
  const [below, own] = etag.replaceAll('"', '').split('.').map(Number);
  const top = secrets.filter(({ from }) => from === `${place.project.slug}/staging`);
  expect([own, top.map(({ key }) => key)]).toEqual([revision, [onTop]]);
  return { revision: below, content: contentOf(secrets.filter(one => !top.includes(one))) };
}

function contentOf(secrets: readonly { key: string; value?: string }[]): Content {
  return Object.fromEntries(secrets.map(({ key, value = '' }) => [key, value]));
}

/** Makes one change after the other until `hasEnded`, of every kind at least one. Each value is used once. */
async function write(instance: number, hasEnded: () => boolean): Promise<void> {
  const own = `OWN_${instance}`;
  let hasOwn = false;
  for (let count = 0; count < 5 || !hasEnded(); count += 1) {
    const values = (some: readonly string[]) =>
      Object.fromEntries(some.map(key => [key, `${key} ${instance} ${count} ${Math.random()}`]));
    const isLarge = instance === 3 && count % 10 === 0;
    const isOwn = !isLarge && count % 3 === 1;
    const some = keys.filter((_, index) => (index + count) % (instance + 3) === 0).slice(0, 2);
    const change: Change = isOwn && hasOwn ? { [own]: undefined } : values(isLarge ? largeKeys : isOwn ? [own] : some);
    if (isOwn) hasOwn = !hasOwn;
    const kind = instance === 0 && count % 2 === 0 ? curableFaults[(count / 2) % curableFaults.length] : undefined;
    const { status, body } = await withFault(kind && { kind, position: 1 + (count % 7) }, headers =>
      send(urls[instance] as string, 'POST', place.at('dev', '/changes'), bodyOf(change), headers),
    );
    expect([status, body.error]).toEqual([200, undefined]);
    acknowledge(body.revision, change);
    if (isLarge) counts.large += 1;
    if (Object.values(change).includes(undefined)) counts.deletions += 1;
    await sleep(20);
  }
}

function bodyOf(change: Change) {
  const entries = Object.entries(change);
  return {
    set: entries.filter(([, value]) => value !== undefined).map(([key, value]) => ({ key, value })),
    delete: entries.filter(([, value]) => value === undefined).map(([key]) => key),
  };
}

async function rotate(): Promise<void> {
  for (const { size } = changes; changes.size === size; ) await sleep(10);
  expect((await place.rotateKey()).status).toBe(202);
  await eventually(async () => {
    const { project } = (await api.get(place.projectPath, place.owner.session)).body;
    expect(project.rotation?.status).toBe('completed');
  });
}

async function createAgain(): Promise<void> {
  const environments = `${place.projectPath}/environments`;
  const from = performance.now();
  expect((await api.delete(`${environments}/dev`, place.owner.session)).status).toBe(200);
  // From here on, nothing of the deleted environment may be read.
  acknowledged += 1;
  const { environment } = await createWhenFree(api, environments, { name: 'dev', slug: 'dev' }, place.owner.session);
  absences.push({ from, to: performance.now() });
  acknowledge(environment.revision, 'empty');
}

function contents(): Map<number, Content> {
  const found = new Map<number, Content>();
  let content: Change = {};
  for (const [revision, change] of [...changes].toSorted(([a], [b]) => a - b)) {
    content = change === 'empty' ? {} : { ...content, ...change };
    found.set(revision, Object.fromEntries(Object.entries(content).filter(isSet)));
  }
  return found;
}

function isSet(entry: [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined;
}

/** Changes that are committed but not acknowledged: one of each writer. */
const inFlight = instances;

function isRight({ reading, after, until, revision, content, refusal, ...times }: Read, of: Map<number, Content>) {
  const wasAbsent = absences.some(({ from, to }) => times.startedAt <= to && from <= times.endedAt);
  if (refusal === '404 environment_not_found') return wasAbsent;
  if (refusal === '404 secret_not_found' && reading === 'named') {
    const isMissing = (known: Content) => namedKeys.some(key => known[key] === undefined);
    const isThen = (at: number) => at >= after && at <= until + inFlight;
    // The next environment may have been there, empty, before its creation was acknowledged.
    return wasAbsent || [...of].some(([at, known]) => isThen(at) && isMissing(known));
  }
  const known = revision === undefined || revision < after ? undefined : of.get(revision);
  if (known === undefined) return false;
  const expected = Object.entries(known)
    .filter(([key]) => reading !== 'named' || namedKeys.includes(key))
    .map(([key, value]) => [key, reading === 'keys' ? '' : value]);
  return isDeepStrictEqual(content, Object.fromEntries(expected));
}

/** Compares the reads up to now. Call this when nothing is being written. */
function compareReads(): void {
  const expected = contents();
  wrong.push(...reads.filter(one => !isRight(one, expected)).slice(0, 5));
  counts.reads += reads.length;
  reads = [];
}

it('no instance returns anything but the current revision', { timeout: (seconds + 120) * 1000 }, async () => {
  acknowledge(0, 'empty');
  expect((await place.set('staging', onTop, 'never changes')).status).toBe(201);
  let isOver = false;
  const readers = Promise.all(
    Array.from({ length: instances }, (_, instance) =>
      Promise.all(readings.map(reading => read(instance, reading, () => isOver))),
    ),
  );
  // It is awaited at the end.
  readers.catch(() => undefined);
  let phases = 0;
  try {
    const endsAt = Date.now() + seconds * 1000;
    for (; (phases < 2 || Date.now() < endsAt) && wrong.length === 0; phases += 1) {
      const startedAt = Date.now();
      const writers = urls.map((_, instance) => write(instance, () => Date.now() >= startedAt + phaseMs * 0.7));
      // Then nothing changes for a while, so that what is read was kept.
      await Promise.all([Promise.all(writers).then(() => sleep(phaseMs * 0.3)), rotate()]);
      await createAgain();
      compareReads();
    }
  } finally {
    isOver = true;
    await readers;
  }
  compareReads();

  if (process.env.READ_SECONDS !== undefined) {
    const text = JSON.stringify({ ...counts, revisions: changes.size, refused: [...refusals] });
    writeSync(1, `stale reads: ${text}\n`);
  }
  expect(wrong).toEqual([]);
  expect(counts.reads).toBeGreaterThan((20 * phases * phaseMs) / 1000);
  const { unchanged, warm, deletions, large } = counts;
  expect(Math.min(unchanged, warm, deletions, large)).toBeGreaterThanOrEqual(phases);
});
