import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PlanLimits } from '#lib/contracts/fields/limits.ts';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Caller, codeOf, createToken, useApi, useSettings } from '../support/api.ts';
import { atOnce } from '../support/at-once.ts';
import { eventually } from '../support/eventually.ts';
import { shared } from '../support/fixtures.ts';
import { recordRequest, startObservedApi, withFault } from '../support/observed-api.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { countsOf } from '../support/record-calls.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { auditEntry, seedAudit } from '../support/seed-audit.ts';

const share = 60;
const api = useApi(() => startObservedApi({ REQUESTS_PER_MINUTE: String(share), ORGANIZATIONS_PER_USER: '3' }));
beforeEach(() => {
  // Each test runs within one minute of the clock.
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 60_000) * 60_000 + 1 });
});
afterEach(() => void vi.useRealTimers());

const retryAfter = ({ headers }: { headers: Headers }) => Number(headers.get('retry-after'));

async function tenant(): Promise<{ person: Person; secrets: string; token: { token: string } }> {
  const person = await seedPerson();
  const token = await createToken(api, person);
  await expectStatus(api.post(`/projects/${person.organization.id}`, { name: 'Shop', slug: 'shop' }, token), 201);
  return { person, token, secrets: `/secrets/${person.organization.slug}/shop/dev` };
}

describe('an organization at ten times its share', () => {
  it('gets 429 with Retry-After, while others are unaffected', { timeout: 80_000 }, async () => {
    const [greedy, modest] = await Promise.all([tenant(), tenant()]);

    let served = 0;
    for (let round = 0; round < 20; round += 1) {
      const answers = await atOnce(30, () => api.get(greedy.secrets, greedy.token));
      served += answers.filter(({ status }) => status === 200).length;
      expect((await api.get(modest.secrets, modest.token)).status).toBe(200);
      const refused = answers.find(({ status }) => status === 429);
      if (refused === undefined) continue;
      expect(codeOf(refused)).toBe('429 rate_limited');
      expect(retryAfter(refused)).toBeGreaterThan(0);
      expect(retryAfter(refused)).toBeLessThanOrEqual(60);
    }

    expect(served).toBe(share - 1);
    expect((await api.get(`/projects/${greedy.person.organization.id}`, greedy.token)).status).toBe(429);
  });

  it('causes only authorization reads for rejected requests, and strangers use up none of its share', async () => {
    const { secrets, token } = await tenant();
    const stranger = await seedPerson();
    await atOnce(share, () => api.get(secrets, stranger.session));
    expect((await api.get(secrets, token)).status).toBe(200);
    await atOnce(share, () => api.get(secrets, token));

    const { answer, calls } = await recordRequest(headers => api.get(secrets, token, headers));

    expect(answer.status).toBe(429);
    expect(JSON.stringify(calls.map(({ input }) => input))).not.toContain('ENV#');
  });

  it('adds no round trip to a pull, and one call to some', async () => {
    const { secrets, token } = await tenant();
    await api.get(secrets, token);

    for (let round = 0; round < 3; round += 1) {
      const counts = countsOf((await recordRequest(headers => api.get(secrets, token, headers))).calls);
      expect(counts).toMatchObject({ roundTrips: 2, kmsCalls: 0 });
      expect(counts.calls).toBeLessThanOrEqual(5);
    }
  });
});

