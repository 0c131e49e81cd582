import { writeSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readKeptAccess, sharedProject, sharingAccess } from '#lib/access/kept-access.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import type { Key } from '#lib/table/entity.ts';
import { at, find, type Item, type Read } from '#lib/table/read.ts';
import { identityRightsRecord } from '#lib/table/records/identity.ts';
import { memberRecord, type OrganizationRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { projectKeysRecord } from '#lib/table/records/project.ts';
import { type AwsCall, type Conductor, conduct } from '../support/observe-calls.ts';
import { randomFrom, seed } from '../support/seed.ts';
import { conflict } from '../support/seen-item-by-item.ts';

/*
 * Random sequences of changes and of requests that keep what they read. The table is a model, because DynamoDB Local
 * makes all items of a transaction visible at once: here, readers see each item change at a moment of its own. A
 * request must not see anything that was replaced before it began, as acknowledged to whoever replaced it.
 */

const sequences = Number(process.env.KEPT_SEQUENCES ?? 150);
const requestsPerSequence = 16;

const slug = 'acme';
const path = { orgSlug: slug, project: 'shop' };
/** The 15th character tells identities from people. */
const users = { member: '00000000-0000-4000-a000-000000000001', identity: '00000000-0000-8000-a000-000000000002' };
const places: Record<string, Read<object>> = {
  organization: at(organizationRecord, slug),
  member: at(memberRecord, slug, users.member),
  identity: at(identityRightsRecord, slug, users.identity),
  project: at(projectKeysRecord, slug, path.project),
};
type Place = keyof typeof places;

const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`;

/** What a flawed protocol lacks. */
interface Flaws {
  /** Reads of one moment see transactions in part, as other reads do. */
  momentsAreTorn?: boolean;
  /** Changes keep the access revision. */
  nothingIsRenewed?: boolean;
}

interface Version {
  record: object | undefined;
  /** When its transaction was acknowledged; undefined while it is in progress. */
  acknowledgedAt: number | undefined;
}

/** A table with one organization, in which one transaction at a time is in progress. */
function modelOf(random: () => number, flaws: Flaws) {
  let clock = 0;
  let created = 0;
  const versions = new Map<Place, Version[]>();
  /** The places whose new version is not visible yet. */
  let hidden: Place[] = [];
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  const newest = (place: Place) => versions.get(place)?.at(-1)?.record as Record<string, unknown> | undefined;
  const id = () => {
    created += 1;
    return `id-${created}`;
  };

  const organization = (): OrganizationRecord => ({
    id: id(),
    slug,
    name: 'Acme',
    plan: 'free',
    limitOverrides: {},
    createdAt: '',
    status: 'active',
    projectCount: 1,
    memberCount: 1,
    ownerCount: 1,
    invitationCount: 0,
    webhookCount: 0,
    identityCount: 1,
    firstRevision: 0,
    planChangedAtMs: 0,
    requireSecondFactor: false,
    accessRevision: id(),
  });
  const member = () => ({ id: id(), userId: users.member, email: '', name: '', role: 'developer', joinedAt: '' });
  const identity = () => ({
    id: users.identity,
    name: 'CI',
    access: 'read',
    role: 'viewer',
    projectId: null,
    environmentId: null,
    trustId: id(),
    createdAt: '',
  });
  const project = (keyVersion = 1) => ({
    id: id(),
    organizationId: '1',
    slug: path.project,
    status: 'active',
    keyVersion,
    wrappedKeys: { [keyVersion]: new Uint8Array([created % 256]) },
  });
  const edit = (place: Place, changes: object) => {
    const record = newest(place);
    return record === undefined ? {} : { [place]: { ...record, ...changes } };
  };

  const changes: readonly (() => Partial<Record<Place, object | undefined>>)[] = [
    () => edit('member', { role: pick(['viewer', 'developer', 'admin']) }),
    () => ({ member: newest('member') === undefined ? member() : undefined }),
    () => edit('identity', { trustId: id() }),
    () => ({ identity: newest('identity') === undefined ? identity() : undefined }),
    () => edit('project', { status: 'deleting', wrappedKeys: {} }),
    () => ({ project: newest('project') === undefined ? project() : undefined }),
    () => ({ project: project() }),
    () => edit('project', project(1 + Number(newest('project')?.keyVersion ?? 0))),
    () => ({ member: member(), project: undefined, identity: identity() }),
    () => ({ organization: organization(), member: member(), project: project(), identity: undefined }),
  ];

  const start = () => {
    const change = pick(changes)();
    const renewed = flaws.nothingIsRenewed ? {} : edit('organization', { accessRevision: id() });
    const written = Object.entries({ ...renewed, ...change });
    for (const [place, record] of written) versions.get(place)?.push({ record, acknowledgedAt: undefined });
    hidden = written.map(([place]) => place);
  };
  const acknowledge = () => {
    clock += 1;
    for (const all of versions.values()) {
      const last = all.at(-1);
      if (last !== undefined) last.acknowledgedAt ??= clock;
    }
  };

  /** Begins a transaction, or makes one more of its items visible. */
  const step = () => {
    if (hidden.length === 0) {
      start();
      return;
    }
    const revealed = pick(hidden);
    hidden = hidden.filter(place => place !== revealed);
    if (hidden.length === 0) acknowledge();
  };

  for (const [place, record] of Object.entries({
    organization: organization(),
    member: member(),
    identity: identity(),
    project: project(),
  })) {
    versions.set(place, [{ record, acknowledgedAt: 0 }]);
  }

  const placeAt = (key: Key): Place => {
    const [place] = Object.entries(places).find(([, read]) => nameOf(read.key) === nameOf(key)) ?? [];
    if (place === undefined) throw new Error(`Nothing is modelled at ${nameOf(key)}.`);
    return place;
  };
  const itemAt = (key: Key): Item | undefined => {
    const place = placeAt(key);
    const record = versions.get(place)?.at(hidden.includes(place) ? -2 : -1)?.record;
    return record && (places[place]?.entity.toItem(key, record) as Item);
  };
  const isHidden = (keys: readonly Key[]) => keys.some(key => hidden.includes(placeAt(key)));

  return {
    step,
    now: () => clock,
    sometimes: (share: number) => random() < share,
    itemAt,
    isHidden: (keys: readonly Key[]) => !flaws.momentsAreTorn && isHidden(keys),
    /** Whether the record was current at some moment since then. */
    wasCurrentSince(place: Place, record: object | undefined, since: number): boolean {
      const all = versions.get(place) ?? [];
      const first = all.findLastIndex(({ acknowledgedAt }) => acknowledgedAt !== undefined && acknowledgedAt <= since);
      return all.slice(first).some(version => textOf(version.record) === textOf(record));
    },
  };
}

const textOf = (record: object | undefined) =>
  record &&
  JSON.stringify(Object.entries(record).toSorted(), (_, value) => (value instanceof Uint8Array ? [...value] : value));

type Model = ReturnType<typeof modelOf>;

/** Serves reads from the model, which changes before, between and after the items of a read. */
function tableOf(model: Model): Conductor {
  const steps = () => {
    while (model.sometimes(0.3)) model.step();
  };
  const read = (key: Key) => {
    steps();
    return model.itemAt(key);
  };
  return {
    async call({ operation, input }: AwsCall) {
      steps();
      const output = outputOf(operation, input);
      steps();
      return { output, response: {} };
    },
  };

  function outputOf(operation: string, input: AwsCall['input']) {
    if (operation === 'GetItem') return { Item: read(input.Key) };
    if (operation === 'BatchGetItem') {
      const [[table, { Keys: keys }] = ['', { Keys: [] }]] = Object.entries<{ Keys: Key[] }>(input.RequestItems);
      return { Responses: { [table]: keys.map(read).filter(item => item !== undefined) } };
    }
    if (operation !== 'TransactGetItems') throw new Error(`The model has no ${operation}.`);
    const keys = (input.TransactItems as { Get: { Key: Key } }[]).map(({ Get }) => Get.Key);
    if (model.isHidden(keys)) throw conflict();
    return { Responses: keys.map(key => ({ Item: model.itemAt(key) })) };
  }
}

/** One request of a member or an identity. @returns what it saw although that had been replaced before */
async function request(model: Model, caller: 'member' | 'identity') {
  const since = model.now();
  const [access, project] = await sharingAccess(() => {
    const reading = readKeptAccess({ orgSlug: slug, userId: users[caller], project: path.project }, {});
    return Promise.all([reading, sharedProject(path) ?? find(at(projectKeysRecord, slug, path.project))]);
  });
  const seen: Partial<Record<Place, object | undefined>> = {
    organization: access.organization,
    [caller]: access[caller],
    project,
  };
  return Object.entries(seen).filter(([place, record]) => !model.wasCurrentSince(place, record, since));
}

/** @returns what was stale, and how many reads of single items were avoided */
async function search(count: number, flaws: Flaws = {}) {
  const random = randomFrom(seed);
  const stale: unknown[] = [];
  const calls = { requests: 0, moments: 0, alone: 0 };
  for (let sequence = 0; sequence < count && stale.length === 0; sequence += 1) {
    resetProcessMemory('kept-access');
    const model = modelOf(random, flaws);
    const table = tableOf(model);
    const counting: Conductor = {
      call(call, send) {
        if (call.operation === 'TransactGetItems') calls.moments += 1;
        if (call.operation === 'BatchGetItem' && JSON.stringify(call.input).split('"ORG#').length === 2)
          calls.alone += 1;
        return table.call?.(call, send) as Promise<unknown>;
      },
    };
    await conduct(counting, async () => {
      for (let number = 0; number < requestsPerSequence; number += 1) {
        vi.setSystemTime(Date.now() + (model.sometimes(0.1) ? 3_000 : 200));
        const callers = model.sometimes(0.3) ? (['member', 'identity'] as const) : (['member'] as const);
        const found = await Promise.all(callers.map(caller => request(model, caller)));
        calls.requests += callers.length;
        stale.push(...found.flat());
        if (model.sometimes(0.1)) model.step();
      }
    });
  }
  return { stale, ...calls };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  vi.stubEnv('TABLE_NAME', 'modelled');
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

describe('what is kept', () => {
  it('is never stale', { timeout: 1_200_000 }, async () => {
    const { stale, ...calls } = await search(sequences);
    if (process.env.KEPT_SEQUENCES !== undefined)
      writeSync(1, `kept access: ${sequences} sequences, ${JSON.stringify(calls)}\n`);
    expect(stale).toEqual([]);
    // Otherwise, it would show nothing: requests used what was kept, and kept something.
    expect(calls.alone).toBeGreaterThan(sequences);
    expect(calls.moments).toBeGreaterThan(sequences);
  });

  it.each<[string, Flaws]>([
    ['reads are not of one moment', { momentsAreTorn: true }],
    ['changes don’t renew the revision', { nothingIsRenewed: true }],
  ])('is found to be stale if %s', { timeout: 1_200_000 }, async (_, flaws) => {
    expect((await search(2_000, flaws)).stale).not.toEqual([]);
  });
});
