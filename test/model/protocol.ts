/*
 * A model of how changes of secrets are written (lib/secrets/engine/README.md): the table with the conditions of its
 * writes, and the writers with every order in which their requests may be answered, lost, executed late or executed
 * twice. `search.ts` walks through all of its states; `trace.test.ts` shows that the code takes these steps.
 *
 * What a head contains is the fencing token of the change that wrote it: no two changes, nor two tries of one, share it.
 */

export interface Head {
  version: number;
  revision: number;
  fence: number;
  /** The data key that it is sealed under. */
  key: number;
}

type Heads = Readonly<Record<string, Head>>;

export interface Table {
  readonly revision: number;
  readonly fence: number;
  /** Key by key the version and token that readers must find, as the sum in the state stands for them. */
  readonly digest: string;
  readonly pending: { readonly beat: number; readonly abandoned?: true } | null;
  /** The data key below which nothing is written any more. */
  readonly keyVersion: number;
  /** The data key of the project, whose item is another one. */
  readonly projectKey: number;
  /** The copies of the token that steps are conditioned on. */
  readonly copies: readonly number[];
  readonly heads: Heads;
  readonly versions: Heads;
  /** The audit entries: the change, and the revision it made. */
  readonly audit: readonly string[];
}

/** A put of a head or version, or a removal of a head. */
export interface ItemWrite {
  item: string;
  head: Head | null;
}

interface Content {
  change: string;
  revision: number;
  digest: string;
}

/** A write, as it travels. `fence` is the token that its condition demands. */
export type Request =
  | ({ kind: 'commit small'; fence: number; writes: ItemWrite[]; expected: Record<string, number> } & Content)
  | { kind: 'acquire'; fence: number; copies: number }
  | { kind: 'step'; lane: number; fence: number; writes: ItemWrite[] }
  | ({ kind: 'commit large'; fence: number; copies: number } & Content)
  | { kind: 'raise state'; fence: number; keyVersion?: number }
  | { kind: 'raise claim'; fence: number; beat?: number; copies: number; keyVersion?: number }
  | { kind: 'release'; fence: number; copies: number }
  | { kind: 'beat'; fence: number; beat: number }
  | { kind: 'new key'; fence: 0 };

/** What a raised claim uses, independent of what it used before. */
export const maximumCopies = 8;

