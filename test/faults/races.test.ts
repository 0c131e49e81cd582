import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Answer, startApi, useApi } from '../support/api.ts';
import { gate } from '../support/gate.ts';
import { scanTable, violationsOf } from '../support/invariants.ts';
import { type Conductor, conductedHandlers } from '../support/observe-calls.ts';
import { named, seededBy, seedPerson } from '../support/people.ts';
import { expectStatus, type SampleRequest } from '../support/sample-requests.ts';
import { samples, send } from '../support/samples.ts';
import { background, inParallel } from './run-faults.ts';

/*
 * Concurrent requests that both read before either writes. By the time the second one commits, its reads are stale, and
 * only a condition can detect that.
 */
const header = 'x-test-race';
const races = new Map<string, Conductor>();
const api = useApi(() =>
  startApi(
    { LOG_LEVEL: 'SILENT' },
    background.handlers(
      conductedHandlers((_, event) => {
        const { headers } = event as { headers?: Record<string, string | undefined> };
        return races.get(headers?.[header] ?? '');
      }),
    ),
  ),
);

/** Sends the requests concurrently. The first write of each waits until all others are ready to write. */
async function meet(requests: readonly SampleRequest[]): Promise<Answer[]> {
  let missing = requests.length;
  const all = gate();
  const arrive = () => {
    missing -= 1;
    if (missing === 0) all.open();
  };
  return Promise.all(
    requests.map(async request => {
      const id = randomUUID();
      let hasArrived = false;
      races.set(id, {
        async call({ operation, service }, proceed) {
          const isWrite = service.startsWith('DynamoDB') && /^(Transact|Put|Update|Delete)/.test(operation);
          if (isWrite && !hasArrived) {
            hasArrived = true;
            arrive();
            // A request that is rejected before it writes does not delay the others.
            await Promise.race([all.opened, sleep(1500)]);
          }
          return proceed();
        },
      });
      try {
        return await send(api, { ...request, headers: { ...request.headers, [header]: id } });
      } finally {
        races.delete(id);
        if (!hasArrived) arrive();
      }
    }),
  );
}

async function requireWholeTable(): Promise<void> {
  const violations = violationsOf(await background.whilePaused(scanTable));
  expect(violations.map(({ where, what }) => `${seededBy(where) ?? where}: ${what}`)).toEqual([]);
}

describe('two concurrent requests', () => {
  it('have the effect of one of them if they are the same, and neither fails', { timeout: 180_000 }, async () => {
    const problems: string[] = [];
    await inParallel(
      6,
      samples.map(sample => async () => {
        const { request, works, repeats, isDone } = await named(sample.name, () => sample.prepare(api));
        const answers = await meet([request, request]);
        const allowed = new Set([...works, ...(repeats ?? []), 200, 201, 409]);
        for (const { status, body } of answers) {
          if (!allowed.has(status)) problems.push(`${sample.name} → ${status} ${JSON.stringify(body)}`);
        }
        if (!answers.some(({ status }) => works.includes(status))) problems.push(`${sample.name}: neither was done`);
        if (!(await isDone())) problems.push(`${sample.name} is not done`);
      }),
    );
    expect(problems).toEqual([]);
    await requireWholeTable();
  });

  it('compete for one place, one token or one last owner: only one of them gets it', { timeout: 120_000 }, async () => {
    const statuses = async (name: string, make: () => Promise<SampleRequest[]>) =>
      (await meet(await named(name, make))).map(({ status }) => status).sort();

    const accepted = await statuses('two accept one invitation', async () => {
      const [owner, one, other] = [await seedPerson(), await seedPerson(), await seedPerson()];
      const body = { email: one.email, role: 'viewer' };
      const invited = await expectStatus(
        api.post(`/members/${owner.organization.id}/invite`, body, owner.session),
        201,
      );
      const path = `/members/invite/${invited.body.token}/accept`;
      return [one, other].map(({ session }) => ({ method: 'POST', path, as: session }));
    });
    expect(accepted).toEqual([200, 400]);

    const replaced = await statuses('accepted while invited anew', async () => {
      const [owner, guest] = [await seedPerson(), await seedPerson()];
      const path = `/members/${owner.organization.id}/invite`;
      const body = { email: guest.email, role: 'viewer' };
      const invited = await expectStatus(api.post(path, body, owner.session), 201);
      return [
        { method: 'POST', path: `/members/invite/${invited.body.token}/accept`, as: guest.session },
        { method: 'POST', path, body, as: owner.session },
      ];
    });
    expect([[200, 409], [201, 400].sort()]).toContainEqual(replaced);

    const demoted = await statuses('two owners demote each other', async () => {
      const [owner, other] = [await seedPerson(), await seedPerson()];
      const path = `/members/${owner.organization.id}`;
      const body = { email: other.email, role: 'owner' };
      const invited = await expectStatus(api.post(`${path}/invite`, body, owner.session), 201);
      await expectStatus(api.post(`/members/invite/${invited.body.token}/accept`, undefined, other.session), 200);
      const { members } = (await expectStatus(api.get(path, owner.session), 200)).body;
      const idOf = (userId: string) => members.find((one: { userId: string }) => one.userId === userId).id;
      return [
        { method: 'PATCH', path: `${path}/${idOf(other.user.id)}`, body: { role: 'viewer' }, as: owner.session },
        { method: 'PATCH', path: `${path}/${idOf(owner.user.id)}`, body: { role: 'viewer' }, as: other.session },
      ];
    });
    expect(demoted).toEqual([200, 409]);

    const erased = await statuses('an environment is made in a project that is deleted', async () => {
      const { session, organization } = await seedPerson();
      const path = `/projects/${organization.id}`;
      await expectStatus(api.post(path, { name: 'Shop', slug: 'shop' }, session), 201);
      return [
        { method: 'DELETE', path: `${path}/shop`, as: session },
        { method: 'POST', path: `${path}/shop/environments`, body: { name: 'QA' }, as: session },
      ];
    });
    expect([[200, 404].sort(), [200, 201]]).toContainEqual(erased);

    const founded = await statuses('a project is made in an organization that is deleted', async () => {
      const { session, organization } = await seedPerson();
      return [
        { method: 'DELETE', path: `/orgs/${organization.id}`, as: session },
        { method: 'POST', path: `/projects/${organization.id}`, body: { name: 'Shop' }, as: session },
      ];
    });
    expect([[200, 404].sort(), [200, 201]]).toContainEqual(founded);

    const gone = await statuses('a project is deleted in an organization that is deleted', async () => {
      const { session, organization } = await seedPerson();
      const path = `/projects/${organization.id}`;
      await expectStatus(api.post(path, { name: 'Shop', slug: 'shop' }, session), 201);
      return [
        { method: 'DELETE', path: `/orgs/${organization.id}`, as: session },
        { method: 'DELETE', path: `${path}/shop`, as: session },
      ];
    });
    expect([[200, 200], [200, 404].sort()]).toContainEqual(gone);
    await requireWholeTable();
  });
});
