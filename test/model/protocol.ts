/*
 * A model of how changes of secrets are written (lib/secrets/engine/README.md): requests are answered, lost, executed late
 * or twice, in every order. `search.ts` walks through all states; `trace.test.ts` shows that the code takes these steps.
 * A head contains the fencing token of the change that wrote it, which is unique to each attempt of a change.
 */

export interface Head {
  version: number;
  revision: number;
  fence: number;
  /** The data key that it is sealed under. */
  key: number;
  deleted?: true;
}

type Heads = Readonly<Record<string, Head>>;

export interface Table {
  readonly revision: number;
  readonly fence: number;
  /** For each secret, the version and token that readers must find, represented by the sum in the state. */
  readonly digest: string;
  /** Changes up to this revision may have left heads of deleted keys. */
  readonly deadHeadsUpTo: number | null;
  readonly pending: { readonly beat: number; readonly abandoned?: true } | null;
  /** The data key below which nothing is written any more. */
  readonly keyVersion: number;
  /** The data key of the project, whose item is separate. */
  readonly projectKey: number;
  /** The copies of the token that steps are conditioned on. */
  readonly copies: readonly number[];
  readonly heads: Heads;
  readonly versions: Heads;
  /** The latest tombstone of each deleted key. Ignored for a key that has a head. */
  readonly tombstones: Heads;
  /** The audit entries: the change, and the revision it made. */
  readonly audit: readonly string[];
}

export const emptyTable: Table = {
  revision: 0,
  fence: 1,
  digest: '',
  deadHeadsUpTo: null,
  pending: null,
  keyVersion: 1,
  projectKey: 1,
  copies: [],
  heads: {},
  versions: {},
  tombstones: {},
  audit: [],
};

/** A put of a head (`a`), a version (`a#1`) or a tombstone (`†a`), or a removal of a head. */
export interface ItemWrite {
  item: string;
  head: Head | null;
}

interface Content {
  change: string;
  revision: number;
  digest: string;
  /** The versions that it commits, with their token. */
  made: Readonly<Record<string, number>>;
  leavesDeadHeads?: true;
}

/** What each item may be: `none`, or a version and its token. */
export type Expected = Readonly<Record<string, readonly string[]>>;

export function identityOf(head: Pick<Head, 'version' | 'fence'> | undefined): string {
  return head === undefined ? 'none' : `${head.version}#${head.fence}`;
}

/** A write request. `fence` is the token that its condition requires. */
export type Request =
  | ({ kind: 'commit small'; fence: number; writes: ItemWrite[]; expected: Expected } & Content)
  | { kind: 'acquire'; fence: number; copies: number }
  | { kind: 'step'; lane: number; fence: number; writes: ItemWrite[] }
  | ({ kind: 'commit large'; fence: number; copies: number } & Content)
  | { kind: 'raise state'; fence: number; keyVersion?: number }
  | { kind: 'raise lease'; fence: number; beat?: number; copies: number; keyVersion?: number }
  | { kind: 'release'; fence: number; copies: number }
  | { kind: 'beat'; fence: number; beat: number }
  | { kind: 'new key'; fence: 0 }
  /** Requires these exact heads. */
  | { kind: 'move'; fence: 0; heads: Heads; writes: ItemWrite[] }
  | { kind: 'moved'; fence: 0; upTo: number };

/** What a renewed lease uses, independent of what it used before. */
export const maximumCopies = 8;