/** The table after the request; undefined where its condition does not hold. */
export function execute(table: Table, request: Request): Table | undefined {
  const { fence } = request;
  const isHeld = table.pending !== null && table.fence === fence;
  switch (request.kind) {
    case 'commit small': {
      if (table.fence !== fence || table.audit.includes(entryOf(request))) return undefined;
      for (const [key, version] of Object.entries(request.expected)) {
        if ((table.heads[key]?.version ?? 0) !== version) return undefined;
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
    case 'raise claim': {
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
  }
}

function copiesOf(fence: number, count: number): number[] {
  return Array.from({ length: count }, () => fence);
}

function entryOf({ change, revision }: Content): string {
  return `${change} → ${revision}`;
}

function contentOf({ audit }: Table, content: Content) {
  return { revision: content.revision, digest: content.digest, audit: [...audit, entryOf(content)] };
}

function written(table: Table, writes: readonly ItemWrite[]): Table {
  const heads: Record<string, Head> = { ...table.heads };
  const versions: Record<string, Head> = { ...table.versions };
  for (const { item, head } of writes) {
    if (item.includes('#') && head !== null) versions[item] = head;
    else if (head === null) delete heads[item];
    else heads[item] = head;
  }
  return { ...table, heads: inOrder(heads), versions: inOrder(versions) };
}

function inOrder<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The heads as a reader resolves them: what is stamped later than the revision is read from the history. */
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
  before: Record<string, number>;
}

/** What a writer does next. `holds` is the token under which it writes. */
type Phase =
  | { at: 'key' }
  | { at: 'state' }
  | { at: 'heads'; read: Table }
  | { at: 'blocked'; fence: number; beat: number }
  | { at: 'small'; plan: Plan }
  | { at: 'acquire'; plan: Plan }
  | { at: 'steps'; plan: Plan; steps: ItemWrite[][] }
  /** A step failed. Those of the other lanes come to their end before anything else happens. */
  | { at: 'last steps'; holds: number; steps: ItemWrite[][]; next: Phase }
  | { at: 'commit'; plan: Plan }
  | { at: 'raise'; plan: Plan }
  | { at: 'look'; plan: Plan; raised: 'refused' | 'unknown' }
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
  readonly writesPerStep: number;
  readonly lanes: number;
  readonly phase: Phase;
  readonly tries: number;
  readonly maximumTries: number;
  /** The data key that the project had when the writer read it. */
  readonly ring: number;
}

export function writer(
  name: string,
  kind: Writer['kind'],
  more: Partial<Pick<Writer, 'keys' | 'writesPerStep' | 'lanes' | 'maximumTries'>> = {},
): Writer {
  const keys = kind === 'large' ? ['a', 'b'] : ['a'];
  const start: Phase = kind === 'rotation' ? { at: 'new key' } : { at: 'key' };
  return { name, kind, keys, writesPerStep: 1, lanes: 2, maximumTries: 2, ...more, phase: start, tries: 0, ring: 0 };
}

type Answer = 'done' | 'refused' | 'unknown';

/** Something that a writer can do next: look at the table, or send a request. */
export type Action =
  | { does: 'look'; next: Writer }
  | { does: 'send'; request: Request; answered: (answer: Answer) => Writer };

/** All that a writer may do next. */
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
      return look({ ...become({ at: 'state' }), ring: table.projectKey, tries: me.tries + 1 });
    case 'state':
      if (table.keyVersion > me.ring) return look(again());
      if (table.pending !== null) {
        return look({
          ...become({ at: 'blocked', fence: table.fence, beat: table.pending.beat }),
          tries: me.tries - 1,
        });
      }
      // A small change reads its heads at another moment than the state; a large one verifies that they are of one.
      if (me.kind === 'small') return look(become({ at: 'heads', read: table }));
      return look(become({ at: 'acquire', plan: planOf(me, table, resolve(table)) }));
    case 'heads':
      return look(become({ at: 'small', plan: planOf(me, phase.read, table.heads) }));
    case 'blocked': {
      const { fence, beat } = phase;
      if (table.fence !== fence || table.pending === null) return look(again());
      // It may have stood still for a whole lease at any time, by this writer's clock.
      const { revision } = table;
      return send({ kind: 'raise claim', fence, beat, copies: maximumCopies }, answer => {
        if (answer === 'done') return become({ at: 'undo read', holds: fence + 1, revision, own: false });
        return answer === 'refused' ? again() : fail();
      });
    }
    case 'small': {
      const { plan } = phase;
      const writes = [...headWrites(plan), ...versionWrites(plan)];
      const { fence, revision, digest, before } = plan;
      const request = {
        kind: 'commit small',
        fence,
        writes,
        expected: before,
        change: me.name,
        revision,
        digest,
      } as const;
      return send(request, answer => {
        if (answer === 'done') return become({ at: 'end', result: 'made' });
        return become(answer === 'refused' ? { at: 'look', plan, raised: 'refused' } : { at: 'raise', plan });
      });
    }
    case 'acquire': {
      const { plan } = phase;
      const steps = inSteps([...versionWrites(plan), ...headWrites(plan)], me.writesPerStep);
      const copies = Math.min(me.lanes, steps.length);
      return send({ kind: 'acquire', fence: plan.fence, copies }, answer => {
        if (answer === 'done') return become({ at: 'steps', plan, steps });
        return answer === 'refused' ? become({ at: 'look', plan, raised: 'refused' }) : become({ at: 'raise', plan });
      });
    }
    case 'steps': {
      const { plan, steps } = phase;
      return stepsOf(me, plan.fence + 1, steps, {
        done: rest => (rest.length === 0 ? { at: 'commit', plan } : { at: 'steps', plan, steps: rest }),
        failed: answer => (answer === 'refused' ? { at: 'look', plan, raised: 'refused' } : { at: 'raise', plan }),
      });
    }
    case 'last steps': {
      const { holds, steps, next } = phase;
      if (steps.length === 0) return look(become(next));
      const ended = (writes: ItemWrite[]) => become({ ...phase, steps: steps.filter(step => step !== writes) });
      return [
        ...steps.flatMap(writes => send({ kind: 'step', lane: 0, fence: holds, writes }, () => ended(writes))),
        // Or it was not sent yet.
        ...look(become(next)),
      ];
    }
    case 'commit': {
      const { plan } = phase;
      const copies = Math.min(
        me.lanes,
        inSteps([...versionWrites(plan), ...headWrites(plan)], me.writesPerStep).length,
      );
      const { revision, digest } = plan;
      const request = {
        kind: 'commit large',
        fence: plan.fence + 1,
        copies,
        change: me.name,
        revision,
        digest,
      } as const;
      return send(request, answer => {
        if (answer === 'done') return become({ at: 'end', result: 'made' });
        return become(answer === 'refused' ? { at: 'look', plan, raised: 'refused' } : { at: 'raise', plan });
      });
    }
    case 'raise': {
      const { plan } = phase;
      if (me.kind === 'small') {
        return send({ kind: 'raise state', fence: plan.fence }, answer =>
          answer === 'done' ? fail() : become({ at: 'look', plan, raised: answer }),
        );
      }
      const holds = plan.fence + 2;
      return send({ kind: 'raise claim', fence: plan.fence + 1, copies: maximumCopies }, answer => {
        if (answer !== 'done') return become({ at: 'look', plan, raised: answer });
        return become({ at: 'undo read', holds, revision: plan.revision - 1, own: true });
      });
    }
    case 'look': {
      const { plan, raised } = phase;
      if (table.audit.includes(entryOf({ change: me.name, revision: plan.revision, digest: '' }))) {
        return look(become({ at: 'end', result: 'made' }));
      }
      return look(raised === 'refused' ? again() : become({ at: 'end', result: 'unknown' }));
    }
    case 'undo read': {
      const { holds, revision, own } = phase;
      if (table.fence !== holds) return look(own ? fail() : again());
      const stamped = Object.entries(table.heads).filter(([, head]) => head.revision > revision);
      if (stamped.length === 0) return look(become({ at: 'release', holds, own }));
      const writes = stamped.map(([item, { version }]): ItemWrite => {
        if (version === 1) return { item, head: null };
        const head = table.versions[`${item}#${version - 1}`];
        if (head === undefined || head.revision > revision) throw new Error(`${item} can't be undone`);
        return { item, head: { ...head, key: Math.max(head.key, me.ring) } };
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
          : { kind: 'raise claim', fence, copies: maximumCopies, keyVersion: projectKey };
      // A step of background work is tried again until it works.
      return send(request, () => me);
    }
    case 'end':
      return [];
  }
}

/** Steps in lanes. These are equals, so any of the next steps, one for each lane, may be executed first. */
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

function planOf(me: Writer, state: Table, found: Heads): Plan {
  const revision = state.revision + 1;
  const heads: Record<string, Head> = {};
  const before: Record<string, number> = {};
  for (const key of me.keys) {
    const version = found[key]?.version ?? 0;
    before[key] = version;
    heads[key] = { version: version + 1, revision, fence: state.fence + 1, key: me.ring };
  }
  // The sum in the state, less the heads that are replaced as the writer found them, and the new ones.
  const replaced = Object.fromEntries(Object.entries(found).filter(([name]) => heads[name] !== undefined));
  const terms = new Set([...state.digest.split(' '), ...digestOf(heads).split(' ')].filter(term => term !== ''));
  for (const term of digestOf(replaced).split(' ')) {
    if (term !== '' && !terms.delete(term)) terms.add(`less ${term}`);
  }
  const digest = [...terms].sort().join(' ');
  return { fence: state.fence, revision, digest, heads, before };
}

function headWrites({ heads }: Plan): ItemWrite[] {
  return Object.entries(heads).map(([item, head]) => ({ item, head }));
}

function versionWrites({ heads }: Plan): ItemWrite[] {
  return Object.entries(heads).map(([key, head]) => ({ item: `${key}#${head.version}`, head }));
}

function inSteps(writes: readonly ItemWrite[], writesPerStep: number): ItemWrite[][] {
  const steps: ItemWrite[][] = [];
  for (let start = 0; start < writes.length; start += writesPerStep) {
    steps.push(writes.slice(start, start + writesPerStep));
  }
  return steps;
}
