import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { routes } from '#lib/contracts/routes.ts';
import { readCredential } from '#lib/crypto/credentials.ts';
import { renewedRevision } from '#lib/table/access-revision.ts';
import { isThere } from '#lib/table/expressions.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find, list, readAll } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { memberRecord, membershipRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { put, remove, transact, update } from '#lib/table/write.ts';
import { type Answer, codeOf, createToken, useApi } from '../support/api.ts';
import { expireLease, openWorkplace, type Workplace } from '../support/environments.ts';
import { gate } from '../support/gate.ts';
import { injectFault } from '../support/inject-faults.ts';
import type { Conductor } from '../support/observe-calls.ts';
import { startObservedApi, withFault } from '../support/observed-api.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { expectStatus, invite, memberIdOf, membersOf } from '../support/sample-requests.ts';
import { samples, send as sendSample } from '../support/samples.ts';
import { words } from '../support/words.ts';

const api = useApi(startObservedApi);
let place: Workplace;
let members: string;
beforeAll(async () => {
  place = await openWorkplace(api);
  // More members than the plan allows.
  const organization = at(organizationRecord, place.owner.organization.slug);
  await transact([update(organization, { set: { limitOverrides: { maxMembers: 100 } } })]);
  members = `/members/${place.owner.organization.id}`;
});

const uncovered: ReadonlySet<string> = new Set([
  // It only reads.
  'export-organization',
  // They only send a message to the queue.
  'test-webhook',
  'redeliver-webhook',
  // The payment provider has created a page before the audit entry is written; its address is not returned then.
  'start-checkout',
  'open-portal',
]);

async function removalOf(person: Person): Promise<() => Promise<unknown>> {
  const id = await memberIdOf(api, place.owner, person);
  return () => expectStatus(api.delete(`${members}/${id}`, place.owner.session), 200);
}

type Attempt = Parameters<NonNullable<Conductor['attempt']>>;
type Send = (headers: Record<string, string>) => Promise<Answer>;

const missing = '404 organization_not_found';

/** Sends a write whose `nth` transaction, and those that undo it, wait; `meanwhile` runs before its next attempt. */
async function sendWaiting(meanwhile: () => Promise<unknown>, send: Send, nth = 1): Promise<string> {
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
  return codeOf(answer);
}

/** Sends a request whose first read of secrets is throttled once, and runs `meanwhile` before that. */
async function sendThrottled(meanwhile: () => Promise<unknown>, send: Send): Promise<string> {
  let fault: Conductor | undefined;
  const conductor = {
    async attempt(...[call, send]: Attempt) {
      if (fault === undefined && JSON.stringify(call.input).includes('"ENV#')) {
        fault = injectFault('throttled-once', call.position);
        // The request is authorized first.
        await new Promise(resolve => setTimeout(resolve, 300));
        await meanwhile();
      }
      return fault?.attempt?.(call, send) ?? send();
    },
  };
  const answer = await withFault({ conductor }, send);
  expect(fault).toBeDefined();
  return codeOf(answer);
}

it('a delayed write is made if its member still has the right', async () => {
  const { session: as } = await place.member('developer');
  const answer = await sendWaiting(
    () => Promise.resolve(),
    headers => place.set('dev', 'HONEST', 'x', { as, headers }),
  );

  expect(answer).toBe('201 ok');
});

it.each([
  ['session', missing],
  ['token', missing],
  ['bound token', '401 unauthenticated'],
])('a removed member’s delayed write is not made with a %s', async (credential, code) => {
  const developer = await place.member('developer');
  const scope = credential === 'bound token' ? { organizationId: place.owner.organization.id } : {};
  const as = credential === 'session' ? developer.session : await createToken(api, developer, scope);
  const remove = await removalOf(developer);

  expect(await sendWaiting(remove, headers => place.set('dev', 'LATE', credential, { as, headers }))).toBe(code);
  expect(await place.values('dev')).not.toHaveProperty('LATE');
});