/** The table after the request; undefined if its condition does not hold. */
export function execute(table: Table, request: Request): Table | undefined {
  const { fence } = request;
  const isHeld = table.pending !== null && table.fence === fence;
  switch (request.kind) {
    case 'commit small': {
      if (table.fence !== fence || table.audit.includes(entryOf(request))) return undefined;
      for (const [item, identities] of Object.entries(request.expected)) {
        const found = item.includes('#') ? table.versions[item] : table.heads[item];
        if (!identities.includes(identityOf(found))) return undefined;
      }
      return { ...written(table, request.writes), ...contentOf(table, request), fence: fence + 1 };
    }
    case 'acquire':
      if (table.fence !== fence) return undefined;
      return { ...table, fence: fence + 1, pending: { beat: 1 }, copies: copiesOf(fence + 1, request.copies) };
    case 'step':
      if (table.copies[request.lane] !== fence) return undefined;
      return written(table, request.writes);
    case 'commit large':
      if (!isHeld || table.audit.includes(entryOf(request))) return undefined;
      return { ...table, ...contentOf(table, request), pending: null, copies: table.copies.slice(request.copies) };
    case 'raise state':
      if (table.fence !== fence) return undefined;
      return { ...table, fence: fence + 1, keyVersion: request.keyVersion ?? table.keyVersion };
    case 'raise lease': {
      if (!isHeld || (request.beat !== undefined && table.pending?.beat !== request.beat)) return undefined;
      const beat = (table.pending?.beat ?? 0) + 1;
      return {
        ...table,
        fence: fence + 1,
        pending: request.keyVersion === undefined ? { beat } : { beat, abandoned: true },
        keyVersion: request.keyVersion ?? table.keyVersion,
        copies: copiesOf(fence + 1, request.copies),
      };
    }
    case 'release':
      if (!isHeld) return undefined;
      return { ...table, pending: null, copies: table.copies.slice(request.copies) };
    case 'beat':
      if (!isHeld || (table.pending?.beat ?? 0) >= request.beat) return undefined;
      return { ...table, pending: { ...table.pending, beat: request.beat } };
    case 'new key':
      return { ...table, projectKey: 2 };
    case 'move': {
      const isSame = ([key, head]: [string, Head]) => {
        const found = table.heads[key];
        return found?.fence === head.fence && found.version === head.version && found.deleted === true;
      };
      return Object.entries(request.heads).every(isSame) ? written(table, request.writes) : undefined;
    }
    case 'moved':
      return table.deadHeadsUpTo === request.upTo ? { ...table, deadHeadsUpTo: null } : undefined;
  }
}

function copiesOf(fence: number, count: number): number[] {
  return Array.from({ length: count }, () => fence);
}

function entryOf({ change, revision }: Content): string {
  return `${change} → ${revision}`;
}

function contentOf({ audit, deadHeadsUpTo }: Table, content: Content) {
  const { revision, digest } = content;
  const upTo = content.leavesDeadHeads === true ? revision : deadHeadsUpTo;
  return { revision, digest, deadHeadsUpTo: upTo, audit: [...audit, entryOf(content)] };
}

function written(table: Table, writes: readonly ItemWrite[]): Table {
  const heads: Record<string, Head> = { ...table.heads };
  const versions: Record<string, Head> = { ...table.versions };
  const tombstones: Record<string, Head> = { ...table.tombstones };
  for (const { item, head } of writes) {
    if (item.includes('#') && head !== null) versions[item] = head;
    else if (item.startsWith('†') && head !== null) tombstones[item.slice(1)] = head;
    else if (head === null) delete heads[item];
    else heads[item] = head;
  }
  return { ...table, heads: inOrder(heads), versions: inOrder(versions), tombstones: inOrder(tombstones) };
}

function inOrder<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The heads as a reader resolves them: what was stamped after the revision is read from the history. */
export function resolve({ heads, versions, revision }: Table): Heads {
  const resolved: Record<string, Head> = {};
  for (const [name, newest] of Object.entries(heads)) {
    let head: Head | undefined = newest;
    while (head !== undefined && head.revision > revision) {
      head = head.version === 1 ? undefined : versions[`${name}#${head.version - 1}`];
    }
    if (head !== undefined) resolved[name] = head;
  }
  return resolved;
}

export function digestOf(heads: Heads): string {
  return Object.entries(heads)
    .filter(([, { deleted }]) => deleted === undefined)
    .map(([name, { version, fence }]) => `${name}#${version}#${fence}`)
    .sort()
    .join(' ');
}

/** A change as it was decided: what it will write if the table is still at `fence`. */
interface Plan {
  fence: number;
  revision: number;
  digest: string;
  heads: Heads;
  /** What a small change requires. */
  expected: Expected;
  moves: boolean;
}

type StateRead = Pick<Table, 'fence' | 'revision' | 'digest' | 'deadHeadsUpTo'>;

interface Reads {
  state?: StateRead;
  heads?: Heads;
  tombstones?: Heads;
}

