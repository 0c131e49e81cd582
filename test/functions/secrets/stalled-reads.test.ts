import { expect, it } from 'vitest';
import { keys } from '#lib/table/keys.ts';
import { type Answer, codeOf } from '#test/support/api.ts';
import { useWorkplace } from '#test/support/environments.ts';
import { gate } from '#test/support/gate.ts';
import { noAnswer } from '#test/support/inject-faults.ts';
import { numbered } from '#test/support/numbered.ts';
import type { AwsCall, Conductor } from '#test/support/observe-calls.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { stalling } from '#test/support/stalling.ts';
import { readRequest } from '../../model/read-request.ts';

/* Requests with a call that stalls until others have changed the data that the request has read or will read. */

const { place } = useWorkplace(startObservedApi);
const stateKey = () => keys.environmentState(place.pathOf());
const fill = () => place.importAll('dev', numbered(60, 'old'));

const reads = (call: AwsCall, { pk, sk }: { pk: string; sk: string }) =>
  call.operation.startsWith('BatchGet') && JSON.stringify(call.input).includes(`{"pk":"${pk}","sk":"${sk}`);

/** Has DynamoDB leave the state for a second call, which is executed once `changed` is open. @returns the response */
async function readingStateLater(
  changed: Promise<void>,
  send: (headers: Record<string, string>) => Promise<Answer>,
): Promise<{ answer: Promise<Answer> }> {
  const state = stateKey();
  const headIsRead = gate();
  let hasStalled = false;
  const conductor: Conductor = {
    call: async (call, proceed) => {
      if (hasStalled || !reads(call, { ...state, sk: `${state.sk}"` })) return proceed();
      hasStalled = true;
      const answer = (await proceed()) as { output: { Responses: Record<string, object[]>; UnprocessedKeys?: object } };
      for (const [table, items] of Object.entries(answer.output.Responses)) {
        answer.output.Responses[table] = items.filter(item => !('status' in item && 'fence' in item));
        answer.output.UnprocessedKeys = { [table]: { Keys: [state] } };
      }
      headIsRead.open();
      await changed;
      return answer;
    },
  };
  const answer = withFault({ conductor }, send);
  await Promise.race([headIsRead.opened, answer]);
  return { answer };
}

/** Imports, and runs `meanwhile` just before the commit. */
async function importing(
  secrets: Record<string, string>,
  meanwhile: () => Promise<unknown>,
  end: 'commits' | 'fails',
): Promise<Answer> {
  const { pk } = stateKey();
  let isOver = false;
  const conductor: Conductor = {
    attempt: async (call, send) => {
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
  await fill();
  const changed = gate();
  let set: { answer: Promise<Answer> } | undefined;
  const setUndone = (headers: Record<string, string>) => place.set('dev', 'K0', 'undone', { headers });
  const read = async () => {
    set = await readingStateLater(changed.opened, setUndone);
  };
  expect((await importing(numbered(60, 'undone'), read, 'fails')).status).toBe(503);
  expect((await place.set('dev', 'K0', 'other')).body).toMatchObject({ changed: true, revision: 2 });
  changed.open();
  expect((await set?.answer)?.body).toMatchObject({ changed: true, revision: 3 });
  expect((await place.values('dev')).K0).toBe('undone');
});

it('the history of a key has no version from an undone change, even if the state was read after the next change', async () => {
  await fill();
  const changed = gate();
  let history: { answer: Promise<Answer> } | undefined;
  const readVersions = (headers: Record<string, string>) => place.pull('dev', '/versions/K0', { headers });
  const read = async () => {
    history = await readingStateLater(changed.opened, readVersions);
  };
  expect((await importing(numbered(60, 'undone'), read, 'fails')).status).toBe(503);
  expect((await place.set('dev', 'OTHER', 'x')).body).toMatchObject({ revision: 2 });
  changed.open();
  expect((await history?.answer)?.body.versions).toMatchObject([{ version: 1, revision: 1 }]);
});

it('a pull that resolves a change in progress returns a whole revision even if a version it needs is replaced and destroyed in the meantime', async () => {
  await fill();
  let pull: Promise<Answer> | undefined;
  const destroyed = gate();
  const { pk } = stateKey();
  const imported = await importing(
    numbered(60, 'new'),
    async () => {
      const hasStalled = gate();
      pull = stalling(
        call => reads(call, { pk, sk: 'VERSION#K' }),
        headers => place.pull('dev', '', { headers }),
        () => {
          hasStalled.open();
          return destroyed.opened;
        },
      );
      await Promise.race([hasStalled.opened, pull]);
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
  await place.set('staging', 'A', 'one');
  await place.set('dev', 'A', 'two');
  const targetIsRead = gate();
  let isChanged = false;
  const [source, target] = ['dev', 'staging'].map(env => keys.environmentState(place.pathOf(env)).pk) as [
    string,
    string,
  ];
  const conductor: Conductor = {
    call: async (call, proceed) => {
      const queries = (pk: string) => call.operation.startsWith('Query') && JSON.stringify(call.input).includes(pk);
      if (queries(target)) return proceed().finally(targetIsRead.open);
      if (queries(source) && !isChanged) {
        isChanged = true;
        await targetIsRead.opened;
        await place.set('staging', 'A', 'three');
        await place.set('dev', 'A', 'one');
      }
      return proceed();
    },
  };
  const promoted = await withFault({ conductor }, headers =>
    place.promote({ from: 'dev', to: 'staging', overwrite: true }, { headers }),
  );
  expect(isChanged).toBe(true);
  expect([promoted.status, promoted.body.promoted]).toEqual([200, ['A']]);
  expect(await place.values('staging')).toEqual({ A: 'one' });
});

it.each([1, 60])(
  'a restore of %d keys does not bring back a value that was destroyed before it committed',
  async count => {
    for (const value of ['one', 'two']) await place.importAll('dev', numbered(count, value));
    const restored = await stalling(
      call => call.operation.startsWith('Transact'),
      headers => place.restore('dev', { revision: 1 }, { headers }),
      async () => {
        const gone = await place.destroy('dev', 'K0', { versions: [1] });
        expect(gone.body).toMatchObject({ destroyed: [1] });
      },
    );
    expect(codeOf(restored)).toBe('409 version_destroyed');
    expect(await place.values('dev')).toEqual(numbered(count, 'two'));
    expect((await place.set('dev', 'OTHER', 'x')).body).toMatchObject({ revision: 3 });
  },
);