it.each<['developer' | 'admin', (as: Person['session']) => Send]>([
  ['developer', as => headers => place.set('dev', 'LATE', 'x', { as, headers })],
  ['admin', as => headers => api.post(`${members}/invite`, { email: 'late@example.com', role: 'viewer' }, as, headers)],
])('a demoted %s’s delayed write is re-authorized with the new role', async (role, sendAs) => {
  const person = await place.member(role);
  const path = `${members}/${await memberIdOf(api, place.owner, person)}`;
  const demote = () => api.patch(path, { role: 'viewer' }, place.owner.session);

  expect(await sendWaiting(demote, sendAs(person.session))).toBe('403 forbidden');
});

it.each([
  ['made a viewer of the project', { limited: false, role: 'viewer' }, '403 forbidden'],
  ['limited to other projects', { limited: true }, '404 project_not_found'],
] as const)('the delayed write of a member who is %s meanwhile is not made', async (_, rights, code) => {
  const developer = await place.member('developer');
  const path = `${members}/${await memberIdOf(api, place.owner, developer)}/projects`;
  const projectRoles = 'role' in rights ? [{ projectId: place.project.id, role: rights.role }] : [];
  const body = { limited: rights.limited, projectRoles };
  const lower = () => expectStatus(api.put(path, body, place.owner.session), 200);
  const as = developer.session;

  expect(await sendWaiting(lower, headers => place.set('dev', 'LOWERED', code, { as, headers }))).toBe(code);
});

describe('the delayed write of a member with a grant', () => {
  async function withGrant() {
    const viewer = await place.member('viewer');
    const path = `${members}/${await memberIdOf(api, place.owner, viewer)}/grants`;
    const environmentId = place.environmentId('production');
    const body = { environmentId, access: 'write', minutes: 5, reason: 'An incident' };
    const { grant } = (await expectStatus(api.post(path, body, place.owner.session), 201)).body;
    return { as: viewer.session, grant, path: `${path}/${grant.id}` };
  }

  const untilEnd = () =>
    onTestFinished(() => {
      vi.useRealTimers();
    });

  it('is made while the grant lasts', async () => {
    const { as } = await withGrant();
    const sending: Send = headers => place.set('production', 'GRANTED', 'x', { as, headers });

    expect(await sendWaiting(() => Promise.resolve(), sending)).toBe('201 ok');
  });

  it('is not made if the grant is revoked meanwhile', async () => {
    const { as, path } = await withGrant();
    const revoke = () => expectStatus(api.delete(path, place.owner.session), 200);
    const sending: Send = headers => place.set('production', 'REVOKED', 'x', { as, headers });

    expect(await sendWaiting(revoke, sending)).toBe('403 forbidden');
    expect(await place.values('production')).not.toHaveProperty('REVOKED');
  });

  it('is not made if the grant has ended by the time of its commit', async () => {
    const { as, grant } = await withGrant();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(grant.expiresAt) - 2 });
    untilEnd();
    const end = async () => {
      vi.setSystemTime(grant.expiresAt);
    };
    const sending: Send = headers => place.set('production', 'ENDED', 'x', { as, headers });

    expect(await sendWaiting(end, sending)).toBe('403 forbidden');
    expect(await place.values('production')).not.toHaveProperty('ENDED');
  });

  it('is undone if the grant ends while a large import is in progress', async () => {
    const { as, grant } = await withGrant();
    const values = await place.values('production');
    const secrets = Array.from({ length: 150 }, (_, index) => ({ key: `GRANTED_${index}`, value: 'late' }));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(grant.expiresAt) - 2 });
    untilEnd();
    let transactions = 0;
    const ending: Conductor = {
      async attempt(...[call, send]: Attempt) {
        if (call.operation === 'TransactWriteItems' && JSON.stringify(call.input).includes('"VERSION#')) {
          transactions += 1;
          if (transactions === 1) vi.setSystemTime(grant.expiresAt);
        }
        return send();
      },
    };

    const answer = await withFault({ conductor: ending }, headers =>
      place.importAll('production', secrets, { as, headers }),
    );

    expect([codeOf(answer), transactions > 0]).toEqual(['403 forbidden', true]);
    expect(await place.values('production')).toEqual(values);
    expect((await place.set('production', 'HONEST', 'at once')).status).toBe(201);
  });
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

  expect([revoked, ended]).toEqual(Array(2).fill('401 unauthenticated'));
  expect(await place.values('dev')).not.toHaveProperty('LATE');
});