/** What a writer does next. `holds` is the token under which it writes. */
type Phase =
  | { at: 'key' }
  | { at: 'state' }
  /** Reads the state, its heads and their tombstones in any order. */
  | { at: 'named'; reads: Reads }
  /** Reads the tombstones after everything else. */
  | { at: 'tombstones'; reads: Required<Pick<Reads, 'state' | 'heads'>> }
  | { at: 'blocked'; fence: number; beat: number }
  | { at: 'small'; plan: Plan }
  | { at: 'acquire'; plan: Plan }
  | { at: 'steps'; plan: Plan; steps: ItemWrite[][] }
  /** A step failed. Those in the other lanes finish before anything else happens. */
  | { at: 'last steps'; holds: number; steps: ItemWrite[][]; next: Phase }
  | { at: 'commit'; plan: Plan }
  | { at: 'raise'; plan: Plan }
  | { at: 'look'; plan: Plan; raised: 'refused' | 'unknown' }
  | { at: 'move state' }
  | { at: 'move heads'; upTo: number; revision: number }
  | { at: 'move'; upTo: number; moves: Heads[] }
  | { at: 'undo read'; holds: number; revision: number; own: boolean }
  | { at: 'undo'; holds: number; revision: number; own: boolean; steps: ItemWrite[][] }
  | { at: 'release'; holds: number; own: boolean }
  | { at: 'new key' }
  | { at: 'fence' }
  | { at: 'end'; result: 'made' | 'not made' | 'unknown' };

export interface Writer {
  readonly name: string;
  /** A change in one transaction, one in steps, or a key rotation. */
  readonly kind: 'small' | 'large' | 'rotation';
  readonly keys: readonly string[];
  /** The ones among the keys that it deletes. */
  readonly deletes: readonly string[];
  /** Whether a small change reads all heads, and tombstones after them. */
  readonly readsAll: boolean;
  readonly movesPerRequest: number;
  readonly writesPerStep: number;
  readonly lanes: number;
  readonly phase: Phase;
  readonly tries: number;
  readonly maximumTries: number;
  /** The data key of the project when the writer read it. */
  readonly ring: number;
}

export function writer(
  name: string,
  kind: Writer['kind'],
  more: Partial<Pick<Writer, 'keys' | 'deletes' | 'movesPerRequest' | 'writesPerStep' | 'lanes' | 'maximumTries'>> = {},
): Writer {
  const keys = kind === 'large' ? ['a', 'b'] : ['a'];
  const start: Phase = kind === 'rotation' ? { at: 'new key' } : { at: 'key' };
  const bounds = { writesPerStep: 1, lanes: 2, maximumTries: 2, movesPerRequest: 2 };
  return { name, kind, keys, deletes: [], readsAll: false, ...bounds, ...more, phase: start, tries: 0, ring: 0 };
}

type Answer = 'done' | 'refused' | 'unknown';

export type Action =
  | { does: 'look'; next: Writer }
  | { does: 'send'; request: Request; answered: (answer: Answer) => Writer };