describe('the share of an organization', () => {
  const admin = shared(() => seedPerson({ isAdmin: true }));
  const override = ({ person }: { person: Person }, requestsPerMinute: number | null) => {
    const path = `/admin/orgs/${person.organization.id}`;
    return expectStatus(api.patch(path, { limitOverrides: { requestsPerMinute } }, admin.session), 200);
  };
  async function servedOf({ secrets, token }: { secrets: string; token: Caller }, requests: number): Promise<number> {
    const statuses: number[] = [];
    for (let sent = 0; sent < requests; sent += 1) statuses.push((await api.get(secrets, token)).status);
    return statuses.filter(status => status === 200).length;
  }

  it('is its own limit if it has one, from the next request on', async () => {
    const [limited, other] = await Promise.all([tenant(), tenant()]);

    await override(limited, 6);
    expect(await servedOf(limited, 8)).toBe(5);
    expect(await servedOf(other, 8)).toBe(8);
    await override(limited, 9);
    expect(await servedOf(limited, 8)).toBe(3);
    const { body } = await override(limited, -1);
    expect(body.limits.effective.requestsPerMinute).toBe(-1);
    expect(await servedOf(limited, share + 1)).toBe(share + 1);
    await override(limited, null);
    expect(await servedOf(limited, 1)).toBe(0);
  });

  it('is else that of its plan, within a minute of a change, else the installation’s', async () => {
    const [onPlan, other] = await Promise.all([tenant(), tenant()]);
    const [pathOfPlan, pathOfOrganization] = ['/admin/plans/pro', `/admin/orgs/${onPlan.person.organization.id}`];
    await expectStatus(api.patch(pathOfOrganization, { plan: 'pro' }, admin.session), 200);
    const { body } = await expectStatus(api.get(pathOfOrganization, admin.session), 200);
    expect([body.limits.effective.requestsPerMinute, body.limits.source.requestsPerMinute]).toEqual([share, 'default']);

    await expectStatus(api.put(pathOfPlan, { limits: { requestsPerMinute: 4 } }, admin.session), 200);
    vi.setSystemTime(Date.now() + 60_000);

    expect(await servedOf(onPlan, 6)).toBe(4);
    expect(await servedOf(other, 6)).toBe(6);
    const billing = await api.get(`/billing/${other.person.organization.id}`, other.token);
    expect(billing.body.limits.requestsPerMinute).toBe(share);
    expect(billing.body.plans.map(({ limits }: { limits: PlanLimits }) => limits.requestsPerMinute)).toEqual([
      share,
      4,
      share,
    ]);
  });

  it('costs no call but a read of the plans once a minute', async () => {
    const { person, token } = await tenant();
    const path = `/projects/${person.organization.id}`;
    await api.get(path, token);
    const callsOf = async () =>
      (await recordRequest(headers => api.get(path, token, headers))).calls.filter(({ input }) =>
        JSON.stringify(input).includes('PLANS'),
      );

    expect(await callsOf()).toHaveLength(0);
    vi.setSystemTime(Date.now() + 600_000);
    expect(await callsOf()).toHaveLength(1);
    expect(await callsOf()).toHaveLength(0);
  });
});

describe('a request that takes the work of several', () => {
  async function remaining({ secrets, token }: Awaited<ReturnType<typeof tenant>>): Promise<number> {
    for (let served = 0; served <= share; served += 1) {
      if ((await api.get(secrets, token)).status === 429) return served;
    }
    throw new Error('The share is never used up.');
  }
  /** Makes it this time once a request has sent its first call. */
  const slowUntil = (ms: number) => ({
    call: (_: unknown, send: () => Promise<unknown>) => {
      vi.setSystemTime(ms);
      return send();
    },
  });
  /** Creating the project took one. */
  const unspent = share - 1;
  const keys = Array.from({ length: 100 }, (_, n) => `${n}`.padStart(200, 'K'));

  it('counts as one for each 25 read units', async () => {
    const place = await tenant();
    const { id } = place.person.organization;
    // Entries store lists of keys compressed, so these are random.
    const random = Array.from({ length: 200 }, () => randomBytes(100).toString('hex'));
    const entry = () => auditEntry('secret.updated', Date.now() - 60_000, { keys: random });
    const entries = Array.from({ length: 50 }, entry);
    await seedAudit(id, entries);

    const answer = await api.get(`/audit/${id}?action=secret.updated&limit=50`, place.token);

    expect(answer.body.entries).toHaveLength(50);
    const readUnits = (entries.length * random.join('').length) / 2 / 4096;
    const left = await remaining(place);
    expect(left).toBeLessThanOrEqual(unspent - Math.floor(readUnits / 25));
    expect(left).toBeGreaterThan(unspent - Math.ceil((3 * readUnits) / 25));
  });

  it('counts as one for each 4 KB of audit entry', async () => {
    const place = await tenant();
    const secrets = Object.fromEntries(keys.map(key => [key, 'x']));
    const send = (path: string) => api.post(`${place.secrets}/bulk${path}`, { secrets }, place.token);
    await expectStatus(send(''), 200);
    await expectStatus(api.put(place.secrets, { key: 'ANOTHER', value: 'x' }, place.token), 201);

    const { plan } = (await expectStatus(send('?dryRun=true'), 200)).body;

    expect(plan.unchanged).toHaveLength(100);
    // 20 KB and a little twice, and the set.
    expect(await remaining(place)).toBe(unspent - 6 - 1 - 6);
  });

  it('counts as one for each 250 ms of its function, also if it is refused', async () => {
    const place = await tenant();
    const refused = await withFault({ conductor: slowUntil(Date.now() + 3000) }, headers =>
      api.get(`${place.secrets}x`, place.token, headers),
    );
    expect(refused.body.error.code).toBe('environment_not_found');

    expect(await remaining(place)).toBe(unspent - 12);
  });

  it('is charged in the following minute if it ends there', async () => {
    const place = await tenant();
    const conductor = slowUntil(Date.now() + 60_000);
    vi.setSystemTime(Date.now() + 55_000);
    await withFault({ conductor }, headers => api.get(place.secrets, place.token, headers));

    // The one for creating the project had not been counted in the table yet, so it is carried over.
    expect(await remaining(place)).toBe(unspent - 20);
  });
});

