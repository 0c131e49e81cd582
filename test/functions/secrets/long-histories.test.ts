import { expect, it } from 'vitest';
import { maximumChangesSince } from '#lib/secrets/engine/read-past.ts';
import { maximumVersionsAtOnce } from '#lib/secrets/list-versions.ts';
import { at } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { headRecord } from '#lib/table/records/secret.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf } from '#test/support/api.ts';
import { useWorkplace } from '#test/support/environments.ts';

const { place } = useWorkplace();

it('a revision with too many changes since is rejected with their number', async () => {
  await place.set('dev', 'A', 'one');
  await place.set('dev', 'A', 'two');
  const state = at(environmentStateRecord, place.pathOf());
  const set = (revision: number) => transact([update(state, { set: { revision } })]);
  await set(maximumChangesSince + 2);
  const details = { changeCount: maximumChangesSince + 1, maximumChangeCount: maximumChangesSince };
  for (const answer of [
    await place.pull('dev', '?revision=1'),
    await place.pull('dev', '/keys?revision=1'),
    await place.pull('dev', '/diff?from=1'),
    await place.restore('dev', { revision: 1 }),
  ]) {
    expect([codeOf(answer), answer.body.error.details]).toEqual(['413 payload_too_large', details]);
  }
  await set(2);
  expect(await place.values('dev', '?revision=1')).toEqual({ A: 'one' });
});

it('a history with too many versions for one response is rejected with their number, and comes in pages', async () => {
  await place.set('dev', 'A', 'one');
  const head = at(headRecord, place.pathOf(), 'A');
  const version = maximumVersionsAtOnce + 1;
  await transact([update(head, { set: { version } })]);
  const answer = await place.pull('dev', '/versions/A');
  const details = { versionCount: version, maximumVersionCount: maximumVersionsAtOnce };
  expect([codeOf(answer), answer.body.error.details]).toEqual(['413 payload_too_large', details]);
  const last = await place.pull('dev', `/versions/A?limit=1&offset=${maximumVersionsAtOnce}`);
  expect(last.body.versions).toMatchObject([{ version: 1 }]);
});