export function actionsOf(me: Writer, table: Table): Action[] {
  const { phase } = me;
  const become = (next: Phase): Writer => ({ ...me, phase: next });
  const again = (): Writer => become({ at: 'key' });
  const look = (next: Writer): Action[] => [{ does: 'look', next }];
  const send = (request: Request, answered: (answer: Answer) => Writer): Action[] => [
    { does: 'send', request, answered },
  ];
  const fail = () => become({ at: 'end', result: 'not made' });

  switch (phase.at) {
    case 'key':
      if (me.tries === me.maximumTries) return look(fail());
      return look({
        ...become(me.kind === 'small' && !me.readsAll ? { at: 'named', reads: {} } : { at: 'state' }),
        ring: table.projectKey,
        tries: me.tries + 1,
      });
    case 'state':
      // A writer that reads all heads verifies that they are consistent with the state.
      return look(
        stateRead(me, table) ??
          become({ at: 'tombstones', reads: { state: partOf(table), heads: ownOf(me, resolve(table)) } }),
      );
    case 'named': {
      const { reads } = phase;
      const { state, heads, tombstones } = reads;
      if (state !== undefined && heads !== undefined && tombstones !== undefined) {
        return look(decided(me, state, { ...tombstones, ...heads }));
      }
      const more = (found: Reads) => look(become({ at: 'named', reads: { ...reads, ...found } }));
      return [
        ...(state === undefined
          ? look(stateRead(me, table) ?? become({ at: 'named', reads: { ...reads, state: partOf(table) } }))
          : []),
        ...(heads === undefined ? more({ heads: ownOf(me, table.heads) }) : []),
        ...(tombstones === undefined ? more({ tombstones: ownOf(me, table.tombstones) }) : []),
      ];
    }
    case 'tombstones': {
      const { state, heads } = phase.reads;
      return look(decided(me, state, { ...ownOf(me, table.tombstones), ...heads }));
    }
    case 'blocked': {
      const { fence, beat } = phase;
      if (table.fence !== fence || table.pending === null) return look(again());
      // It may have paused for a whole lease at any time, by this writer's clock.
      const { revision } = table;
      return send({ kind: 'raise lease', fence, beat, copies: maximumCopies }, answer => {
        if (answer === 'done') return become({ at: 'undo read', holds: fence + 1, revision, own: false });
        return answer === 'refused' ? again() : fail();
      });
    }
    case 'small': {
      const { plan } = phase;
      const heads = Object.entries(plan.heads).flatMap(([item, head]) =>
        head.deleted === undefined ? [{ item, head }] : burialOf(item, head),
      );
      const { fence, expected } = plan;
      const writes = [...heads, ...versionWrites(plan)];
      const request = { kind: 'commit small', fence, writes, expected, ...contentOfPlan(me, plan) } as const;
      return send(request, answer => become(answer === 'done' ? afterCommit(plan) : afterFailure(plan, answer)));
    }
    case 'acquire': {
      const { plan } = phase;
      const steps = stepsOfPlan(me, plan);
      const copies = Math.min(me.lanes, steps.length);
      return send({ kind: 'acquire', fence: plan.fence, copies }, answer =>
        become(answer === 'done' ? { at: 'steps', plan, steps } : afterFailure(plan, answer)),
      );
    }
    case 'steps': {
      const { plan, steps } = phase;
      return stepsOf(me, plan.fence + 1, steps, {
        done: rest => (rest.length === 0 ? { at: 'commit', plan } : { at: 'steps', plan, steps: rest }),
        failed: answer => afterFailure(plan, answer),
      });
    }
    case 'last steps': {
      const { holds, steps, next } = phase;
      if (steps.length === 0) return look(become(next));
      const ended = (writes: ItemWrite[]) => become({ ...phase, steps: steps.filter(step => step !== writes) });
      return [
        ...steps.flatMap(writes => send({ kind: 'step', lane: 0, fence: holds, writes }, () => ended(writes))),
        // Or it has not been sent yet.
        ...look(become(next)),
      ];
    }
    case 'commit': {
      const { plan } = phase;
      const copies = Math.min(me.lanes, stepsOfPlan(me, plan).length);
      const left = Object.values(plan.heads).some(({ deleted }) => deleted === true);
      const content = { ...contentOfPlan(me, plan), ...(left ? ({ leavesDeadHeads: true } as const) : {}) };
      const request = { kind: 'commit large', fence: plan.fence + 1, copies, ...content } as const;
      return send(request, answer => become(answer === 'done' ? afterCommit(plan) : afterFailure(plan, answer)));
    }
    case 'raise': {
      const { plan } = phase;
      if (me.kind === 'small') {
        return send({ kind: 'raise state', fence: plan.fence }, answer =>
          answer === 'done' ? fail() : become({ at: 'look', plan, raised: answer }),
        );
      }
      const holds = plan.fence + 2;
      return send({ kind: 'raise lease', fence: plan.fence + 1, copies: maximumCopies }, answer => {
        if (answer !== 'done') return become({ at: 'look', plan, raised: answer });
        return become({ at: 'undo read', holds, revision: plan.revision - 1, own: true });
      });
    }
    case 'look': {
      const { plan, raised } = phase;
      if (table.audit.includes(entryOf(contentOfPlan(me, plan)))) return look(become(afterCommit(plan)));
      if (raised === 'unknown') return look(become({ at: 'end', result: 'unknown' }));
      const mayBeTaken = Object.keys(plan.expected).some(item => item.includes('#'));
      // If a version that should be new already exists, it reads all.
      return [...look(again()), ...(mayBeTaken ? look({ ...again(), readsAll: true }) : [])];
    }
    case 'move state': {
      const { deadHeadsUpTo: upTo, revision } = table;
      if (upTo === null) return look(become({ at: 'end', result: 'made' }));
      return look(become({ at: 'move heads', upTo, revision }));
    }
    case 'move heads': {
      const { upTo, revision } = phase;
      const dead = Object.entries(table.heads).filter(([, one]) => one.deleted === true && one.revision <= revision);
      return look(become({ at: 'move', upTo, moves: inRequests(dead, me.movesPerRequest) }));
    }
    case 'move': {
      const { upTo, moves } = phase;
      const over = become({ at: 'end', result: 'made' });
      if (moves.length === 0) return send({ kind: 'moved', fence: 0, upTo }, () => over);
      return moves.slice(0, maximumCopies).flatMap(heads => {
        const writes = Object.entries(heads).flatMap(([item, head]) => burialOf(item, head));
        const rest = moves.filter(one => one !== heads);
        return send({ kind: 'move', fence: 0, heads, writes }, answer =>
          answer === 'done' ? become({ at: 'move', upTo, moves: rest }) : over,
        );
      });
    }
    case 'undo read': {
      const { holds, revision, own } = phase;
      if (table.fence !== holds) return look(own ? fail() : again());
      const stamped = Object.entries(table.heads).filter(([, head]) => head.revision > revision);
      if (stamped.length === 0) return look(become({ at: 'release', holds, own }));
      const writes = stamped.map(([item, { version }]): ItemWrite[] => {
        if (version === 1) return [{ item, head: null }];
        const head = table.versions[`${item}#${version - 1}`];
        if (head === undefined || head.revision > revision) throw new Error(`${item} can't be undone`);
        if (head.deleted === true) return burialOf(item, head);
        return [{ item, head: { ...head, key: Math.max(head.key, me.ring) } }];
      });
      return look(become({ at: 'undo', holds, revision, own, steps: inSteps(writes, me.writesPerStep) }));
    }
    case 'undo': {
      const { holds, revision, own, steps } = phase;
      return stepsOf(me, holds, steps, {
        done: rest =>
          rest.length === 0
            ? { at: 'undo read', holds, revision, own }
            : { at: 'undo', holds, revision, own, steps: rest },
        failed: answer => (own || answer === 'unknown' ? { at: 'end', result: 'not made' } : { at: 'key' }),
      });
    }
    case 'release': {
      const { holds, own } = phase;
      return send({ kind: 'release', fence: holds, copies: maximumCopies }, answer =>
        own || answer === 'unknown' ? fail() : again(),
      );
    }
    case 'new key':
      return send({ kind: 'new key', fence: 0 }, () => become({ at: 'fence' }));
    case 'fence': {
      const { fence, pending, keyVersion, projectKey } = table;
      if (keyVersion >= projectKey) return look(become({ at: 'end', result: 'unknown' }));
      const request: Request =
        pending === null
          ? { kind: 'raise state', fence, keyVersion: projectKey }
          : { kind: 'raise lease', fence, copies: maximumCopies, keyVersion: projectKey };
      // A step of background work is retried until it succeeds.
      return send(request, () => me);
    }
    case 'end':
      return [];
  }
}