describe('writers waiting for an environment', () => {
  it('use up the share with each further attempt, so they can’t occupy functions', async () => {
    const [greedy, modest] = await Promise.all([tenant(), tenant()]);
    // Looks like a change in progress as long as its heartbeats continue.
    const state = at(environmentStateRecord, { orgSlug: greedy.person.organization.slug, project: 'shop', env: 'dev' });
    const pending = { revision: 1, fences: 1, heartbeat: 1 };
    await transact([update(state, { set: { pending } })]);
    const beating = setInterval(() => void transact([update(state, { add: { 'pending.heartbeat': 1 } })]), 500);

    const answers = await atOnce(20, n => api.put(greedy.secrets, { key: `K${n}`, value: 'x' }, greedy.token));
    clearInterval(beating);

    expect(new Set(answers.map(codeOf))).toEqual(new Set(['429 rate_limited']));
    for (const answer of answers) expect(retryAfter(answer)).toBeGreaterThan(0);
    expect((await api.get(modest.secrets, modest.token)).status).toBe(200);
    expect((await find(state))?.pending).toMatchObject({ revision: 1, fences: 1 });
  });

  it('all succeed within the default share, even thirty-two at once', async () => {
    const { person, secrets } = await tenant();
    useSettings({ REQUESTS_PER_MINUTE: '6000' });

    const answers = await atOnce(32, n => api.put(secrets, { key: `K${n}`, value: 'x' }, person.session));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  });
});

it('twenty processes together exceed the share by a few percent at most', async () => {
  const slug = `org-${crypto.randomUUID().slice(0, 8)}`;
  const organization = { id: crypto.randomUUID(), slug, requestsPerMinute: 2000 };
  const log = {
    info() {},
    warn() {},
    error(message: string) {
      throw new Error(message);
    },
    account() {},
  };
  const processes = await atOnce(20, async () => {
    vi.resetModules();
    return import('#lib/limits/fair-share.ts');
  });
  let served = 0;
  for (let round = 0; round < 200; round += 1) {
    await Promise.all(
      processes.map(async ({ takeShare, flushShares }) => {
        await flushShares(log);
        try {
          takeShare(organization);
          served += 1;
        } catch (error) {
          expect(error).toMatchObject({ code: 'rate_limited' });
        }
      }),
    );
  }

  expect(served).toBeGreaterThanOrEqual(2000);
  expect(served).toBeLessThanOrEqual(2000 * 1.04);
});

it('a user can own a limited number of organizations, even concurrently, and then the slug is not checked', async () => {
  const [person, other] = await Promise.all([seedPerson(), seedPerson()]);
  const create = (body: object) => api.post('/orgs', body, person.session);

  const answers = await atOnce(6, () => create({ name: 'Mine' }));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409, 409]);
  const probe = await create({ name: 'x', slug: other.organization.slug });
  expect(probe.body.error.code).toBe('organization_limit_reached');

  const mine = answers.find(({ status }) => status === 201)?.body.organization;
  await expectStatus(api.delete(`/orgs/${mine.id}`, person.session), 200);
  await eventually(() => expectStatus(create({ name: 'Again' }), 201));
});
