import { hash } from 'node:crypto';
import {
  type Action,
  actionsOf,
  digestOf,
  emptyTable,
  execute,
  type Head,
  type Request,
  resolve,
  type Table,
  type Writer,
  writer,
} from './protocol.ts';

/** What to search. Every writer may stop for good after any of its steps, which is not a fault. */
export interface Bounds {
  name: string;
  writers: readonly Writer[];
  /** Requests that are lost, executed late (at any later time) or executed twice (the second time at any later time). */
  faults: number;
  takeovers: number;
  beats: number;
  /** How often a reader may keep the snapshot it has read, and each re-encryption of a head. None if absent. */
  keeps?: number;
  /** When a snapshot is kept, and which states it is used for. */
  keeping?: Keeping;
  /** Replaces the effect of a request: a search must find what breaks without a condition. */
  flaw?: (before: Table, request: Request) => Table | undefined;
}

interface World {
  table: Table;
  writers: readonly Writer[];
  late: readonly Request[];
  faults: number;
  takeovers: number;
  beats: number;
  keeps: number;
  kept: Kept | null;
  /** What was committed first: the token of every version of every key. */
  history: Readonly<Record<string, number>>;
}

/** A snapshot in a process's memory: what identifies it, and its heads with the data keys of their ciphertexts. */
type Kept = Pick<Table, 'fence' | 'revision' | 'digest' | 'keyVersion'> & { heads: Table['heads'] };

export interface Keeping {
  isKept: (read: Table) => boolean;
  isUsed: (kept: Kept, state: Table) => boolean;
}

/** The rules of `lib/secrets/engine/kept-snapshots.ts`. */
export const keeping: Keeping = {
  isKept: ({ pending, keyVersion, ...read }) =>
    pending === null &&
    Object.values(resolve({ pending, keyVersion, ...read })).every(
      ({ key, deleted }) => deleted === true || key === keyVersion,
    ),
  isUsed: (kept, { pending, fence, revision, digest, keyVersion }) =>
    pending === null &&
    kept.fence === fence &&
    kept.revision === revision &&
    kept.digest === digest &&
    kept.keyVersion === keyVersion,
};

export interface Finding {
  what: string;
  steps: string[];
}

export interface Result {
  states: number;
  /** Whether everything within the limits was visited. */
  isComplete: boolean;
  findings: Finding[];
}

const first: Head = { version: 1, revision: 1, fence: 1, key: 1 };

const firstTable: Table = {
  ...emptyTable,
  revision: 1,
  digest: digestOf({ a: first, b: first }),
  heads: { a: first, b: first },
  versions: { 'a#1': first, 'b#1': first },
};

/** Walks through every state that the writers can bring the table into, breadth first. */
export function search(bounds: Bounds, maximumStates: number): Result {
  const { writers, faults, takeovers, beats, keeps = 0, flaw } = bounds;
  const rules = bounds.keeping ?? keeping;
  const apply: Apply = (table, request) => flaw?.(table, request) ?? execute(table, request);
  const history = { 'a#1': 1, 'b#1': 1 };
  const begin: World = { table: firstTable, writers, late: [], faults, takeovers, beats, keeps, kept: null, history };
  const seen = new Map<string, { from: string; step: string } | undefined>();
  const findings = new Map<string, Finding>();
  const wayTo = (key: string) => {
    const steps: string[] = [];
    for (let at = seen.get(key); at !== undefined; at = seen.get(at.from)) steps.unshift(at.step);
    return steps;
  };
  let wave: [string, World][] = [[keyOf(begin), begin]];
  seen.set(keyOf(begin), undefined);
  while (wave.length > 0 && seen.size < maximumStates) {
    const next: [string, World][] = [];
    for (const [key, world] of wave) {
      const wrong = violationOf(world) ?? staleSnapshotOf(world, rules);
      if (wrong !== undefined) {
        if (!findings.has(wrong)) findings.set(wrong, { what: wrong, steps: wayTo(key) });
        continue;
      }
      for (const [step, after] of successors(world, apply, rules)) {
        const afterKey = keyOf(after);
        if (seen.has(afterKey)) continue;
        seen.set(afterKey, { from: key, step });
        next.push([afterKey, after]);
      }
    }
    wave = next;
  }
  return { states: seen.size, isComplete: wave.length === 0, findings: [...findings.values()] };
}

