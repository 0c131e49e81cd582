import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { awsVariables } from '#test/support/sync-targets/aws.ts';
import type { Fault, TargetWorld } from '#test/support/sync-targets/target-server.ts';
import { worlds } from '#test/support/sync-targets/worlds.ts';
import { type SourceState, type SyncEnd, syncsInto } from './in-process.ts';

/** Random histories of each kind of place. */
const count = Number(process.env.SYNC_HISTORIES ?? 6);
const steps = 12;
/** The names that the two environments have; both have the last two of the first. */
const namesOf = [
  ['A_ONE', 'A_TWO', 'BOTH_ONE', 'BOTH_TWO'],
  ['B_ONE', 'B_TWO', 'BOTH_ONE', 'BOTH_TWO'],
] as const;
/** Somebody else writes these. The syncs want one of them. */
const foreignNames = ['A_TWO', 'BOTH_TWO', 'OTHER_ONE', 'OTHER_TWO'];

afterAll(() => {
  for (const name of Object.keys(awsVariables(''))) delete process.env[name];
});

/** Mulberry32: the same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface History {
  world: TargetWorld;
  sync: (source: SourceState, flags?: Parameters<ReturnType<typeof syncsInto>>[1]) => Promise<SyncEnd>;
  sources: SourceState[];
  /** Whose each name is that is there: the number of a source, or undefined for somebody else. */
  owners: Map<string, number | undefined>;
  /** Names that a failed sync has claimed. */
  claimed: Set<string>;
  /** What each source was told to adopt, until a sync of it is done: one that was interrupted may have taken it already. */
  adopted: [Set<string>, Set<string>];
  /** What was there before the running sync, and what somebody else has written since. */
  were: Map<string, string>;
  /** Whether the target creates a name only if it does not exist, or has a version to write against. */
  hasConditions: boolean;
  random: () => number;
  log: string[];
  nextValue: () => string;
  /** Every value that any source ever had. */
  values: Set<string>;
}

