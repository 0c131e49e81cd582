import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { maximumJobReceives } from '#lib/core/job.ts';
import { queueJob } from '#lib/core/queue.ts';
import { runJob } from '#lib/jobs/run-job.ts';
import { firstCursor } from '#lib/projects/re-encrypt-project.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find, queryItems } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { headRecord, versionRecord } from '#lib/table/records/secret.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { type Answer, codeOf } from '#test/support/api.ts';
import { expireLease, useWorkplace } from '#test/support/environments.ts';
import { eventually } from '#test/support/eventually.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { numbered } from '#test/support/numbered.ts';
import { type AwsCall, conduct } from '#test/support/observe-calls.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { readRequest } from '../../model/read-request.ts';

const { api, owner, place } = useWorkplace(startObservedApi);

const ids = () => ({
  orgSlug: owner.organization.slug,
  organizationId: owner.organization.id,
  project: place.project.slug,
  projectId: place.project.id,
});
const rotation = async () => (await api.get(place.projectPath, owner.session)).body.project.rotation;

const whenCompleted = () =>
  eventually(async () => {
    const current = await rotation();
    expect(current).toMatchObject({ status: 'completed' });
    return current;
  });
async function rotateToTheEnd() {
  await place.rotateKey();
  return whenCompleted();
}

/** The key versions of everything stored in the project's environments, including orphans. */
async function keyVersions(): Promise<number[]> {
  const ranged = ['dev', 'staging', 'production'].map(env => ranges.environmentItems(place.pathOf(env)));
  const items = (await Promise.all(ranged.map(range => queryItems(range)))).flat();
  const sealed = items.filter(({ kind }) => kind === headRecord.kind || kind === versionRecord.kind);
  return [...new Set(sealed.flatMap(({ keyVersion }) => keyVersion ?? []))].map(Number);
}

/** An import of 60 keys that died, after one that succeeded. */
async function abandonImport(): Promise<void> {
  await place.importAll('dev', numbered(60, 'old'));
  const dies = { kind: 'dies-after', position: 7 } as const;
  await withFault(dies, headers => place.importAll('dev', numbered(60, 'new'), { headers }));
}

function messageOf(job: object, receives = 1): SQSRecord {
  const attributes = { ApproximateReceiveCount: String(receives), SentTimestamp: String(Date.now()) };
  return { body: JSON.stringify(job), messageId: 'any', attributes } as unknown as SQSRecord;
}

const wrappedKeys = async () =>
  Object.keys((await find(at(projectRecord, owner.organization.slug, place.project.slug)))?.wrappedKeys ?? {});

