import { describe, expect, it } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord, ticketsRecord } from '#lib/table/records/environment.ts';
import { increment } from '#lib/table/write.ts';
import { expireLease, useWorkplace } from '#test/support/environments.ts';
import { eventually } from '#test/support/eventually.ts';
import { isTableWrite } from '#test/support/inject-faults.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { numbered } from '#test/support/numbered.ts';
import type { AwsCall, Conductor } from '#test/support/observe-calls.ts';
import { recordRequest, startObservedApi, withFault } from '#test/support/observed-api.ts';
import { stalling } from '#test/support/stalling.ts';

const { api, owner, place } = useWorkplace(startObservedApi);
const many = (fill: string) => numbered(60, fill);
const stateOf = () => at(environmentStateRecord, place.pathOf());
const ticketsOf = () => at(ticketsRecord, place.pathOf());
/** The ticket of another writer, who died. All later writers wait behind it. */
const issueTicket = () => {
  const expiresAt = Math.floor(Date.now() / 1000) + 3600;
  return increment(ticketsOf(), { add: { issued: 1 }, setIfAbsent: { expiresAt } });
};

const expire = () => expireLease(place, 'dev');

// The calls of an import of 60 keys: 1 to 5 read, 6 takes the lease, 7 writes the versions, 8 the heads, 9 commits.
const committing = 9;
// The set that finds it: calls 1 to 3 read, 4 and 5 check for signs of life, 6 takes over, 7 to 10 undo.
const cases = [6, 7, 8, 9].flatMap(first => [undefined, 4, 6, 7, 8, 9, 10].map(second => ({ first, second })));

describe('a large import that dies after its call', () => {
  it.each(cases)(
    '$first leaves all or nothing, even if the writer that undoes it dies after call $second',
    async ({ first, second }) => {
      await place.importAll('dev', { ...many('old'), KEPT: 'kept' });
      const dies = (position?: number) => (position ? ({ kind: 'dies-after', position } as const) : undefined);
      const imported = { ...many('new'), BORN: 'new' };
      await withFault(dies(first), headers => place.importAll('dev', imported, { headers }));

      const done = first >= committing;
      const expected = { KEPT: 'kept', ...many('old'), ...(done && imported) };
      expect(await place.values('dev')).toEqual(expected);
      await expire();
      await withFault(dies(second), headers => place.set('dev', 'OTHER', 'x', { headers }));
      const hasOther = (await place.values('dev')).OTHER !== undefined;
      const values = { ...expected, ...(hasOther && { OTHER: 'x' }) };
      expect(await place.values('dev')).toEqual(values);

      await expire();
      const last = await place.set('dev', 'K3', 'last');
      const revision = 1 + Number(done) + Number(hasOther) + 1;
      expect(last.body).toMatchObject({ revision, secret: { version: done ? 3 : 2 } });
      expect(await place.values('dev')).toEqual({ ...values, K3: 'last' });
      const versions = await place.history('dev', 'K3');
      expect(versions.map(({ value }) => value)).toEqual(['last', ...(done ? ['new'] : []), 'old']);
      expect((await find(stateOf()))?.pending).toBeUndefined();
    },
  );

  it('repeatedly delays an ordinary change by one lease at most, even with an abandoned ticket', async () => {
    await place.importAll('dev', many('old'));
    // Call 7 writes versions. Each later import reads, checks for signs of life and takes over with call 8.
    for (const position of [7, 8, 8, 8]) {
      await expireLease(place, 'dev');
      await withFault({ kind: 'dies-after', position }, headers => place.importAll('dev', many('new'), { headers }));
    }
    const { fence, pending } = (await find(stateOf())) ?? {};
    expect([fence, pending?.abandoned]).toEqual([6, undefined]);
    await issueTicket();

    const { answer: set, calls } = await recordRequest(headers => place.set('dev', 'K1', 'set', { headers }));

    expect(set.body.revision).toBe(2);
    // It polls at random intervals, every 200 ms on average, or less often on a busy machine: for 3 s until the lease has
    // expired, and 1 s for the ticket. Each poll makes two such calls, 30 to 40 in all; a second lease would be 30 more.
    expect(calls.filter(({ operation }) => operation === 'BatchGetItem').length).toBeLessThan(52);
    expect(await place.values('dev')).toEqual({ ...many('old'), K1: 'set' });
  });

  it('is left alone by a dry run, which plans based on what every reader sees', async () => {
    await place.importAll('dev', many('old'));
    await withFault({ kind: 'dies-after', position: 7 }, headers => place.importAll('dev', many('new'), { headers }));
    await expire();
    const before = await find(stateOf());
    const { status, body } = await api.put(place.at('dev', '?dryRun=true'), { key: 'K1', value: 'x' }, owner.session);
    expect([status, body.plan.updated, body.revision]).toEqual([200, ['K1'], 1]);
    expect(before?.pending).toBeDefined();
    expect(await find(stateOf())).toEqual(before);
    expect((await place.set('dev', 'K1', 'x')).body.revision).toBe(2);
  });

  it('leaves a consistent table', async () => {
    expect(violationsOf(await scanTable())).toEqual([]);
  });
});

