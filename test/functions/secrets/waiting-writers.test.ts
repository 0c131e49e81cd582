import { describe, expect, it } from 'vitest';
import { openLog } from '#lib/core/logger.ts';
import { newTicket } from '#lib/secrets/engine/tickets.ts';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord, ticketsRecord } from '#lib/table/records/environment.ts';
import { retryBudget, withDeadline } from '#lib/table/retry.ts';
import { increment, transact, update } from '#lib/table/write.ts';
import { type Answer, codeOf } from '#test/support/api.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { gate } from '#test/support/gate.ts';
import { isTableWrite } from '#test/support/inject-faults.ts';
import { numbered } from '#test/support/numbered.ts';
import type { Conductor } from '#test/support/observe-calls.ts';
import { recordRequest, startObservedApi, withFault } from '#test/support/observed-api.ts';
import { seedOwner } from '#test/support/people.ts';
import { countsOf } from '#test/support/record-calls.ts';

const api = shared(startObservedApi);
const owner = shared(seedOwner);
const stateAt = (place: Workplace) => at(environmentStateRecord, place.pathOf());
const ticketsAt = (place: Workplace) => at(ticketsRecord, place.pathOf());
const issue = (place: Workplace, count: number) => {
  const expiresAt = Math.floor(Date.now() / 1000) + 3600;
  return increment(ticketsAt(place), { add: { issued: count }, setIfAbsent: { expiresAt } });
};
async function openLine(tickets = 1) {
  const place = await openWorkplace(api, owner);
  await place.set('dev', 'A', 'x');
  await issue(place, tickets);
  const setState = (set: object) => transact([update(stateAt(place), { set })]);
  return { place, setState };
}
const readState = async (place: Workplace) => {
  const state = await find(stateAt(place));
  if (state === undefined) throw new Error('There is no such environment.');
  return state;
};
const ticketOf = (place: Workplace) => newTicket(place.pathOf(), retryBudget(), openLog({ operation: 'set-secret' }));

describe('a writer behind others', () => {
  it('ends its ticket in its commit', async () => {
    const { place } = await openLine();
    const { answer, calls } = await recordRequest(headers => place.set('dev', 'B', 'x', { headers }));
    expect(answer.status).toBe(201);
    expect(await readState(place)).toMatchObject({ revision: 2, served: 2 });
    expect((await find(ticketsAt(place)))?.issued).toBe(2);
    // It takes its ticket, and commits.
    expect(calls.filter(isTableWrite).map(({ operation }) => operation)).toEqual(['UpdateItem', 'TransactWriteItems']);
  });

  it('ends its ticket without a commit if there is nothing to change', async () => {
    const { place } = await openLine();
    expect((await place.set('dev', 'A', 'x')).body.changed).toBe(false);
    expect(await readState(place)).toMatchObject({ revision: 1, served: 2 });
  });

  it('that reads the whole environment reads only its state while it waits', async () => {
    const { place } = await openLine();
    const secrets = numbered(60, 'x', 'KEY_');
    const { answer, calls } = await recordRequest(headers => place.importAll('dev', secrets, { headers }));
    expect(answer.status).toBe(200);
    const wholes = calls.filter(({ operation }) => operation === 'Query');
    // The webhooks once, and all heads for the first attempt and for the one that commits.
    expect(wholes).toHaveLength(3);
  });

  it('that has named another revision is refused without waiting for its turn', async () => {
    const { place } = await openLine();
    const { answer, calls } = await recordRequest(headers =>
      place.set('dev', 'A', 'y', { headers: { ...headers, 'if-match': '"0"' } }),
    );
    expect(codeOf(answer)).toBe('412 revision_mismatch');
    expect(calls.filter(isTableWrite)).toEqual([]);
  });

  it('that gets no turn before its deadline learns how long the others will take', async () => {
    const { place } = await openLine(500);
    const reads = { state: await readState(place), tickets: await find(ticketsAt(place)) };
    const error = await withDeadline(() => ticketOf(place).take(reads, true), 100).catch(e => e);
    expect(error).toMatchObject({ code: 'temporarily_unavailable', isExpected: true });
    // The time per writer is a guess of 20 ms, or what earlier tests of this process measured, up to 100 ms.
    expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(50);
    expect(error.message).toContain(`in ${error.retryAfterSeconds} s.`);
  });

  it('waits for as long as the large change in progress shows signs of life', async () => {
    const { place } = await openLine();
    const state = await readState(place);
    const ticket = ticketOf(place);
    await ticket.take({ state, tickets: undefined }, true);
    // A read follows the last one after 5 ms at the earliest, and a queue without signs of life stands still for 1 s.
    let heartbeat = 0;
    const reads = await ticket.readWhenServed(async () => {
      heartbeat += 1;
      const pending = { revision: 1, fences: 1, heartbeat };
      return { state: { ...state, pending, ...(heartbeat < 300 ? {} : { served: 1 }) }, tickets: undefined };
    });
    expect(reads.state.served).toBe(1);
  });

  it('takes a number above those already served once the counter has expired', async () => {
    const { place, setState } = await openLine(501);
    await setState({ served: 500 });
    const reads = { state: await readState(place), tickets: await find(ticketsAt(place)) };
    await transact([update(ticketsAt(place), { set: { issued: 3 } })]);
    const ticket = ticketOf(place);
    await ticket.take(reads, true);
    expect((await find(ticketsAt(place)))?.issued).toBe(501);
    expect(ticket.servedBy(reads.state)).toBe(501);
  });

  it('never ends the tickets of a later environment with the same slugs', async () => {
    const place = await openWorkplace(api, owner);
    await place.set('dev', 'A', 'x');
    const ticket = ticketOf(place);
    await ticket.take({ state: await readState(place), tickets: undefined }, true);
    await transact([update(stateAt(place), { set: { id: 'another' } })]);
    await ticket.end();
    expect((await readState(place)).served).toBeUndefined();
  });
});

