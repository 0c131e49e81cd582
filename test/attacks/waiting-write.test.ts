import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '#lib/contracts/routes.ts';
import { readCredential } from '#lib/crypto/credentials.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find, list, readAll } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { memberRecord, membershipRecord } from '#lib/table/records/organization.ts';
import { put, remove, transact } from '#lib/table/write.ts';
import { type Answer, createToken, useApi } from '../support/api.ts';
import { expireLease, openWorkplace, type Workplace } from '../support/environments.ts';
import { injectFault } from '../support/inject-faults.ts';
import type { Conductor } from '../support/observe-calls.ts';
import { startObservedApi, withFault } from '../support/observed-api.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { samples, send as sendSample } from '../support/samples.ts';

const api = useApi(startObservedApi);
let place: Workplace;
let members: string;
beforeAll(async () => {
  place = await openWorkplace(api);
  members = `/members/${place.owner.organization.id}`;
});

const uncovered: ReadonlySet<string> = new Set([
  // They only send a message to the queue.
  'test-webhook',
  'redeliver-webhook',
  // The payment provider has created a page before the audit entry is written; its address is not returned then.
  'start-checkout',
  'open-portal',
]);

async function memberIdOf({ user }: Person): Promise<string> {
  const { body } = await api.get(members, place.owner.session);
  return body.members.find(({ userId }: { userId: string }) => userId === user.id).id;
}

type Attempt = Parameters<NonNullable<Conductor['attempt']>>;

/**
 * Sends a write that conflicts with another one, so it waits. `meanwhile` runs before its next attempt.
 * @param nth the transaction of the request that has to wait; those that undo it wait as well
 */
async function sendWaiting(
  meanwhile: () => Promise<unknown>,
  send: (headers: Record<string, string>) => Promise<Answer>,
  nth = 1,
) {
  let transactions = 0;
  const waited = new Set<string>();
  const conductor = {
    async attempt(...[call, send]: Attempt) {
      const items = (call.input.TransactItems ?? []) as { Update?: unknown }[];
      const writes = JSON.stringify(items);
      // The credential's last use is written in parallel, and the request does not wait for it.
      const isLastUse = items.length === 1 && items[0]?.Update !== undefined && writes.includes('lastUsedAt');
      if (call.operation !== 'TransactWriteItems' || isLastUse) return send();
      transactions += 1;
      if (transactions < nth || waited.has(writes)) return send();
      const isFirst = waited.size === 0;
      waited.add(writes);
      if (isFirst) await meanwhile();
      return injectFault('conflict', call.position).attempt?.(call, send);
    },
  };
  const answer = await withFault({ conductor }, send);
  expect(transactions).toBeGreaterThanOrEqual(nth);
  return [answer.status, answer.body.error?.code];
}

/** Sends a request whose first read of secrets is throttled for a while, and runs `meanwhile` in that time. */
async function sendThrottled(
  meanwhile: () => Promise<unknown>,
  send: (headers: Record<string, string>) => Promise<Answer>,
) {
  let fault: Conductor | undefined;
  const conductor = {
    async attempt(...[call, send]: Attempt) {
      if (fault === undefined && JSON.stringify(call.input).includes('"ENV#')) {
        fault = injectFault('throttled', call.position);
        // The request is authorized first.
        await new Promise(resolve => setTimeout(resolve, 300));
        await meanwhile();
      }
      return fault?.attempt?.(call, send) ?? send();
    },
  };
  const answer = await withFault({ conductor }, send);
  expect(fault).toBeDefined();
  return [answer.status, answer.body.error?.code];
}

it('a delayed write is made if its member still has the right', async () => {
  const developer = await place.member('developer');

  const answer = await sendWaiting(
    async () => undefined,
    headers => place.set('dev', 'HONEST', 'x', { as: developer.session, headers }),
  );

  expect(answer).toEqual([201, undefined]);
});

it('a removed member’s delayed write is not made, with a session or a token', async () => {
  for (const credential of ['session', 'token', 'bound token']) {
    const developer = await place.member('developer');
    const scope = credential === 'bound token' ? { organizationId: place.owner.organization.id } : {};
    const as = credential === 'session' ? developer.session : await createToken(api, developer, scope);
    const id = await memberIdOf(developer);

    const answer = await sendWaiting(
      () => api.delete(`${members}/${id}`, place.owner.session),
      headers => place.set('dev', 'LATE', credential, { as, headers }),
    );

    expect(answer[0]).toBe(credential === 'bound token' ? 401 : 404);
  }
  expect(await place.values('dev')).not.toHaveProperty('LATE');
});

it('a demoted member’s delayed write is re-authorized with the new role, and so is a demoted owner’s', async () => {
  const developer = await place.member('developer');
  const id = await memberIdOf(developer);
  const demoted = await sendWaiting(
    () => api.patch(`${members}/${id}`, { role: 'viewer' }, place.owner.session),
    headers => place.set('dev', 'LATE', 'x', { as: developer.session, headers }),
  );
  expect(demoted).toEqual([403, 'forbidden']);

  const admin = await place.member('admin');
  const adminId = await memberIdOf(admin);
  const invited = await sendWaiting(
    () => api.patch(`${members}/${adminId}`, { role: 'viewer' }, place.owner.session),
    headers => api.post(`${members}/invite`, { email: 'late@example.com', role: 'viewer' }, admin.session, headers),
  );
  expect(invited).toEqual([403, 'forbidden']);
});