describe('rotating the key', () => {
  it('completes at once for a project that never had a value', async () => {
    const answer = await place.rotateKey();
    expect(answer.status).toBe(200);
    const done = { status: 'completed', fromVersion: 1, toVersion: 2, reencrypted: 0, total: 0 };
    expect(answer.body).toMatchObject({ rotation: done, project: { keyVersion: 2, rotation: done } });
    expect(await wrappedKeys()).toEqual(['2']);
    expect((await place.set('dev', 'A', 'one')).status).toBe(201);
    expect(await place.values('dev')).toEqual({ A: 'one' });
    expect(await keyVersions()).toEqual([2]);
  });

  it('re-encrypts all values, including the history, and deletes the old key', async () => {
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`K${i}`, `value ${i}`]));
    await place.importAll('dev', many);
    await place.set('dev', 'K1', 'changed');
    await place.remove('dev', 'K2');
    await place.set('staging', 'S', 'staged');
    const answer = await place.rotateKey();
    expect(answer.status).toBe(202);
    const versions = { fromVersion: 1, toVersion: 2, total: 122 };
    expect(answer.body.rotation).toEqual({ status: 'in_progress', ...versions, reencrypted: 0 });
    expect(codeOf(await place.rotateKey())).toBe('409 rotation_in_progress');
    expect(await whenCompleted()).toEqual({ status: 'completed', ...versions, reencrypted: 122 });
    expect(await keyVersions()).toEqual([2]);
    expect(await wrappedKeys()).toEqual(['2']);
    const { K2: _, ...rest } = many;
    expect(await place.values('dev')).toEqual({ ...rest, K1: 'changed' });
    expect(await place.history('dev', 'K1')).toMatchObject([{ value: 'changed' }, { value: 'value 1' }]);
    // A rotation does not change the secrets.
    expect((await place.pull('dev')).body.revision).toBe(3);
    expect((await place.rotateKey()).body.rotation).toMatchObject({ fromVersion: 2, toVersion: 3 });
    expect(await whenCompleted()).toMatchObject({ toVersion: 3, reencrypted: 122 });
    expect(await keyVersions()).toEqual([3]);
  });

  it('is limited to owners and admins, is audited, and happens once when requested twice concurrently', async () => {
    const developer = await place.member('developer');
    expect((await place.rotateKey({ as: developer.session })).status).toBe(403);
    await place.set('dev', 'A', 'one');
    const answers = await Promise.all([place.rotateKey(), place.rotateKey(), place.rotateKey()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409]);
    expect(await place.entriesOf('project.key_rotated')).toHaveLength(1);
    await whenCompleted();
  });

  it('works under continuous writes, imports and pulls: none fails and none is lost', async () => {
    const many = (fill: string) => Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`K${i}`, `${fill} ${i}`]));
    await place.importAll('dev', many('first'));
    await place.set('dev', 'SET', 'first');
    let over = false;
    const statuses: number[] = [];
    const written = ['first'];
    const set = async (round: number) => {
      const answer = await place.set('dev', 'SET', `set ${round}`);
      written.push(`set ${round}`);
      return answer;
    };
    const promotion = { from: 'dev', to: 'staging', keys: ['K1', 'K2'] };
    const requests: ((round: number) => Promise<Answer>)[] = [
      set,
      round => place.importAll('dev', many(`import ${round}`)),
      () => place.pull('dev'),
      () => place.pull('dev', '/versions/SET?values=true&limit=5'),
      () => place.promote(promotion),
    ];
    const answered = requests.map(() => 0);
    const load = requests.map(async (send, kind) => {
      for (let round = 0; !over; round += 1) {
        statuses.push((await send(round)).status);
        answered[kind] = round + 1;
        // The rotation needs the processor too.
        await sleep(5);
      }
    });
    const keepBusy = () => {
      const enough = answered.map(count => count + 2);
      return eventually(() => expect(answered.every((count, kind) => count >= (enough[kind] ?? 0))).toBe(true));
    };
    try {
      await keepBusy();
      expect((await place.rotateKey()).status).toBe(202);
      await whenCompleted();
      await keepBusy();
    } finally {
      over = true;
      await Promise.all(load);
    }
    expect(statuses.filter(status => status >= 300)).toEqual([]);
    expect(await keyVersions()).toEqual([2]);
    const versions = await place.history('dev', 'SET');
    expect(versions.map(({ value }) => value)).toEqual(written.toReversed());
    expect(Object.keys(await place.values('dev'))).toHaveLength(81);
  });

  it('also re-encrypts what an abandoned import left behind, and undoes it under the new key', async () => {
    await abandonImport();
    await rotateToTheEnd();
    expect(await keyVersions()).toEqual([2]);
    expect(await place.values('dev')).toEqual(numbered(60, 'old'));
    await expireLease(place, 'dev');
    expect((await place.set('dev', 'K1', 'next')).body).toMatchObject({ revision: 2, secret: { version: 2 } });
    expect(await place.values('dev')).toEqual({ ...numbered(60, 'old'), K1: 'next' });
    expect(await keyVersions()).toEqual([2]);
  });

  it('leaves nothing under the old key, even if a writer with only that key undoes an import after the last walk', async () => {
    await abandonImport();
    const state = at(environmentStateRecord, place.pathOf());
    const fenceIt = () =>
      conduct(undefined, async () => {
        await place.rotateKey();
        await eventually(async () => expect((await find(state))?.keyVersion).toBe(2));
      });
    let fenced: Promise<void> | undefined;
    let walked: Promise<unknown> | undefined;
    const conductor = {
      call: async (call: AwsCall, send: () => Promise<unknown>) => {
        const isWait = call.operation.startsWith('Get') && call.input.Key?.sk === state.key.sk;
        const areCopies = call.operation.startsWith('BatchGet') && JSON.stringify(call.input).includes('"FENCE#0"');
        if (isWait || areCopies) {
          fenced ??= fenceIt();
          await fenced;
        }
        const isStep = call.operation.startsWith('Transact') && readRequest(call, state.key.pk)?.kind === 'step';
        if (isStep) {
          walked ??= whenCompleted();
          await walked;
        }
        return send();
      },
    };
    const answer = await withFault({ conductor }, headers => place.set('dev', 'K1', 'next', { headers }));
    expect(answer.status).toBe(200);
    expect([fenced, walked]).not.toContain(undefined);
    expect(await wrappedKeys()).toEqual(['2']);
    expect(await keyVersions()).toEqual([2]);
    expect(await place.values('dev')).toEqual({ ...numbered(60, 'old'), K1: 'next' });
  });

  it('tolerates a job that arrives twice, too late, or for a rotation that never happened', async () => {
    await place.importAll('dev', numbered(120, 'v'));
    const job = (toVersion: number) =>
      ({ type: 're-encrypt-project', ...ids(), toVersion, cursor: firstCursor() }) as const;
    await place.rotateKey();
    await Promise.all([queueJob(job(2)), queueJob(job(2)), queueJob(job(7))]);
    expect(await whenCompleted()).toMatchObject({ reencrypted: 120, total: 120 });
    expect(await runJob(messageOf(job(2)))).toBe(true);
    expect(await rotation()).toMatchObject({ status: 'completed', reencrypted: 120 });
    expect(await keyVersions()).toEqual([2]);
    expect(Object.keys(await place.values('dev'))).toHaveLength(120);
  });

  it('completes even if a value is damaged, and keeps the old key until it is repaired', async () => {
    await place.importAll('dev', { A: 'one', B: 'two' });
    const read = at(headRecord, place.pathOf(), 'A');
    const [sealed, other] = [(await find(read))?.sealed, await find(at(headRecord, place.pathOf(), 'B'))];
    await transact([update(read, { set: { sealed: other?.sealed } })]);
    expect(await rotateToTheEnd()).toMatchObject({ reencrypted: 2 });
    expect((await place.pull('dev')).status).toBe(500);
    expect(await wrappedKeys()).toEqual(['1', '2']);
    await transact([update(read, { set: { sealed } })]);
    expect(await place.values('dev')).toEqual({ A: 'one', B: 'two' });
    await rotateToTheEnd();
    expect(await wrappedKeys()).toEqual(['3']);
    expect(await place.values('dev')).toEqual({ A: 'one', B: 'two' });
  });
});