describe('a writer that has waited in line', () => {
  /** Runs `meanwhile` once the request waits in line; if `isLonger`, once it was re-authorized and is not yet due. */
  async function sendInLine(
    place: Workplace,
    meanwhile: () => Promise<unknown>,
    send: (headers: Record<string, string>) => Promise<Answer>,
    { isLonger = false } = {},
  ): Promise<Answer> {
    const { sk } = ticketsAt(place).key;
    const { pk } = stateAt(place).key;
    const reauthorized = gate();
    let ticketsTaken = 0;
    let readsInLine = 0;
    const conductor: Conductor = {
      call: async (call, proceed) => {
        const isInLine = ticketsTaken > 0;
        const result = await proceed();
        const input = JSON.stringify(call.input);
        if (call.operation === 'UpdateItem' && call.input.Key.sk === sk) {
          ticketsTaken += 1;
          if (!isLonger) await meanwhile();
        }
        if (!isLonger || !isInLine || call.operation !== 'BatchGetItem') return result;
        if (input.includes('"MEMBER#')) reauthorized.open();
        if (!input.includes(pk)) return result;
        readsInLine += 1;
        if (readsInLine > 1) return result;
        await reauthorized.opened;
        await meanwhile();
        await transact([update(stateAt(place), { set: { served: 1 } })]);
        return result;
      },
    };
    const answer = await withFault({ conductor }, send);
    expect(ticketsTaken).toBe(1);
    return answer;
  }

  it('changes nothing if its token was revoked meanwhile, and lets the next one be served', async () => {
    const { place } = await openLine();
    const { body } = await api.post('/auth/token', { name: 'x' }, owner.session);
    const answer = await sendInLine(
      place,
      () => api.delete(`/auth/tokens/${body.cliToken.id}`, owner.session),
      headers => place.set('dev', 'B', 'x', { as: { token: body.token }, headers }),
    );
    expect(codeOf(answer)).toBe('401 unauthenticated');
    expect(await readState(place)).toMatchObject({ revision: 1, secretCount: 1, served: 2 });
  });

  it.each([
    ['was demoted', 403],
    ['was removed', 404],
    ['has logged out', 401],
  ] as const)('changes nothing if its author %s since it was re-authorized first', async (what, status) => {
    const { place } = await openLine();
    const author = await place.member('developer');
    const members = `/members/${owner.organization.id}`;
    const roster = (await api.get(members, owner.session)).body.members as { id: string; userId: string }[];
    const member = `${members}/${roster.find(({ userId }) => userId === author.user.id)?.id}`;
    const lose = {
      'was demoted': () => api.patch(member, { role: 'viewer' }, owner.session),
      'was removed': () => api.delete(member, owner.session),
      'has logged out': () => api.post('/auth/logout', undefined, author.session),
    };

    const answer = await sendInLine(
      place,
      async () => expect((await lose[what]()).status).toBe(200),
      headers => place.set('dev', 'LATE', 'x', { as: author.session, headers }),
      { isLonger: true },
    );

    expect(answer.status).toBe(status);
    expect(await place.values('dev')).toEqual({ A: 'x' });
  });

  it('is refused if the revision it has named has passed meanwhile', async () => {
    const { place, setState } = await openLine();
    const { fence } = await readState(place);
    const answer = await sendInLine(
      place,
      () => setState({ revision: 2, fence: fence + 1 }),
      headers => place.set('dev', 'A', 'y', { headers: { ...headers, 'if-match': '"1"' } }),
    );
    expect(codeOf(answer)).toBe('412 revision_mismatch');
    expect(await readState(place)).toMatchObject({ revision: 2, served: 2 });
  });

  it('never lowers the number served, however late it commits', async () => {
    const { place, setState } = await openLine();
    const answer = await sendInLine(
      place,
      () => setState({ served: 7 }),
      headers => place.set('dev', 'B', 'x', { headers }),
    );
    expect(answer.status).toBe(201);
    expect(await readState(place)).toMatchObject({ revision: 2, served: 7 });
  });
});