const pick = <T>(random: () => number, all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;

/** A new revision of an environment, with some of its names. */
function change(history: History, index: number): void {
  const source = history.sources[index] as SourceState;
  const names = (namesOf[index] ?? []).filter(() => history.random() < 0.7);
  const values = Object.fromEntries(
    names.map(name => {
      const keeps = source.values[name] !== undefined && history.random() < 0.5;
      return [name, keeps ? (source.values[name] ?? '') : history.nextValue()];
    }),
  );
  history.sources[index] = { ...source, revision: source.revision + 1, values };
}

/** Random faults, or the end of the network, as if the sync was killed, and somebody else at work. */
function disturb(history: History): void {
  const { world, random } = history;
  const kinds: Fault[] = ['refuse', 'lose', 'limit', 'error'];
  const end = random() < 0.5 ? world.server.requests.length + 1 + Math.floor(random() * 12) : undefined;
  world.server.setFaults((_, index) => {
    if (random() < 0.2) interfere(history, true);
    if (end !== undefined && index >= end) return pick(random, ['refuse', 'lose']);
    return random() < 0.2 ? pick(random, kinds) : undefined;
  });
}

/**
 * Compares what is there with what was there. A sync may change what it owns or adopts, and what was absent.
 * @returns the names with a value of each source
 */
function judge(history: History, by: readonly number[]): void {
  const { were } = history;
  const adopted = new Set(by.flatMap(index => [...(history.adopted[index] ?? [])]));
  const are = history.world.values();
  const problems: string[] = [];
  for (const name of new Set([...were.keys(), ...are.keys()])) {
    const [value, old] = [are.get(name), were.get(name)];
    if (value === old) continue;
    const owner = history.owners.get(name);
    const isAllowed = old === undefined || adopted.has(name) || (owner !== undefined && by.includes(owner));
    if (!isAllowed)
      problems.push(`${name} of ${owner ?? 'somebody else'} became ${value === undefined ? 'absent' : 'another'}`);
    if (value === undefined) history.owners.delete(name);
    else {
      const writer = by.find(index => history.sources[index]?.values[name] === value);
      if (writer === undefined) problems.push(`${name} has a value of no source`);
      history.owners.set(name, writer);
    }
  }
  expect(problems, history.log.join('\n')).toEqual([]);
}

async function syncOne(
  history: History,
  index: number,
  flags: { prune?: boolean; adopt?: string[] },
): Promise<SyncEnd> {
  const source = history.sources[index] as SourceState;
  history.were = new Map(history.world.values());
  const adopt = (flags.adopt ?? []).filter(name => source.values[name] !== undefined);
  const end = await history.sync(source, { ...flags, adopt });
  history.log.push(`sync ${index} ${JSON.stringify(flags)}: ${end.error?.message ?? 'done'}`);
  for (const name of adopt) history.adopted[index]?.add(name);
  judge(history, [index]);
  if (end.error === undefined) {
    history.adopted[index]?.clear();
    for (const name of Object.keys(source.values)) history.owners.set(name, index);
  } else for (const name of Object.keys(source.values)) history.claimed.add(name);
  return end;
}

async function syncBoth(history: History): Promise<void> {
  history.were = new Map(history.world.values());
  const ends = await Promise.all(history.sources.map(source => history.sync(source, {})));
  history.log.push(`both: ${ends.map(({ error }) => error?.message ?? 'done').join(' | ')}`);
  judge(history, [0, 1]);
  for (const source of history.sources) for (const name of Object.keys(source.values)) history.claimed.add(name);
  // Both can't have the same name.
  const shared = Object.keys(history.sources[0]?.values ?? {}).filter(name => history.sources[1]?.values[name]);
  if (shared.length > 0)
    expect(
      ends.some(({ error }) => error !== undefined),
      history.log.join('\n'),
    ).toBe(true);
}

/**
 * What somebody else does; never to a name that a sync has or may have claimed.
 * @param isDuring whether a sync is running, which a target without conditions can't notice in time
 */
function interfere(history: History, isDuring = false): void {
  const { world, owners, claimed, random, were, hasConditions } = history;
  const name = pick(random, isDuring && !hasConditions ? foreignNames.slice(2) : foreignNames);
  const isThere = world.values().has(name);
  if (owners.get(name) !== undefined || claimed.has(name) || (isThere && !owners.has(name))) return;
  if (random() < 0.7) {
    const value = `by-hand-${history.nextValue()}`;
    world.set(name, value);
    owners.set(name, undefined);
    were.set(name, value);
  } else {
    world.remove(name);
    owners.delete(name);
    were.delete(name);
  }
  history.log.push(`by hand: ${name}`);
}

/** Without faults, a sync does what is left, or says what it does not own. */
async function settle(history: History, index: number): Promise<void> {
  history.world.server.setFaults();
  const source = history.sources[index] as SourceState;
  const end = await syncOne(history, index, { prune: true });
  if (end.error !== undefined) {
    expect(['not_owned', 'target_taken'], `${end.printed}\n${history.log.join('\n')}`).toContain(end.error.code);
    return;
  }
  const are = history.world.values();
  expect(Object.fromEntries(Object.keys(source.values).map(name => [name, are.get(name)]))).toEqual(source.values);
  // While another source is taking a name over, neither removes it.
  const isChangingHands = (name: string) => history.adopted[1 - index]?.has(name) && source.values[name] === undefined;
  const owned = [...history.owners].flatMap(([name, owner]) => (owner === index && !isChangingHands(name) ? name : []));
  expect(owned.toSorted(), history.log.join('\n')).toEqual(Object.keys(source.values).toSorted());
  expect((await history.sync(source, { check: true, prune: true })).error).toBeUndefined();
  const sent = history.world.server.requests.length;
  await history.sync(source, { prune: true });
  const writes = history.world.server.requests.slice(sent).filter(({ method, headers }) => {
    const action = String(headers['x-amz-target'] ?? '').split('.')[1];
    return action === undefined ? method !== 'GET' : !/^(?:Describe|List|Get)/.test(action);
  });
  expect(writes, history.log.join('\n')).toEqual([]);
}

async function run(target: string, world: TargetWorld, seed: number): Promise<void> {
  const random = randomOf(seed);
  const values = new Set<string>();
  const sync = syncsInto(target, world);
  const history: History = {
    world,
    random,
    values,
    sync: async (source, flags) => {
      const end = await sync(source, flags);
      for (const value of values) expect(end.printed).not.toContain(value);
      return end;
    },
    sources: ['dev', 'production'].map(name => ({ name: `acme/web-shop/${name}`, revision: 0, values: {} })),
    owners: new Map(),
    claimed: new Set(),
    adopted: [new Set(), new Set()],
    were: new Map(),
    hasConditions: !['github', 'cloudflare'].includes(target),
    log: [`seed ${seed}`],
    nextValue: () => {
      const value = `value-${seed}-${values.size}-${Math.floor(random() * 1e9)}`;
      values.add(value);
      return value;
    },
  };
  for (let step = 0; step < steps; step += 1) {
    const index = random() < 0.5 ? 0 : 1;
    const choice = random();
    if (choice < 0.25 || history.sources[index]?.revision === 0) change(history, index);
    else if (choice < 0.4) interfere(history);
    else if (choice < 0.5) await settle(history, index);
    else {
      if (random() < 0.6) disturb(history);
      if (choice < 0.6) await syncBoth(history);
      else {
        const adopt = random() < 0.3 ? [pick(random, foreignNames)] : [];
        await syncOne(history, index, { prune: random() < 0.4, adopt });
      }
      world.server.setFaults();
    }
  }
  for (const index of [0, 1]) await settle(history, index);
}

describe.each(worlds)('random histories of two environments and somebody else: $kind', ({ target, kind, open }) => {
  it(`${count} times, nothing is changed that a sync does not own, and run again, it completes`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-sync-'));
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const first = [...kind].reduce((sum, character) => sum * 31 + character.charCodeAt(0), 7) % 1_000_000;
    for (let seed = first; seed < first + count; seed += 1) {
      const world = await open(file);
      try {
        await run(target, world, seed);
      } finally {
        await world.stop();
      }
    }
  });
});
