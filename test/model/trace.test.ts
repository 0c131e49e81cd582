import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { maximumFences } from '#lib/secrets/engine/fencing.ts';
import { fenceEnvironment } from '#lib/secrets/engine/lease.ts';
import { keys } from '#lib/table/keys.ts';
import { maximumWritesPerTransaction } from '#lib/table/write.ts';
import type { Answer } from '../support/api.ts';
import { expireLease, useWorkplace } from '../support/environments.ts';
import { injectFault } from '../support/inject-faults.ts';
import { numbered } from '../support/numbered.ts';
import { type AwsCall, type Conductor, conduct } from '../support/observe-calls.ts';
import { startObservedApi, withFault } from '../support/observed-api.ts';
import {
  type Action,
  actionsOf,
  digestOf,
  emptyTable,
  execute,
  type Request,
  resolve,
  type Table,
  type Writer,
  writer,
} from './protocol.ts';
import { readRequest } from './read-request.ts';

/* Each recorded write of a change is one that the model's writer may send then, and both tables respond alike. */

const { place } = useWorkplace(startObservedApi);

interface Recorded {
  name: string;
  request: Request;
  answer: 'done' | 'refused' | 'unknown';
  /** Whether the table has executed it, which its caller may not know. */
  executed: boolean;
}

/** Records what several callers do to one environment, and replays it in the model. */
function recorder() {
  const { pk: partition } = keys.environmentState(place.pathOf());
  const trace: Recorded[] = [];
  const writers = new Map<string, Writer>();
  const recording = (name: string, disturbed: Conductor = {}): Conductor => {
    const entries = new Map<number, Recorded>();
    return {
      // In the order of execution. What the store sends again is another request.
      attempt: async (call, send) => {
        const entry = entries.get(call.position);
        const executing = async () => {
          const output = await send();
          if (entry !== undefined) entry.executed = true;
          return output;
        };
        return disturbed.attempt?.(call, executing) ?? executing();
      },
      call: async (call: AwsCall, send) => {
        const request = /^(Transact|Put|Update|Delete)/.test(call.operation) ? readRequest(call, partition) : undefined;
        if (request === undefined || request.kind === 'beat') return send();
        const entry: Recorded = { name, request, answer: 'unknown', executed: false };
        entries.set(call.position, entry);
        trace.push(entry);
        try {
          const output = await send();
          entry.answer = 'done';
          return output;
        } catch (error) {
          const { CancellationReasons, name: kind } = error as { CancellationReasons?: unknown; name: string };
          if (`${kind} ${JSON.stringify(CancellationReasons)}`.includes('ConditionalCheckFailed'))
            entry.answer = 'refused';
          throw error;
        }
      },
    };
  };
  return {
    trace,
    /** A change by one caller, with the corresponding writer in the model. */
    async change(me: Writer, send: (headers: Record<string, string>) => Promise<Answer>, disturbed?: Conductor) {
      writers.set(me.name, me);
      await withFault({ conductor: recording(me.name, disturbed) }, send);
    },
    async rotate(me: Writer): Promise<void> {
      writers.set(me.name, me);
      trace.push({ name: me.name, request: { kind: 'new key', fence: 0 }, answer: 'done', executed: true });
      await conduct(recording(me.name), () => fenceEnvironment(place.pathOf(), place.project.id, 2));
    },
    /** @throws if the code did something that the model does not do. @returns the model's table at the end */
    replay(): Table {
      let table = emptyTable;
      for (const { name, request, answer, executed } of trace) {
        const action = offering(writers.get(name) as Writer, table, request);
        const lane = 'lane' in request ? { lane: request.lane } : {};
        const after = execute(table, { ...action.request, ...lane } as Request);
        // A request without a response was executed, or never sent; or it would have been rejected.
        if (executed || answer === 'refused') expect([request, executed]).toEqual([request, after !== undefined]);
        if (executed) table = after ?? table;
        writers.set(name, action.answered(answer));
      }
      return table;
    },
  };
}

type Sending = Extract<Action, { does: 'send' }>;

/** Lets the model's writer look until it sends the request. @throws if it never would */
function offering(me: Writer, table: Table, request: Request): Sending {
  const offered: Request[] = [];
  let now = [me];
  for (let looks = 0; looks < 12 && now.length > 0; looks += 1) {
    const actions = now.flatMap(one => actionsOf(one, table));
    for (const action of actions) {
      if (action.does === 'send' && isSame(action.request, request)) return action;
      if (action.does === 'send') offered.push(action.request);
    }
    now = actions.flatMap(action => (action.does === 'look' ? [action.next] : []));
  }
  throw new Error(`The model does not send ${JSON.stringify(request)}, but ${JSON.stringify(offered)}.`);
}

/** The same except for what a real request does not show, and for the lane: lanes are equal. */
function isSame(model: Request, real: Request): boolean {
  const comparable = (request: Request) => {
    const unseen = { change: undefined, digest: undefined, made: undefined, lane: undefined };
    const writes = 'writes' in request && request.writes.toSorted((a, b) => (a.item < b.item ? -1 : 1));
    return { ...request, ...unseen, writes };
  };
  return isDeepStrictEqual(comparable(model), comparable(real));
}