it('a delayed write with a revoked token or ended session is not made', async () => {
  const developer = await place.member('developer');
  const issued = (await api.post('/auth/token', { name: 'x' }, developer.session)).body;
  const revoked = await sendWaiting(
    () => api.delete(`/auth/tokens/${issued.cliToken.id}`, developer.session),
    headers => place.set('dev', 'LATE', 'x', { as: { token: issued.token }, headers }),
  );
  const ended = await sendWaiting(
    () => api.post('/auth/logout', undefined, developer.session),
    headers => place.set('dev', 'LATE', 'x', { as: developer.session, headers }),
  );

  expect([revoked, ended]).toEqual([
    [401, 'unauthenticated'],
    [401, 'unauthenticated'],
  ]);
  expect(await place.values('dev')).not.toHaveProperty('LATE');
});

describe('a transaction whose response was lost', () => {
  type Failure = () => Error;
  const failure = (name: string, httpStatusCode?: number) => () =>
    Object.assign(new Error(`${name} (injected)`), {
      name,
      $metadata: httpStatusCode === undefined ? {} : { httpStatusCode },
    });
  const throttled = failure('ProvisionedThroughputExceededException', 400);

  /** Executes a request's first transaction, but returns these failures instead of its response. */
  async function sendUnanswered(
    failures: readonly Failure[],
    send: (headers: Record<string, string>) => Promise<Answer>,
  ): Promise<number> {
    const left = [...failures];
    const conductor = {
      async attempt(...[call, send]: Attempt) {
        if (call.operation !== 'TransactWriteItems') return send();
        const next = left.shift();
        if (next === undefined) return send();
        if (left.length === failures.length - 1) await send();
        throw next();
      },
    };
    const { status } = await withFault({ conductor }, send);
    expect(left).toEqual([]);
    return status;
  }

  it.each([
    ['and whose repeat is throttled', [failure('TimeoutError'), throttled]],
    [
      'and whose repeats are throttled for longer than the SDK tries',
      [failure('TimeoutError'), ...Array(4).fill(throttled)],
    ],
    ['by server errors', Array(4).fill(failure('InternalServerError', 500))],
  ] as const)('%s returns what it did, even if it revoked its caller’s own rights', async (_, failures) => {
    const admin = await place.member('admin');
    const id = await memberIdOf(admin);
    const left = await sendUnanswered(failures, headers => api.delete(`${members}/${id}`, admin.session, headers));
    expect(left).toBe(200);
    expect((await place.pull('dev', '', { as: admin.session })).status).toBe(404);

    const loggedOut = await sendUnanswered(failures, headers =>
      api.post('/auth/logout', undefined, admin.session, headers),
    );
    expect(loggedOut).toBe(200);
    expect((await api.get('/auth/me', admin.session)).status).toBe(401);
  });
});