function keyOf(world: World): string {
  return hash('md5', JSON.stringify(world), 'base64');
}

type Apply = typeof execute;

function* successors(world: World, apply: Apply, rules: Keeping): Generator<[string, World]> {
  for (const [index, one] of world.writers.entries()) {
    for (const action of actionsOf(one, world.table)) yield* after(world, index, action, apply);
  }
  for (const [index, request] of world.late.entries()) {
    const late = world.late.filter((_, at) => at !== index);
    const done = executed({ ...world, late }, request, apply);
    if (done !== undefined) yield [`late: ${request.kind}`, done];
    // A request that would be rejected now may still be executed later, or never.
  }
  yield* keepAndReEncrypt(world, rules);
  if (world.beats > 0 && world.table.pending !== null) {
    const { fence, pending } = world.table;
    const beat: Request = { kind: 'beat', fence, beat: pending.beat + 1 };
    const beats = world.beats - 1;
    yield ['a heartbeat', executed({ ...world, beats }, beat, apply) ?? world];
    if (world.faults > 0) {
      yield ['a heartbeat on its way', { ...world, beats, faults: world.faults - 1, late: [...world.late, beat] }];
    }
  }
}

/** A reader keeps what it reads; the re-encryption after a key rotation replaces ciphertexts, one at a time. */
function* keepAndReEncrypt(world: World, { isKept }: Keeping): Generator<[string, World]> {
  const { table, keeps } = world;
  if (keeps > 0 && isKept(table)) {
    const { fence, revision, digest, keyVersion } = table;
    const kept = { fence, revision, digest, keyVersion, heads: resolve(table) };
    yield ['a reader keeps its snapshot', { ...world, keeps: keeps - 1, kept }];
  }
  if (world.kept === null && keeps === 0) return;
  for (const [name, head] of Object.entries(table.heads)) {
    if (!isSealedBelow(head, table.keyVersion)) continue;
    const heads = { ...table.heads, [name]: { ...head, key: table.keyVersion } };
    yield [`${name} is re-encrypted`, { ...world, table: { ...table, heads } }];
  }
}

function* after(world: World, index: number, action: Action, apply: Apply): Generator<[string, World]> {
  const me = world.writers[index] as Writer;
  const become = (from: World, next: Writer): World => ({
    ...from,
    writers: from.writers.map((one, at) => (at === index ? next : one)),
  });
  if (action.does === 'look') {
    yield [`${me.name} looks, at "${me.phase.at}"`, become(world, action.next)];
    return;
  }
  const { request, answered } = action;
  const isTakeover = request.kind === 'raise lease' && request.beat !== undefined;
  if (isTakeover && world.takeovers === 0) return;
  const sent = isTakeover ? { ...world, takeovers: world.takeovers - 1 } : world;
  const step = `${me.name}: ${request.kind}`;
  const now = executed(sent, request, apply);
  const answer = now === undefined ? 'refused' : 'done';
  yield [`${step}, ${answer}`, become(now ?? sent, answered(answer))];
  if (world.faults === 0) return;

  const disturbed = { ...sent, faults: sent.faults - 1 };
  const waiting = { ...disturbed, late: [...disturbed.late, request] };
  yield [`${step}, no answer, may come late`, become(waiting, answered('unknown'))];
  const done = executed(disturbed, request, apply);
  if (done === undefined) return;
  yield [`${step}, done without an answer`, become(done, answered('unknown'))];
  yield [`${step}, done, and may be executed again`, become({ ...done, late: waiting.late }, answered('done'))];
  // The first attempt was executed and its response lost; DynamoDB has forgotten its token.
  const twice = executed(done, request, apply);
  yield [
    `${step}, sent again after it was done`,
    become(twice ?? done, answered(twice === undefined ? 'refused' : 'done')),
  ];
}

