import { describe, expect, it } from 'vitest';
import { loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { type Answer, useApi } from '../support/api.ts';
import { gate } from '../support/gate.ts';
import { inParallel } from '../support/in-parallel.ts';
import { scanTable, violationsOf } from '../support/invariants.ts';
import { startObservedApi } from '../support/observed-api.ts';
import { named, seededBy, seedPerson } from '../support/people.ts';
import { invite, join, place, type SampleRequest } from '../support/sample-requests.ts';
import { samples } from '../support/samples.ts';
import { background, sendConducted, textOf } from './rows.ts';

/* Both requests read before either writes. Only a condition can detect that the second one's reads are stale then. */
const api = useApi(() => startObservedApi({}, background.handlers(loadFromFunctions)));

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
      let hasArrived = false;
      const answer = await sendConducted(api, request, {
        async call({ operation, service }, proceed) {
          const isWrite = service.startsWith('DynamoDB') && /^(Transact|Put|Update|Delete)/.test(operation);
          if (isWrite && !hasArrived) {
            hasArrived = true;
            arrive();
            await all.opened;
          }
          return proceed();
        },
      });
      // A request that is rejected before it writes does not delay the others.
      if (!hasArrived) arrive();
      return answer;
    }),
  );
}

async function requireWholeTable(): Promise<void> {
  const violations = violationsOf(await background.whilePaused(scanTable));
  expect(violations.map(({ where, what }) => `${seededBy(where) ?? where}: ${what}`)).toEqual([]);
}

describe('two concurrent requests', () => {
  it('have the effect of one of them if they are the same, and neither fails', async () => {
    const problems: string[] = [];
    await inParallel(
      6,
      samples.map(sample => async () => {
        const { request, works, repeats = [], isDone } = await named(sample.name, () => sample.prepare(api));
        const answers = await meet([request, request]);
        const allowed = new Set([...works, ...repeats, 200, 201, 409]);
        const others = answers.filter(({ status }) => !allowed.has(status));
        problems.push(...others.map(answer => `${sample.name} → ${textOf(answer)}`));
        if (!answers.some(({ status }) => works.includes(status))) problems.push(`${sample.name}: neither was done`);
        if (!(await isDone())) problems.push(`${sample.name} is not done`);
      }),
    );
    expect(problems).toEqual([]);
    await requireWholeTable();
  });

  const rivals: [string, () => Promise<SampleRequest[]>, number[][]][] = [
    [
      'accept one invitation: one of the two does',
      async () => {
        const [owner, guest, other] = [await seedPerson(), await seedPerson(), await seedPerson()];
        const { token } = await invite(api, owner, guest.email, 'viewer');
        const path = `/members/invite/${token}/accept`;
        return [guest, other].map(({ session }) => ({ method: 'POST', path, as: session }));
      },
      [[200, 400]],
    ],
    [
      'accept an invitation and replace it: one of them succeeds',
      async () => {
        const [owner, guest] = [await seedPerson(), await seedPerson()];
        const { token } = await invite(api, owner, guest.email, 'viewer');
        const path = `/members/${owner.organization.id}/invite`;
        const body = { email: guest.email, role: 'viewer' };
        return [
          { method: 'POST', path: `/members/invite/${token}/accept`, as: guest.session },
          { method: 'POST', path, body, as: owner.session },
        ];
      },
      [
        [200, 409],
        [201, 400],
      ],
    ],
    [
      'of two owners demote each other: one stays an owner',
      async () => {
        const [owner, other] = [await seedPerson(), await seedPerson()];
        await join(api, owner, other, 'owner');
        const path = `/members/${owner.organization.id}`;
        const { members } = (await api.get(path, owner.session)).body;
        const idOf = (userId: string) => members.find((member: { userId: string }) => member.userId === userId).id;
        return [
          { method: 'PATCH', path: `${path}/${idOf(other.user.id)}`, body: { role: 'viewer' }, as: owner.session },
          { method: 'PATCH', path: `${path}/${idOf(owner.user.id)}`, body: { role: 'viewer' }, as: other.session },
        ];
      },
      [[200, 409]],
    ],
    [
      'add an environment to a project and delete the project',
      async () => {
        const { session, organization } = await place(api);
        const path = `/projects/${organization.id}/shop`;
        return [
          { method: 'DELETE', path, as: session },
          { method: 'POST', path: `${path}/environments`, body: { name: 'QA' }, as: session },
        ];
      },
      [
        [200, 404],
        [200, 201],
      ],
    ],
    [
      'add a project to an organization and delete the organization',
      async () => {
        const { session, organization } = await seedPerson();
        return [
          { method: 'DELETE', path: `/orgs/${organization.id}`, as: session },
          { method: 'POST', path: `/projects/${organization.id}`, body: { name: 'Shop' }, as: session },
        ];
      },
      [
        [200, 404],
        [200, 201],
      ],
    ],
    [
      'delete a project and its organization',
      async () => {
        const { session, organization } = await place(api);
        return [
          { method: 'DELETE', path: `/orgs/${organization.id}`, as: session },
          { method: 'DELETE', path: `/projects/${organization.id}/shop`, as: session },
        ];
      },
      [
        [200, 200],
        [200, 404],
      ],
    ],
  ];
  it.each(rivals)('that %s', async (name, prepare, allowed) => {
    const statuses = (await meet(await named(name, prepare))).map(({ status }) => status).toSorted();
    expect(allowed.map(one => one.toSorted())).toContainEqual(statuses);
    await requireWholeTable();
  });
});