it('a rotation with a step that fails for good is abandoned, loses nothing, and can be started again', async () => {
  await place.importAll('dev', { A: 'one', B: 'two' });
  await place.set('dev', 'A', 'next');
  // An unreadable item stops every pass.
  const broken = at(versionRecord, place.pathOf(), 'A', 1);
  const found = await find(broken);
  if (found === undefined) throw new Error('A has no first version.');
  await transact([update(broken, { set: { revision: 'none' as unknown as number } })]);
  expect((await place.rotateKey()).status).toBe(202);
  expect((await place.rotateKey()).status).toBe(409);

  const job = { type: 're-encrypt-project', ...ids(), toVersion: 2, cursor: { ...firstCursor(), walk: '1' } };
  expect(await runJob(messageOf(job, maximumJobReceives))).toBe(false);
  expect(await rotation()).toEqual({ status: 'in_progress', fromVersion: 1, toVersion: 2, reencrypted: 0, total: 3 });
  expect(await place.values('dev')).toEqual({ A: 'next', B: 'two' });

  await transact([put(broken, found)]);
  expect((await place.rotateKey()).status).toBe(202);
  expect(await whenCompleted()).toMatchObject({ fromVersion: 2, toVersion: 3, reencrypted: 3, total: 3 });
  expect(await keyVersions()).toEqual([3]);
  expect(await wrappedKeys()).toEqual(['3']);
  expect(await place.values('dev')).toEqual({ A: 'next', B: 'two' });
});

describe('an environment created during a rotation', () => {
  it('starts under the project’s current key', async () => {
    await place.set('dev', 'A', 'one');
    const [, made] = await Promise.all([
      place.rotateKey(),
      api.post(`${place.projectPath}/environments`, { name: 'Extra' }, owner.session),
    ]);
    expect(made.status).toBe(201);
    expect((await place.set('extra', 'A', 'one')).status).toBe(201);
    await whenCompleted();
    expect(await place.values('extra')).toEqual({ A: 'one' });
  });

  it('and all of the rotations above leave a consistent table', async () => {
    expect(violationsOf(await scanTable())).toEqual([]);
  });
});