describe('a member who is removed while a request waits', () => {
  /** Removes every membership of a session's user, and restores them. */
  async function suspend(as: unknown) {
    const { cookie } = as as { cookie: string };
    const { userId } = readCredential(cookie.split('=')[1] as string) as { userId: string };
    const memberships = await list(membershipRecord, ranges.memberships(userId));
    const places = memberships.map(({ orgSlug }) => at(memberRecord, orgSlug, userId));
    const members = await readAll(places);
    await transact(places.map(place => remove(place)));
    return () =>
      transact(places.flatMap((place, index) => (members[index] === undefined ? [] : [put(place, members[index])])));
  }

  const waiting = samples.filter(({ operationId }) => {
    const route = routes.find(one => one.operationId === operationId);
    return route?.access.kind === 'member' && route.method !== 'GET' && !uncovered.has(operationId);
  });

  it.each(waiting.map(sample => [sample.name, sample] as const))('can’t complete %s', async (_, sample) => {
    const { request, isDone } = await sample.prepare(api);
    let restore = () => Promise.resolve();

    const [status] = await sendWaiting(
      async () => {
        restore = await suspend(request.as);
      },
      headers => sendSample(api, { ...request, headers: { ...request.headers, ...headers } }),
    );

    expect(status).toBe(404);
    await restore();
    expect(await isDone()).toBe(false);
  });

  it('covers all changes of secrets', () => {
    expect(waiting.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining([
        'set-secret',
        'import-secrets',
        'apply-changes',
        'promote-secrets',
        'restore-secrets',
        'bulk-delete-secrets',
        'delete-secret',
      ]),
    );
  });

  it('can’t complete a large import in progress, which is undone at once', async () => {
    const developer = await place.member('developer');
    const id = await memberIdOf(developer);
    const before = await place.values('dev');
    const secrets = Array.from({ length: 150 }, (_, index) => ({ key: `STEP_${index}`, value: 'late' }));

    const answer = await sendWaiting(
      () => api.delete(`${members}/${id}`, place.owner.session),
      headers => place.importAll('dev', secrets, { as: developer.session, headers }),
      3,
    );

    expect(answer[0]).toBe(404);
    expect(await place.values('dev')).toEqual(before);
    expect((await place.set('dev', 'HONEST', 'at once')).status).toBe(200);
  });

  it('still undoes a dead writer’s change completely, because the next writer would have to wait for it', async () => {
    const developer = await place.member('developer');
    const id = await memberIdOf(developer);
    const secrets = Array.from({ length: 150 }, (_, index) => ({ key: `DEAD_${index}`, value: 'x' }));
    let steps = 0;
    const dying: Conductor = {
      async attempt(call, send) {
        if (call.operation === 'TransactWriteItems') steps += 1;
        if (steps > 4) throw new Error('the process is dead (injected)');
        return send();
      },
    };
    await withFault({ conductor: dying }, headers => place.importAll('staging', secrets, { headers }));
    await expireLease(place, 'staging');

    // Its first transaction takes the lease over, and its second restores heads.
    const answer = await sendWaiting(
      () => expectStatus(api.delete(`${members}/${id}`, place.owner.session), 200),
      headers => place.set('staging', 'LATE', 'x', { as: developer.session, headers }),
      2,
    );

    expect(answer).toEqual([404, 'organization_not_found']);
    const state = await find(
      at(environmentStateRecord, {
        orgSlug: place.owner.organization.slug,
        project: place.project.slug,
        env: 'staging',
      }),
    );
    expect(state).toBeDefined();
    expect(state?.pending).toBeUndefined();
    expect(await place.values('staging')).toEqual({});
  });

  it('gets and changes no value if the first reads had to wait, with a session or a token', async () => {
    for (const kind of ['pull', 'set'] as const) {
      const developer = await place.member('developer');
      const as = kind === 'pull' ? await createToken(api, developer) : developer.session;
      const id = await memberIdOf(developer);

      const answer = await sendThrottled(
        () => expectStatus(api.delete(`${members}/${id}`, place.owner.session), 200),
        headers =>
          kind === 'pull' ? place.pull('dev', '', { as, headers }) : place.set('dev', 'LATE', 'x', { as, headers }),
      );

      expect(answer).toEqual([404, 'organization_not_found']);
    }
    expect(await place.values('dev')).not.toHaveProperty('LATE');
  });

  it('has nothing left that works: sessions, 100 tokens, invitations and requests in progress', {
    timeout: 60_000,
  }, async () => {
    const admin = await place.member('admin');
    const id = await memberIdOf(admin);
    const organizationId = place.owner.organization.id;
    const tokens: { token: string }[] = [];
    for (let index = 0; index < 100; index += 1) {
      tokens.push(await createToken(api, admin, index % 2 === 0 ? { organizationId } : {}));
    }
    const invitations = await Promise.all(
      [1, 2, 3].map(index =>
        api.post(`${members}/invite`, { email: `friend${index}@example.org`, role: 'developer' }, admin.session),
      ),
    );
    const guest = await seedPerson();
    const under: (() => void)[] = [];
    const callers = [admin.session, tokens[0], tokens[1]];
    /** Waits until all three requests are in progress, and for the removal that follows. */
    const removed = async () => {
      const together = new Promise<void>(resolve => under.push(resolve));
      if (under.length === callers.length) {
        await expectStatus(api.delete(`${members}/${id}`, place.owner.session), 200);
        for (const goOn of under) goOn();
      }
      await together;
    };

    const waited = await Promise.all(
      callers.map((as, index) =>
        sendWaiting(removed, headers => place.set('dev', `LATE_${index}`, 'x', { as, headers })),
      ),
    );

    expect(waited.map(([status]) => status)).toEqual([404, 401, 404]);
    const after = [admin.session, ...tokens].flatMap(as => [
      place.pull('production', '', { as }),
      place.set('dev', 'LATE', 'x', { as }),
      api.get(members, as),
    ]);
    const statuses = new Set((await Promise.all(after)).map(({ status }) => status));
    expect([...statuses].filter(status => status !== 401 && status !== 404)).toEqual([]);
    for (const { body } of invitations) {
      const accepted = await api.post(`/members/invite/${body.token}/accept`, undefined, guest.session);
      expect([accepted.status, accepted.body.error.code]).toEqual([400, 'invalid_token']);
    }
    const roster = (await api.get(members, place.owner.session)).body;
    expect(roster.members.map(({ userId }: { userId: string }) => userId)).not.toContain(admin.user.id);
    expect(roster.invitations).toEqual([]);
    const { usage } = (await api.get(`/billing/${organizationId}`, place.owner.session)).body;
    expect(usage.invitations).toBe(0);
    expect(Object.keys(await place.values('dev')).filter(key => key.startsWith('LATE'))).toEqual([]);
  });
});