describe('a transaction whose response was lost', () => {
  const failure = (name: string, metadata: { httpStatusCode?: number } = {}) =>
    Object.assign(new Error(`${name} (injected)`), { name, $metadata: metadata });
  const timeout = failure('TimeoutError');
  const throttled = failure('ProvisionedThroughputExceededException', { httpStatusCode: 400 });

  /** Executes a request's first transaction, but returns these failures instead of its response. */
  async function sendUnanswered(failures: readonly Error[], send: Send): Promise<string> {
    const left = [...failures];
    const conductor = {
      async attempt(...[call, send]: Attempt) {
        const next = call.operation === 'TransactWriteItems' ? left.shift() : undefined;
        if (next === undefined) return send();
        if (left.length === failures.length - 1) await send();
        throw next;
      },
    };
    const answer = await withFault({ conductor }, send);
    expect(left).toEqual([]);
    return codeOf(answer);
  }

  it.each([
    ['and whose repeat is throttled', [timeout, throttled]],
    ['and whose repeats are throttled for longer than the SDK tries', [timeout, ...Array(4).fill(throttled)]],
    ['by server errors', Array(4).fill(failure('InternalServerError', { httpStatusCode: 500 }))],
  ])('%s returns what it did, even if it revoked its caller’s own rights', async (_, failures) => {
    const admin = await place.member('admin');
    const as = admin.session;
    const path = `${members}/${await memberIdOf(api, place.owner, admin)}`;
    expect(await sendUnanswered(failures, headers => api.delete(path, as, headers))).toBe('200 ok');
    expect((await place.pull('dev', '', { as })).status).toBe(404);

    const logOut = (headers: Record<string, string>) => api.post('/auth/logout', undefined, as, headers);
    expect(await sendUnanswered(failures, logOut)).toBe('200 ok');
    expect((await api.get('/auth/me', as)).status).toBe(401);
  });
});