function executed(world: World, request: Request, apply: Apply): World | undefined {
  const table = apply(world.table, request);
  if (table === undefined) return undefined;
  const isCommit = request.kind === 'commit small' || request.kind === 'commit large';
  if (
    'writes' in request &&
    request.writes.some(({ head }) => head !== null && isSealedBelow(head, world.table.keyVersion))
  ) {
    return { ...world, table: { ...table, digest: 'written under an old data key' } };
  }
  // The first one stays, so a number assigned twice is visible.
  return { ...world, table, history: isCommit ? { ...request.made, ...world.history } : world.history };
}

/** Deletions have no value. */
function isSealedBelow({ key, deleted }: Head, keyVersion: number): boolean {
  return deleted === undefined && key < keyVersion;
}

/** What would be wrong in a state if every writer stopped here. */
function violationOf({ table, writers, history }: World): string | undefined {
  const { heads, versions, tombstones, revision, pending, copies, audit, deadHeadsUpTo } = table;
  const resolved = resolve(table);
  if (digestOf(resolved) !== table.digest) return 'what a reader finds does not add up to the digest';
  if (
    Object.entries(resolved).some(
      ([name, { version }]) => version > 1 && history[`${name}#${version - 1}`] === undefined,
    )
  ) {
    return 'a version was skipped';
  }
  const newest = new Map<string, number>();
  for (const [key = '', version] of Object.keys(history).map(name => name.split('#'))) {
    newest.set(key, Math.max(newest.get(key) ?? 0, Number(version)));
  }
  for (const [key, version] of newest) {
    if ((resolved[key] ?? tombstones[key])?.version !== version) return 'the number of a version was lost';
  }
  const isForgotten = (head: Head) =>
    head.deleted === true && head.revision <= revision && head.revision > (deadHeadsUpTo ?? 0);
  if (Object.values(heads).some(isForgotten)) return 'a head of a deleted key that nobody will move';
  if (pending === null) {
    if (Object.values(heads).some(head => head.revision > revision))
      return 'a head that was never committed, and no lease';
    if (copies.length > 0) return 'copies of the token, and no lease';
  } else {
    const lost = Object.entries(heads).some(
      ([name, { version, revision: stamped }]) =>
        stamped > revision && version > 1 && (versions[`${name}#${version - 1}`]?.revision ?? stamped) > revision,
    );
    if (lost) return 'a change that cannot be undone';
  }
  for (const [version, fence] of Object.entries(history)) {
    if (versions[version]?.fence !== fence) return 'a version of the history was lost or replaced';
  }
  if (audit.length !== revision - 1) return 'a change without its audit entry';
  for (const { name, phase } of writers) {
    const times = audit.filter(entry => entry.startsWith(`${name} `)).length;
    if (times > 1) return 'a change was made twice';
    if (phase.at !== 'end') continue;
    if (phase.result === 'made' && times === 0) return 'an acknowledged change was lost';
    if (phase.result === 'not made' && times === 1) return 'a change was made of which its writer said that it was not';
  }
  return undefined;
}

/** What a reader would return that uses the snapshot it has kept. */
function staleSnapshotOf({ table, kept }: World, { isUsed }: Keeping): string | undefined {
  if (kept === null || !isUsed(kept, table)) return undefined;
  const shown = (heads: Table['heads']) =>
    Object.entries(heads)
      .filter(([, { deleted }]) => deleted === undefined)
      .map(([name, { version, fence, key }]) => [name, version, fence, key].join('#'))
      .sort()
      .join(' ');
  return shown(kept.heads) === shown(resolve(table)) ? undefined : 'a kept snapshot differs from the table';
}