const inSteps = { writesPerStep: maximumWritesPerTransaction - 1, lanes: maximumFences, movesPerRequest: 45 };
const large = (name: string, count: number) => writer(name, 'large', { keys: namesOf(count), ...inSteps });
const namesOf = (count: number) => Object.keys(numbered(count, ''));
const small = (name: string) => writer(name, 'small', { keys: ['K1'], maximumTries: 5, ...inSteps });
const importing = (headers: Record<string, string>) => place.importAll('dev', numbered(60, 'v'), { headers });

describe('the code’s writes', () => {
  it('match the model’s for large and small changes', async () => {
    const { change, replay, trace } = recorder();
    const importingKeys = (count: number) => (headers: Record<string, string>) =>
      place.importAll('dev', numbered(count, `${trace.length}`), { headers });
    const setting = (headers: Record<string, string>) => place.set('dev', 'K1', `${trace.length}`, { headers });
    await change(small('first'), setting);
    await change(large('second', 60), importingKeys(60));
    await change(small('third'), setting);
    await change(large('fourth', 150), importingKeys(150));
    const { revision, digest, pending, heads, copies, audit } = replay();
    expect([revision, pending, copies, Object.keys(heads).length]).toEqual([4, null, [], 150]);
    expect(audit).toEqual(['first → 1', 'second → 2', 'third → 3', 'fourth → 4']);
    expect(digest.split(' ')).toHaveLength(150);
    const bothKinds = (steps: number) => ['commit small', 'acquire', ...Array(steps).fill('step'), 'commit large'];
    expect(trace.map(({ request }) => request.kind)).toEqual([...bothKinds(2), ...bothKinds(4)]);
  });

  // The calls of an import of 60 keys: 1 to 5 read, 6 takes the lease, 7 and 8 are its steps, 9 commits.
  it.each(
    [6, 7, 8, 9].flatMap(position =>
      (['refused', 'answer-lost', 'dies-after'] as const).map(kind => ({ position, kind })),
    ),
  )(
    'match the model’s for an import with the fault $kind at call $position, and for the change after it',
    async ({ kind, position }) => {
      const { change, replay, trace } = recorder();
      await change(small('first'), headers => place.set('dev', 'K1', 'old', { headers }));
      await change(large('second', 60), importing, injectFault(kind, position));
      await expireLease(place, 'dev');
      await change(small('third'), headers => place.set('dev', 'K1', 'new', { headers }));
      const table = replay();
      expect(table.pending).toBeNull();
      expect(digestOf(resolve(table))).toBe(table.digest);
      const { revision } = (await place.pull('dev')).body;
      expect(table.revision).toBe(revision);
      expect(trace.at(-1)?.request.kind).toBe('commit small');
    },
  );

  it('match the model’s for keys that are deleted and set again', async () => {
    const { change, replay, trace } = recorder();
    const names = namesOf(60);
    const deleting = (keys: readonly string[]) => (headers: Record<string, string>) =>
      place.bulkDelete('dev', keys, { headers });
    const setting = (headers: Record<string, string>) => place.set('dev', 'K1', `${trace.length}`, { headers });
    await change(large('first', 60), importing);
    await change(writer('second', 'small', { keys: ['K1'], deletes: ['K1'], ...inSteps }), deleting(['K1']));
    await change(small('third'), setting);
    const rest = writer('fourth', 'large', { keys: names, deletes: names, ...inSteps });
    await change(rest, deleting(names));
    await change(small('fifth'), setting);
    await change(large('sixth', 60), importing);

    const { revision, heads, tombstones, deadHeadsUpTo, digest } = replay();
    expect([revision, deadHeadsUpTo, Object.keys(heads).length]).toEqual([6, null, 60]);
    expect([heads.K1?.version, heads.K2?.version, tombstones.K1?.version]).toEqual([6, 3, 4]);
    expect(digest.split(' ')).toHaveLength(60);
    const moves = trace.filter(({ request }) => request.kind === 'move' || request.kind === 'moved');
    expect(moves.map(({ request }) => request.kind)).toEqual(['move', 'move', 'moved']);
    expect((await place.pull('dev', '/versions/K1')).body.versions).toHaveLength(6);
  });

  it('match the model’s for a change of a key with a version that never committed', async () => {
    const { change, replay } = recorder();
    // Its versions are written, but none of its heads.
    await change(large('first', 60), importing, injectFault('dies-after', 7));
    await expireLease(place, 'dev');
    await change(small('second'), headers => place.set('dev', 'K1', 'new', { headers }));
    const { revision, heads } = replay();
    expect({ revision, heads: Object.keys(heads) }).toEqual({ revision: 1, heads: ['K1'] });
    expect(await place.values('dev')).toEqual({ K1: 'new' });
  });

  it('match the model’s for a key rotation that meets an abandoned import', async () => {
    const { change, rotate, replay } = recorder();
    await change(large('first', 60), importing, injectFault('dies-after', 7));
    await rotate(writer('rotation', 'rotation'));
    const { keyVersion, pending } = replay();
    expect({ keyVersion, pending }).toEqual({ keyVersion: 2, pending: { beat: 2, abandoned: true } });
  });
});