/** Steps in lanes. They are equal, so any of the next steps, one per lane, may be executed first. */
function stepsOf(
  me: Writer,
  holds: number,
  steps: ItemWrite[][],
  { done, failed }: { done: (rest: ItemWrite[][]) => Phase; failed: (answer: 'refused' | 'unknown') => Phase },
): Action[] {
  const sent = steps.slice(0, me.lanes);
  return sent.map((writes, lane) => ({
    does: 'send',
    request: { kind: 'step', lane, fence: holds, writes },
    answered: answer => {
      if (answer === 'done') return { ...me, phase: done(steps.filter(step => step !== writes)) };
      const others = sent.filter(step => step !== writes);
      return { ...me, phase: { at: 'last steps', holds, steps: others, next: failed(answer) } };
    },
  }));
}

function partOf({ fence, revision, digest, deadHeadsUpTo }: Table): StateRead {
  return { fence, revision, digest, deadHeadsUpTo };
}

function ownOf({ keys }: Writer, heads: Heads): Heads {
  return Object.fromEntries(Object.entries(heads).filter(([key]) => keys.includes(key)));
}

/** What the writer does if the state does not let it continue. */
function stateRead(me: Writer, { keyVersion, pending, fence }: Table): Writer | undefined {
  if (keyVersion > me.ring) return { ...me, phase: { at: 'key' } };
  if (pending === null) return undefined;
  return { ...me, phase: { at: 'blocked', fence, beat: pending.beat }, tries: me.tries - 1 };
}

