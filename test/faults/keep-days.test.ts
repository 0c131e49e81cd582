import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { openLog } from '#lib/core/logger.ts';
import { eraseOrganization } from '#lib/jobs/erase-organization.ts';
import { eraseEnvironment, eraseProject } from '#lib/jobs/erase-project.ts';
import { NotYetCommitted } from '#lib/jobs/erase-range.ts';
import { keys, ranges } from '#lib/table/keys.ts';
import { at, find, type Item, queryItems, type Read } from '#lib/table/read.ts';
import { environmentRecord } from '#lib/table/records/environment.ts';
import { isKept, type Kept } from '#lib/table/records/kept.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { ConditionFailed, transact, update } from '#lib/table/write.ts';
import { type Answer, codeOf, createProject, useApi } from '#test/support/api.ts';
import { type FaultKind, faultKinds, injectFault } from '#test/support/inject-faults.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { conduct } from '#test/support/observe-calls.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus, makeIdentity } from '#test/support/sample-requests.ts';

/*
 * Something is deleted, restored and erased at the same moment, by requests and by its job when it is due, each with a
 * fault at one of its calls. One of them wins, and then the table shows all of what was there, byte for byte, or
 * nothing.
 */

const rounds = Number(process.env.KEEP_ROUNDS ?? 6);
const atOnce = 4;
const kinds = ['project', 'environment', 'organization'] as const;
type Kind = (typeof kinds)[number];

// The test runs the steps itself, so that it can inject faults into them.
const idle = new Set(['run-jobs', 'roll-up-metrics', 'queue-unfinished-work']);
const api = useApi(() =>
  startObservedApi({ LOG_LEVEL: 'SILENT', WEBHOOK_ALLOW_LOOPBACK: 'true' }, async name =>
    idle.has(name.name) ? async () => ({ batchItemFailures: [] }) : loadFromFunctions(name),
  ),
);
const log = openLog({});

type Holder = Read<{ id: string; status: 'active' | 'deleting'; kept?: Kept | undefined }>;

interface World {
  owner: Person;
  id: string;
  holder: Holder;
  path: string;
  /** Undefined: an organization is only erased when it is due. */
  deletedPath: string | undefined;
  restorePath: string;
  step(): Promise<void>;
  /** What has to come back, or to be gone: as text, by key. */
  contents(): Promise<Map<string, string>>;
}

const envs = ['dev', 'staging', 'production'];

async function furnish(kind: Kind): Promise<World> {
  const owner = await seedPerson();
  const { organization, session } = owner;
  const { id: organizationId, slug: orgSlug } = organization;
  const { id: projectId } = await createProject(api, owner);
  const secrets = `/secrets/${orgSlug}/shop/dev`;
  await expectStatus(api.post(`${secrets}/bulk`, { secrets: { A: '1', B: '2', C: '3' } }, session), 200);
  await expectStatus(api.put(secrets, { key: 'A', value: 'again' }, session), 200);
  await expectStatus(api.delete(`${secrets}/B`, session), 200);
  await api.post(`/templates/${orgSlug}/shop`, { key: 'A' }, session);
  await expectStatus(api.post(`${secrets}/proposals`, { set: [{ key: 'C', value: 'proposed' }] }, session), 201);
  const identity = await makeIdentity(api, owner);
  const dev = at(environmentRecord, orgSlug, 'shop', 'dev');
  const environmentId = (await find(dev))?.id as string;
  const limit = kind === 'environment' ? { environmentId } : { projectId };
  const hook = { url: 'http://127.0.0.1:9/', events: ['secret.deleted'], ...limit };
  await expectStatus(api.post(`/webhooks/${organizationId}`, hook, session), 201);
  const ids = { orgSlug, organizationId, project: 'shop', projectId };
  const deletedPath = `/deleted/${organizationId}`;
  const worlds: Record<Kind, Pick<World, 'id' | 'path' | 'deletedPath' | 'restorePath' | 'step'> & { holder: Holder }> =
    {
      project: {
        id: projectId,
        holder: at(projectRecord, orgSlug, 'shop'),
        path: `/projects/${organizationId}/shop`,
        deletedPath: `${deletedPath}/${projectId}`,
        restorePath: `${deletedPath}/${projectId}/restore`,
        step: () => eraseProject({ type: 'erase-project', ...ids }, log),
      },
      environment: {
        id: environmentId,
        holder: dev,
        path: `/projects/${organizationId}/shop/environments/dev`,
        deletedPath: `${deletedPath}/${environmentId}`,
        restorePath: `${deletedPath}/${environmentId}/restore`,
        step: () => eraseEnvironment({ type: 'erase-environment', ...ids, env: 'dev', environmentId }, log),
      },
      organization: {
        id: organizationId,
        holder: at(organizationRecord, orgSlug),
        path: `/orgs/${organizationId}`,
        deletedPath: undefined,
        restorePath: `/orgs/deleted/${organizationId}/restore`,
        step: () => eraseOrganization({ type: 'erase-organization', orgSlug, organizationId }, log),
      },
    };
  const contents = async () => {
    const partitions = (kind === 'environment' ? ['dev'] : envs).map(env =>
      ranges.environmentItems({ orgSlug, project: 'shop', env }),
    );
    const own = (await queryItems(ranges.organization(orgSlug))).filter(item => isPart(kind, item));
    // Identities are the organization's, and have their side of the membership in a partition of their own.
    const others = kind === 'organization' ? [{ pk: keys.user(identity.id).pk }] : [];
    const items = (await Promise.all([...partitions, ...others].map(range => queryItems(range)))).flat();
    return new Map([...own, ...items].map(item => [`${item.pk} ${item.sk}`, textOf(item)]));
  };
  return { owner, contents, ...worlds[kind] };
}