describe('many writers at once', () => {
  it('each get their own revision, audit entry and event, and a wrong change refuses only itself', async () => {
    const place = await openWorkplace(api, owner);
    await place.set('dev', 'KEPT', 'x');
    const webhook = { url: 'http://127.0.0.1:9/', events: ['secret.created', 'secret.deleted'] };
    expect((await api.post(`/webhooks/${owner.organization.id}`, webhook, owner.session)).status).toBe(201);
    const keys = Array.from({ length: 10 }, (_, n) => `KEY_${n}`);
    const rights = keys.map(key => (headers: Record<string, string>) => place.set('dev', key, 'x', { headers }));
    const wrongs = [
      (headers: Record<string, string>) => place.remove('dev', 'MISSING', { headers }),
      (headers: Record<string, string>) =>
        place.set('dev', 'KEPT', 'y', { headers: { ...headers, 'if-match': '"0"' } }),
    ];
    const results = await Promise.all([...rights, ...wrongs].map(send => recordRequest(send)));
    const answers = results.map(({ answer }) => answer);
    expect(answers.map(({ status }) => status)).toEqual([...rights.map(() => 201), 404, 412]);
    const revisions = answers.slice(0, rights.length).map(({ body }) => body.revision);
    expect(revisions.toSorted((a, b) => a - b)).toEqual(rights.map((_, n) => n + 2));
    const messages = results.map(({ calls }) => countsOf(calls).sqsMessages);
    expect(messages).toEqual([...rights.map(() => 1), 0, 0]);

    const entries = (await place.entriesOf('secret.created')).map(entry => `${entry.keys} ${entry.revision}`);
    const expected = ['KEPT 1', ...revisions.map((revision, n) => `${keys[n]} ${revision}`)];
    expect(entries.toSorted()).toEqual(expected.toSorted());
    expect(await place.values('dev')).toEqual({ KEPT: 'x', ...numbered(10, 'x', 'KEY_') });
  });

  it('all get their change, for at most 18 calls each', async () => {
    const place = await openWorkplace(api, owner);
    const startedAt = Date.now();
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, n) => recordRequest(headers => place.set('dev', `KEY_${n}`, 'x', { headers }))),
    );
    expect(new Set(results.map(({ answer }) => answer.status))).toEqual(new Set([201]));
    expect(new Set(results.map(({ answer }) => answer.body.revision)).size).toBe(40);
    const calls = results.reduce((sum, one) => sum + one.calls.length, 0);
    // On a machine that needs more than 100 ms for a change, they look at the queue more often: once a second.
    const extraSeconds = Math.max(0, Date.now() - startedAt - 40 * 100) / 1000;
    expect(calls / results.length).toBeLessThanOrEqual(18 + extraSeconds);
    expect((await find(stateAt(place)))?.revision).toBe(40);
  });
});