/** Deleting a missing key changes nothing. */
function decided(me: Writer, state: StateRead, found: Heads): Writer {
  const plan = planOf(me, state, found);
  if (Object.keys(plan.heads).length === 0) return { ...me, phase: { at: 'end', result: 'not made' } };
  return { ...me, phase: me.kind === 'small' ? { at: 'small', plan } : { at: 'acquire', plan } };
}

function afterFailure(plan: Plan, answer: Exclude<Answer, 'done'>): Phase {
  return answer === 'refused' ? { at: 'look', plan, raised: 'refused' } : { at: 'raise', plan };
}

function afterCommit({ moves }: Plan): Phase {
  return moves ? { at: 'move state' } : { at: 'end', result: 'made' };
}

function contentOfPlan(me: Writer, { revision, digest, heads }: Plan): Content {
  const made = Object.entries(heads).map(([key, { version, fence }]) => [`${key}#${version}`, fence] as const);
  return { change: me.name, revision, digest, made: Object.fromEntries(made) };
}

/** @param found heads, or the tombstones of keys without one */
function planOf(me: Writer, state: StateRead, found: Heads): Plan {
  const revision = state.revision + 1;
  const heads: Record<string, Head> = {};
  const expected: Record<string, string[]> = {};
  for (const key of me.keys) {
    const old = found[key];
    const isThere = old !== undefined && old.deleted === undefined;
    const deleted = me.deletes.includes(key);
    if (deleted && !isThere) continue;
    const version = (old?.version ?? 0) + 1;
    // A deleted key has a head until it is moved.
    expected[key] = [...new Set([...(isThere ? [] : ['none']), identityOf(old)])];
    if (!isThere && !me.readsAll) expected[`${key}#${version}`] = ['none'];
    const head = { version, revision, fence: state.fence + 1 };
    heads[key] = deleted ? { ...head, key: 0, deleted } : { ...head, key: me.ring };
  }
  // The sum in the state, minus the replaced heads as the writer found them, plus the new ones.
  const replaced = Object.fromEntries(Object.entries(found).filter(([name]) => heads[name] !== undefined));
  const terms = new Set([...state.digest.split(' '), ...digestOf(heads).split(' ')].filter(term => term !== ''));
  for (const term of digestOf(replaced).split(' ')) {
    if (term !== '' && !terms.delete(term)) terms.add(`less ${term}`);
  }
  const digest = [...terms].sort().join(' ');
  const leavesDeadHeads = me.kind === 'large' && Object.values(heads).some(({ deleted }) => deleted === true);
  const moves = state.deadHeadsUpTo !== null || leavesDeadHeads;
  return { fence: state.fence, revision, digest, heads, expected, moves };
}

/** The head of a deleted key becomes its tombstone. */
function burialOf(item: string, head: Head): ItemWrite[] {
  return [
    { item, head: null },
    { item: `†${item}`, head },
  ];
}

/** Writes the versions before the heads. */
function stepsOfPlan(me: Writer, plan: Plan): ItemWrite[][] {
  const heads = Object.entries(plan.heads).map(([item, head]) => ({ item, head }));
  return inSteps([...versionWrites(plan), ...heads], me.writesPerStep);
}

function versionWrites({ heads }: Plan): ItemWrite[] {
  return Object.entries(heads).map(([key, head]) => ({ item: `${key}#${head.version}`, head }));
}

/** Writes that belong together stay in one step. */
function inSteps(writes: readonly (ItemWrite | readonly ItemWrite[])[], writesPerStep: number): ItemWrite[][] {
  const steps: ItemWrite[][] = [];
  for (const together of writes.map(one => [one].flat())) {
    const last = steps.at(-1);
    if (last !== undefined && last.length + together.length <= writesPerStep) last.push(...together);
    else steps.push([...together]);
  }
  return steps;
}

function inRequests(heads: readonly [string, Head][], perRequest: number): Heads[] {
  const requests: Heads[] = [];
  for (let start = 0; start < heads.length; start += perRequest) {
    requests.push(Object.fromEntries(heads.slice(start, start + perRequest)));
  }
  return requests;
}