/** Whether an item of the organization's partition goes with what is deleted. */
function isPart(kind: Kind, { kind: itemKind, slug }: Item): boolean {
  if (itemKind === 'retiredSlug') return false;
  if (kind === 'organization') return true;
  if (itemKind === 'webhook' || (itemKind === 'environment' && slug === 'dev')) return true;
  return kind === 'project' && ['project', 'environment', 'templateKey'].includes(String(itemKind));
}

/** The organization's access revision is never the same twice. */
function textOf({ accessRevision: _, ...item }: Item): string {
  const sorted = Object.entries(item).toSorted(([a], [b]) => a.localeCompare(b));
  return JSON.stringify(sorted, (_name, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
  );
}

const anyOf = <T>(list: readonly T[]): T => list[randomInt(list.length)] as T;
// A throttled table answers after seconds, which shows nothing more here.
const faults = faultKinds.filter(kind => kind !== 'throttled');
const randomFault = () => ({ kind: anyOf<FaultKind>(faults), position: randomInt(1, 9) });

async function attempts(send: () => Promise<Answer>): Promise<boolean> {
  for (let tries = 0; tries < 6; tries += 1) {
    const { status } = await send();
    if (status === 200) return true;
    await sleep(randomInt(15));
  }
  return false;
}

/** A step of the job. What it throws, the queue repeats. */
async function stepOf({ step }: World, isFaulty: boolean): Promise<void> {
  const { kind, position } = randomFault();
  try {
    await conduct(isFaulty ? injectFault(kind, position) : undefined, step);
  } catch (error) {
    if (!isFaulty && !(error instanceof NotYetCommitted)) throw error;
  }
}

/** As if its days had passed. */
async function makeDue({ holder, id }: World): Promise<void> {
  const found = await find(holder);
  if (found === undefined || !isKept(found)) return;
  const erasedAt = new Date(Date.now() - 1000).toISOString();
  const isSame = { id: { op: '=', value: id }, 'kept.deletedAt': { op: '=', value: found.kept.deletedAt } } as const;
  const write = update(
    holder,
    { set: { 'kept.erasedAt': erasedAt } },
    { if: { ...isSame, status: { op: '=', value: 'deleting' } } },
  );
  await transact([write]).catch(error => {
    if (!(error instanceof ConditionFailed)) throw error;
  });
}

async function whileDue(world: World): Promise<void> {
  for (let tries = 0; tries < 6; tries += 1) {
    await sleep(randomInt(40));
    await makeDue(world);
    await stepOf(world, true);
  }
}

/** @returns what has become of it, and what is wrong */
async function round(kind: Kind): Promise<{ outcome: string; wrong: string[] }> {
  const world = await furnish(kind);
  const { owner, holder, path, deletedPath, restorePath } = world;
  const { session } = owner;
  const before = await world.contents();
  const send = (request: (headers: Record<string, string>) => Promise<Answer>) => withFault(randomFault(), request);
  const isDue = deletedPath === undefined || randomInt(3) === 0;
  const erase = () =>
    deletedPath === undefined || isDue
      ? whileDue(world)
      : attempts(() => send(headers => api.delete(deletedPath, session, headers)));
  const [, isRestored, isErased] = await Promise.all([
    send(headers => api.delete(`${path}?keepDays=7`, session, headers)),
    attempts(() => send(headers => api.post(restorePath, undefined, session, headers))),
    erase(),
    stepOf(world, true),
  ]);
  const wrong = isRestored && isErased === true ? ['both won'] : [];

  // Nothing is open: what was not decided is decided now.
  const left = await find(holder);
  if (left !== undefined && isKept(left) && Date.now() < Date.parse(left.kept.erasedAt)) {
    await expectStatus(api.post(restorePath, undefined, session), 200);
  }
  for (let steps = 0; steps < 30 && (await find(holder))?.status === 'deleting'; steps += 1) await stepOf(world, false);

  const after = await world.contents();
  const isThere = (await find(holder))?.id === world.id;
  if (isThere) {
    for (const [key, text] of before) if (after.get(key) !== text) wrong.push(`changed: ${key}`);
    for (const key of after.keys()) if (!before.has(key)) wrong.push(`added: ${key}`);
    const pulled = await api.get(`/secrets/${owner.organization.slug}/shop/dev`, session);
    if (pulled.body.secrets?.length !== 2) wrong.push(codeOf(pulled));
  } else if (after.size > 0) wrong.push(`left: ${[...after.keys()].join()}`);
  if (isRestored && !isThere) wrong.push('erased after its restore');
  if (isErased === true && isThere) wrong.push('there after its erasure');
  return { outcome: `${kind} ${isThere ? 'restored' : 'erased'}`, wrong: wrong.map(what => `${kind}: ${what}`) };
}

describe('deleting, restoring and erasing something at the same moment', () => {
  it('leaves all of it or nothing', { timeout: 60_000 + rounds * 10_000 }, async () => {
    const outcomes = new Map<string, number>();
    const wrong: string[] = [];
    const one = async (number: number) => {
      const result = await round(kinds[number % kinds.length] as Kind);
      outcomes.set(result.outcome, (outcomes.get(result.outcome) ?? 0) + 1);
      wrong.push(...result.wrong);
    };
    let next = 0;
    const lane = async () => {
      while (next < rounds) await one(next++);
    };
    await Promise.all(Array.from({ length: atOnce }, lane));

    expect(wrong).toEqual([]);
    expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(rounds);
    if (rounds >= 100) expect([...outcomes.keys()].toSorted()).toHaveLength(kinds.length * 2);
    expect(violationsOf(await scanTable(), { settled: true })).toEqual([]);
  });
});