describe('a member who is removed while a request waits', () => {
  async function suspend(as: unknown) {
    const { userId } = readCredential((as as Person['session']).cookie.split('=')[1] as string) as { userId: string };
    const memberships = await list(membershipRecord, ranges.memberships(userId));
    const places = memberships.map(({ orgSlug }) => at(memberRecord, orgSlug, userId));
    const members = await readAll(places);
    const renewals = memberships.map(({ orgSlug }) =>
      update(at(organizationRecord, orgSlug), { set: renewedRevision() }, { if: isThere }),
    );
    await transact([...places.map(place => remove(place)), ...renewals]);
    const puts = places.flatMap((place, index) => (members[index] === undefined ? [] : [put(place, members[index])]));
    return () => transact([...puts, ...renewals]);
  }

  const waiting = samples.filter(({ operationId }) => {
    const route = routes.find(one => one.operationId === operationId);
    return route?.access.kind === 'member' && route.method !== 'GET' && !uncovered.has(operationId);
  });

  it.each(waiting.map(sample => [sample.name, sample] as const))('can’t complete %s', async (_, sample) => {
    const { request, isDone } = await sample.prepare(api);
    let restore = () => Promise.resolve();

    const suspendCaller = async () => {
      restore = await suspend(request.as);
    };
    const answer = await sendWaiting(suspendCaller, headers =>
      sendSample(api, { ...request, headers: { ...request.headers, ...headers } }),
    );

    expect(answer).toMatch(/^404 /);
    await restore();
    expect(await isDone()).toBe(false);
  });

  it('covers all changes of secrets', () => {
    const changes = words(`set-secret import-secrets apply-changes promote-secrets restore-secrets bulk-delete-secrets
      delete-secret`);
    expect(waiting.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(changes));
  });

  it('can’t complete a large import in progress, which is undone at once', async () => {
    const developer = await place.member('developer');
    const as = developer.session;
    const values = await place.values('dev');
    const secrets = Array.from({ length: 150 }, (_, index) => ({ key: `STEP_${index}`, value: 'late' }));

    const importing: Send = headers => place.importAll('dev', secrets, { as, headers });
    expect(await sendWaiting(await removalOf(developer), importing, 3)).toBe(missing);

    expect(await place.values('dev')).toEqual(values);
    expect((await place.set('dev', 'HONEST', 'at once')).status).toBe(200);
  });

  it('still undoes a dead writer’s change completely, because the next writer would have to wait for it', async () => {
    const developer = await place.member('developer');
    const as = developer.session;
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
    const setting: Send = headers => place.set('staging', 'LATE', 'x', { as, headers });
    expect(await sendWaiting(await removalOf(developer), setting, 2)).toBe(missing);

    const path = { orgSlug: place.owner.organization.slug, project: place.project.slug, env: 'staging' };
    const state = await find(at(environmentStateRecord, path));
    expect(state).toBeDefined();
    expect(state?.pending).toBeUndefined();
    expect(await place.values('staging')).toEqual({});
  });

  it.each<[string, (person: Person) => Promise<Send>]>([
    [
      'gets no value with a token',
      async person => {
        const as = await createToken(api, person);
        return headers => place.pull('dev', '', { as, headers });
      },
    ],
    [
      'changes no value with a session',
      async ({ session: as }) =>
        headers =>
          place.set('dev', 'LATE', 'x', { as, headers }),
    ],
  ])('%s if the first reads had to wait', async (_, prepare) => {
    const developer = await place.member('developer');
    const send = await prepare(developer);

    expect(await sendThrottled(await removalOf(developer), send)).toBe(missing);

    expect(await place.values('dev')).not.toHaveProperty('LATE');
  });

  it('has nothing left that works: sessions, 100 tokens, invitations and requests in progress', {
    timeout: 60_000,
  }, async () => {
    const admin = await place.member('admin');
    const remove = await removalOf(admin);
    const { organization } = place.owner;
    const tokens: { token: string }[] = [];
    for (let index = 0; index < 100; index += 1) {
      tokens.push(await createToken(api, admin, index % 2 === 0 ? { organizationId: organization.id } : {}));
    }
    const invitations = await Promise.all(
      [1, 2, 3].map(index => invite(api, { ...admin, organization }, `friend${index}@example.org`)),
    );
    const guest = await seedPerson();
    const callers = [admin.session, tokens[0], tokens[1]];
    const isRemoved = gate();
    let inProgress = 0;
    /** Waits until all three requests are in progress, and for the removal that follows. */
    const removed = async () => {
      inProgress += 1;
      if (inProgress === callers.length) {
        await remove();
        isRemoved.open();
      }
      await isRemoved.opened;
    };

    const waited = await Promise.all(
      callers.map((as, index) =>
        sendWaiting(removed, headers => place.set('dev', `LATE_${index}`, 'x', { as, headers })),
      ),
    );

    expect(waited.map(code => code.slice(0, 3))).toEqual(['404', '401', '404']);
    const after = [admin.session, ...tokens].flatMap(as => [
      place.pull('production', '', { as }),
      place.set('dev', 'LATE', 'x', { as }),
      api.get(members, as),
    ]);
    const statuses = new Set((await Promise.all(after)).map(({ status }) => status));
    expect([...statuses].filter(status => status !== 401 && status !== 404)).toEqual([]);
    for (const { token } of invitations) {
      const accepted = await api.post(`/members/invite/${token}/accept`, undefined, guest.session);
      expect(codeOf(accepted)).toBe('400 invalid_token');
    }
    expect((await membersOf(api, place.owner)).map(({ userId }) => userId)).not.toContain(admin.user.id);
    expect((await api.get(members, place.owner.session)).body.invitations).toEqual([]);
    const { usage } = (await api.get(`/billing/${organization.id}`, place.owner.session)).body;
    expect(usage.invitations).toBe(0);
    expect(Object.keys(await place.values('dev')).filter(key => key.startsWith('LATE'))).toEqual([]);
  });
});
