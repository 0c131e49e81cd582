import { expect, it } from 'vitest';
import { keys } from '#lib/table/keys.ts';
import type { Answer } from '#test/support/api.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { gate } from '#test/support/gate.ts';
import { noAnswer } from '#test/support/inject-faults.ts';
import { numbered } from '#test/support/numbered.ts';
import type { AwsCall } from '#test/support/observe-calls.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { seedOwner } from '#test/support/people.ts';
import { stalling } from '#test/support/stalling.ts';
import { readRequest } from '../../model/read-request.ts';

/* Requests with a call that stalls until others have changed the data that the request has read or will read. */

const api = shared(startObservedApi);
const owner = shared(seedOwner);

const stateKey = ({ project }: Workplace, env: string) =>
  keys.environmentState({ orgSlug: owner.organization.slug, project: project.slug, env });

const reads = (call: AwsCall, { pk, sk }: { pk: string; sk: string }) =>
  call.operation.startsWith('BatchGet') && JSON.stringify(call.input).includes(`{"pk":"${pk}","sk":"${sk}`);

/** DynamoDB leaves the state for a second call, which is executed late. */
function readingStateLater(
  state: { pk: string; sk: string },
  headIsRead: ReturnType<typeof gate>,
  changed: ReturnType<typeof gate>,
) {
  let hasStalled = false;
  return {
    call: async (call: AwsCall, send: () => Promise<unknown>) => {
      if (hasStalled || !reads(call, { ...state, sk: `${state.sk}"` })) return send();
      hasStalled = true;
      const answer = (await send()) as { output: { Responses: Record<string, object[]>; UnprocessedKeys?: object } };
      for (const [table, items] of Object.entries(answer.output.Responses)) {
        answer.output.Responses[table] = items.filter(item => !('status' in item && 'fence' in item));
        answer.output.UnprocessedKeys = { [table]: { Keys: [state] } };
      }
      headIsRead.open();
      await changed.opened;
      return answer;
    },
  };
}

/** Imports, and runs `meanwhile` just before the commit. */
async function importing(
  place: Workplace,
  secrets: Record<string, string>,
  meanwhile: () => Promise<unknown>,
  end: 'commits' | 'fails',
): Promise<Answer> {
  const { pk } = stateKey(place, 'dev');
  let isOver = false;
  const conductor = {
    attempt: async (call: AwsCall, send: () => Promise<unknown>) => {
      const isCommit = call.operation.startsWith('Transact') && readRequest(call, pk)?.kind === 'commit large';
      if (!isCommit) return send();
      if (!isOver) {
        isOver = true;
        await meanwhile();
      }
      if (end === 'fails') throw noAnswer();
      return send();
    },
  };
  return withFault({ conductor }, headers => place.importAll('dev', secrets, { headers }));
}

it('a secret that was read during a change that was then undone does not make a later set of the same value succeed without a change', async () => {
  const place = await openWorkplace(api, owner);
  await place.importAll('dev', numbered(60, 'old'));
  let set: Promise<Answer> | undefined;
  const changed = gate();
  const failed = await importing(
    place,
    numbered(60, 'undone'),
    async () => {
      const headIsRead = gate();
      const conductor = readingStateLater(stateKey(place, 'dev'), headIsRead, changed);
      set = withFault({ conductor }, headers => place.set('dev', 'K0', 'undone', { headers }));
      await Promise.race([headIsRead.opened, set]);
    },
    'fails',
  );
  expect(failed.status).toBe(503);
  expect((await place.set('dev', 'K0', 'other')).body).toMatchObject({ changed: true, revision: 2 });
  changed.open();
  expect((await set)?.body).toMatchObject({ changed: true, revision: 3 });
  expect((await place.values('dev')).K0).toBe('undone');
});

it('the history of a key has no version from an undone change, even if the state was read after the next change', async () => {
  const place = await openWorkplace(api, owner);
  await place.importAll('dev', numbered(60, 'old'));
  const headIsRead = gate();
  const changed = gate();
  let history: Promise<Answer> | undefined;
  const failed = await importing(
    place,
    numbered(60, 'undone'),
    async () => {
      const conductor = readingStateLater(stateKey(place, 'dev'), headIsRead, changed);
      history = withFault({ conductor }, headers => api.get(place.at('dev', '/versions/K0'), owner.session, headers));
      await Promise.race([headIsRead.opened, history]);
    },
    'fails',
  );
  expect(failed.status).toBe(503);
  expect((await place.set('dev', 'OTHER', 'x')).body).toMatchObject({ revision: 2 });
  changed.open();
  const { versions } = (await history)?.body ?? {};
  expect(versions).toMatchObject([{ version: 1, revision: 1 }]);
});

it('a pull that resolves a change in progress returns a whole revision even if a version it needs is replaced and destroyed in the meantime', async () => {
  const place = await openWorkplace(api, owner);
  await place.importAll('dev', numbered(60, 'old'));
  let pull: Promise<Answer> | undefined;
  const destroyed = gate();
  const { pk } = stateKey(place, 'dev');
  const imported = await importing(
    place,
    numbered(60, 'new'),
    async () => {
      const begun = gate();
      pull = stalling(
        call => reads(call, { pk, sk: 'VERSION#K' }),
        headers => place.pull('dev', '', { headers }),
        () => {
          begun.open();
          return destroyed.opened;
        },
      );
      await Promise.race([begun.opened, pull]);
    },
    'commits',
  );
  expect(imported.status).toBe(200);
  const gone = await place.destroy('dev', 'K0', { versions: [1] });
  expect(gone.body).toMatchObject({ destroyed: [1] });
  destroyed.open();
  const pulled = await pull;
  expect([pulled?.status, pulled?.body.revision]).toEqual([200, 2]);
});

it('a promotion of all secrets is not reported as unchanged if source and target were never equal', async () => {
  const place = await openWorkplace(api, owner);
  await place.set('staging', 'A', 'one');
  await place.set('dev', 'A', 'two');
  const { pk } = stateKey(place, 'dev');
  const promoted = await stalling(
    call => call.operation.startsWith('Query') && JSON.stringify(call.input).includes(pk),
    headers => place.promote({ from: 'dev', to: 'staging', overwrite: true }, { headers }),
    async () => {
      // The target has been read by now.
      await new Promise(resolve => setTimeout(resolve, 200));
      await place.set('staging', 'A', 'three');
      await place.set('dev', 'A', 'one');
    },
  );
  expect([promoted.status, promoted.body.promoted]).toEqual([200, ['A']]);
  expect(await place.values('staging')).toEqual({ A: 'one' });
});

it.each([1, 60])(
  'a restore of %d keys does not bring back a value that was destroyed before it committed',
  async count => {
    const place = await openWorkplace(api, owner);
    await place.importAll('dev', numbered(count, 'one'));
    await place.importAll('dev', numbered(count, 'two'));
    const restored = await stalling(
      call => call.operation.startsWith('Transact'),
      headers => place.restore('dev', { revision: 1 }, { headers }),
      async () => {
        const gone = await place.destroy('dev', 'K0', { versions: [1] });
        expect(gone.body).toMatchObject({ destroyed: [1] });
      },
    );
    expect([restored.status, restored.body.error?.code]).toEqual([409, 'version_destroyed']);
    expect(await place.values('dev')).toEqual(numbered(count, 'two'));
    expect((await place.set('dev', 'OTHER', 'x')).body).toMatchObject({ revision: 3 });
  },
);