/** One fault and two takeovers, if nothing else is said. */
function boundsOf(name: string, writers: Writer[], more: Partial<Bounds> = {}): Bounds {
  return { name, writers, faults: 1, takeovers: 2, beats: 0, ...more };
}

const one = { maximumTries: 1 };
const [largeChange, largeOnce] = [writer('L', 'large'), writer('L', 'large', one)];
const [smallChange, smallOnce] = [writer('S', 'small'), writer('S', 'small', one)];
const otherSmall = writer('T', 'small');
const rotation = writer('R', 'rotation');
const largeDeleting = writer('L', 'large', { ...one, deletes: ['a'] });
const deletion = writer('D', 'small', { ...one, deletes: ['a'] });
const setDeleteSet = [
  writer('C', 'small', { ...one, keys: ['c'] }),
  writer('D', 'small', { ...one, keys: ['c'], deletes: ['c'] }),
  writer('S', 'small', { keys: ['c'] }),
];

/** Seconds: a part of the tests. */
export const quickBounds = {
  largeAndSmall: boundsOf('a large and a small change', [largeChange, smallChange]),
  smallAndSmall: boundsOf('two small changes, two faults', [smallChange, otherSmall], { faults: 2 }),
  largeAndRotation: boundsOf('a large change and a key rotation', [largeOnce, rotation], { takeovers: 1 }),
  setAndDeleted: boundsOf('a key that is set, deleted and set by three small changes', setDeleteSet, { faults: 0 }),
  largeDeletion: boundsOf(
    'a large change that deletes a key and a small one that sets it',
    [largeDeleting, smallOnce],
    { takeovers: 1 },
  ),
  deletionAndLarge: boundsOf('a deletion and a large change that sets the key again', [deletion, largeOnce], {
    takeovers: 1,
  }),
};

/** Seconds: a part of the tests. The same with a reader that keeps a snapshot. */
export const keepingBounds = {
  twoSmall: boundsOf(
    'two small changes and a reader that keeps its snapshot twice',
    [smallChange, writer('T', 'small', one)],
    { keeps: 2 },
  ),
  large: boundsOf('a large change and a reader that keeps its snapshot', [largeOnce], { takeovers: 1, keeps: 1 }),
  smallAndRotation: boundsOf(
    'a small change, a key rotation and a reader that keeps its snapshot',
    [smallOnce, rotation],
    { keeps: 1 },
  ),
};

/** Minutes: `npm run proof -- search-protocol`. */
export const longBounds: readonly Bounds[] = [
  boundsOf('a large and a small change, two faults', [largeChange, smallChange], { faults: 2 }),
  boundsOf('a large and a small change, a heartbeat', [largeChange, smallChange], { beats: 1 }),
  boundsOf('a large and a small change, three takeovers', [largeChange, smallChange], { takeovers: 3 }),
  boundsOf('two large changes', [largeChange, writer('M', 'large')]),
  boundsOf('a large and two small changes, no fault', [largeChange, smallChange, otherSmall], { faults: 0 }),
  boundsOf('a large and a small change and a key rotation', [largeOnce, smallOnce, rotation]),
  boundsOf('two small changes, three faults', [smallChange, otherSmall], { faults: 3 }),
  boundsOf('a key that is set, deleted and set by three small changes, a fault', setDeleteSet),
  boundsOf(
    'a large change that deletes a key and a small one that sets it, two takeovers and two faults',
    [largeDeleting, smallOnce],
    { faults: 2 },
  ),
  boundsOf('a deletion, a large change that sets the key again, and a small one', [deletion, largeChange, smallOnce], {
    faults: 0,
  }),
  boundsOf('two large changes, of which one deletes what the other sets', [largeDeleting, writer('M', 'large', one)]),
  boundsOf('a large and a small change and a reader that keeps its snapshot', [largeOnce, smallOnce], {
    takeovers: 1,
    keeps: 1,
  }),
  boundsOf('a large change, a key rotation and a reader that keeps its snapshot', [largeOnce, rotation], {
    takeovers: 1,
    keeps: 1,
  }),
];