it('a writer that was presumed dead and resumes changes nothing any more, starts again and loses no update', async () => {
  await place.importAll('dev', many('old'));
  // The import sleeps before it writes its heads. In the meantime, another writer takes over its lease and undoes it.
  const imported = await stalling(
    ({ position }) => position === 7,
    headers => place.importAll('dev', many('new'), { headers }),
    async () => {
      expect(await place.values('dev')).toEqual(many('old'));
      await expire();
      expect((await place.set('dev', 'K1', 'between')).body.revision).toBe(2);
      expect(await place.values('dev')).toEqual({ ...many('old'), K1: 'between' });
    },
  );
  expect(imported.body).toMatchObject({ revision: 3, updated: { length: 60 } });
  expect(await place.values('dev')).toEqual(many('new'));
  const versions = await place.history('dev', 'K1');
  expect(versions.map(({ value }) => value)).toEqual(['new', 'between', 'old']);
});

describe('a read that DynamoDB answers with items from two points in time', () => {
  interface Item {
    sk: string;
  }
  /** Records the responses to these calls, or replaces the first one with the result of `replay`. */
  const watching = (
    isMeant: (call: AwsCall) => boolean,
    // biome-ignore lint/suspicious/noExplicitAny: responses of any command
    replay: (answer: any) => any,
  ) => {
    let times = 0;
    return {
      times: () => times,
      conductor: {
        call: async (call: AwsCall, send: () => Promise<unknown>) => {
          const answer = await send();
          if (!isMeant(call)) return answer;
          times += 1;
          return times === 1 ? replay(answer) : answer;
        },
      },
    };
  };
  // biome-ignore lint/suspicious/noExplicitAny: responses of any command
  let older: any;
  const recording = (isMeant: (call: AwsCall) => boolean) =>
    watching(isMeant, answer => {
      older = structuredClone(answer.output);
      return answer;
    });

  it('is detected by a pull, which reads again', async () => {
    await place.importAll('dev', { A: 'one', B: 'same' });
    const isHeads = ({ operation, input }: AwsCall) =>
      operation === 'Query' && input.ExpressionAttributeValues[':from'].startsWith('HEAD');
    await withFault(recording(isHeads), headers => place.pull('dev', '', { headers }));
    await place.set('dev', 'A', 'two');
    // The state is new, the heads are old.
    const torn = watching(isHeads, answer => {
      const heads = older.Items.filter(({ sk }: Item) => sk.startsWith('HEAD#'));
      const replaced = (item: Item) => heads.find(({ sk }: Item) => sk === item.sk) ?? item;
      answer.output.Items = answer.output.Items.map(replaced);
      return answer;
    });
    const pulled = await withFault(torn, headers => place.pull('dev', '', { headers }));
    expect(torn.times()).toBe(2);
    expect(pulled.body).toMatchObject({ revision: 2, secrets: [{ value: 'two' }, { value: 'same' }] });
  });

  it('is detected by a set, which would otherwise mistake an older value for the current one', async () => {
    await place.set('dev', 'A', 'one');
    const isHead = ({ operation, input }: AwsCall) =>
      operation.startsWith('BatchGet') && JSON.stringify(input).includes('"HEAD#A"');
    await withFault(recording(isHead), headers => place.set('dev', 'A', 'one', { headers }));
    await place.set('dev', 'A', 'two');
    // The state is new, the head is old.
    const torn = watching(isHead, answer => {
      for (const [table, items] of Object.entries<Item[]>(answer.output.Responses)) {
        const head = older.Responses[table].find(({ sk }: Item) => sk === 'HEAD#A');
        answer.output.Responses[table] = items.map(item => (item.sk === 'HEAD#A' ? head : item));
      }
      return answer;
    });
    const set = await withFault(torn, headers => place.set('dev', 'A', 'one', { headers }));
    expect(torn.times()).toBeGreaterThan(1);
    expect(set.body).toMatchObject({ changed: true, revision: 3, secret: { version: 3 } });
    expect(await place.values('dev')).toEqual({ A: 'one' });
  });
});

it('a live writer is waited for, not undone', async () => {
  await place.importAll('dev', many('old'));
  const importing = place.importAll('dev', many('new'));
  const sets = await Promise.all(Array.from({ length: 5 }, (_, i) => place.set('dev', `S${i}`, 'v')));
  expect((await importing).status).toBe(200);
  expect(sets.map(({ status }) => status)).toEqual(Array(5).fill(201));
  expect((await place.pull('dev')).body.revision).toBe(7);
});

it('a writer that dies with a ticket delays the writers behind it, and none after them', async () => {
  const tickets = ticketsOf();
  await issueTicket();
  let ticket: number | undefined;
  const diesWithTicket: Conductor = {
    attempt: async (call, send) => {
      if (ticket !== undefined || call.operation.startsWith('TransactWrite')) {
        ticket ??= (await find(tickets))?.issued;
        throw new Error('the process is dead (injected)');
      }
      return send();
    },
  };

  const dies = withFault({ conductor: diesWithTicket }, headers => place.set('dev', 'DIES', 'x', { headers }));
  await eventually(async () => expect((await find(tickets))?.issued).toBe(2));
  const behind = await Promise.all(Array.from({ length: 4 }, (_, i) => place.set('dev', `K${i}`, 'x')));
  await dies;

  expect(ticket).toBeGreaterThanOrEqual(2);
  expect(behind.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  const next = await recordRequest(headers => place.set('dev', 'NEXT', 'x', { headers }));
  expect(next.answer.status).toBe(201);
  const isOfTickets = ({ input }: AwsCall) => JSON.stringify(input).includes(tickets.key.sk);
  expect(next.calls.filter(call => isTableWrite(call) && isOfTickets(call))).toEqual([]);
  expect(Object.keys(await place.values('dev'))).toEqual(['K0', 'K1', 'K2', 'K3', 'NEXT']);
});
