import { describe, expect, it } from 'vitest';
import { keys, ranges } from '#lib/table/keys.ts';
import { at, queryItems } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { revisionRecord } from '#lib/table/records/secret.ts';
import { put, removeAll, transact, update } from '#lib/table/write.ts';
import { useWorkplace } from '#test/support/environments.ts';

/* Special revisions, and restores. `time-machine.test.ts` reads back every revision of random histories. */

const { owner, place } = useWorkplace();

describe('a revision', () => {
  it('beyond the current one, or of an earlier environment under the same slugs, is not found', async () => {
    await place.set('dev', 'A', '1');
    const codes = async (...queries: string[]) =>
      Promise.all(queries.map(async query => (await place.pull('dev', query)).body.error?.code ?? 'found'));
    const beyond = ['?revision=2', '/keys?revision=2', '/diff?from=0&to=2', '/diff?from=9'];
    const below = ['?revision=-1', '/keys?revision=-1', '/diff?from=-1', '/diff?from=0&to=-1', '?revision=-1&keys=A'];
    expect(await codes(...beyond, ...below)).toEqual([...beyond, ...below].map(() => 'revision_not_found'));
    for (const revision of [-1, Number.MAX_SAFE_INTEGER]) {
      const restored = await place.restore('dev', { revision });
      expect(restored.body.error.code).toBe('revision_not_found');
      expect(await codes(`?revision=${revision}`)).toEqual(['revision_not_found']);
    }
    const state = at(environmentStateRecord, place.pathOf('staging'));
    await transact([update(state, { set: { revision: 1_700_000_000_000, firstRevision: 1_700_000_000_000 } })]);
    await place.set('staging', 'A', '1');
    expect((await place.pull('dev', '/revisions?before=0')).body).toEqual({ revisions: [], next: null });
    const at1 = async (revision: number) => (await place.pull('staging', `?revision=${revision}`)).status;
    expect(await Promise.all([0, 1, 1_699_999_999_999, 1_700_000_000_000, 1_700_000_000_001].map(at1))).toEqual([
      200, 404, 404, 200, 200,
    ]);
    expect(await place.values('staging', '?revision=1700000000000')).toEqual({});
    expect(await place.values('staging', '?revision=1700000000001')).toEqual({ A: '1' });
  });

  it('is rejected rather than returned incorrectly if a record is missing', async () => {
    await place.set('dev', 'A', '1');
    await place.set('dev', 'A', '2');
    await removeAll([keys.revision(place.pathOf(), 2, 0)]);
    expect((await place.pull('dev', '?revision=1')).status).toBe(503);
    expect((await place.pull('dev', '/revisions')).status).toBe(503);
    expect(await place.values('dev', '?revision=2')).toEqual({ A: '2' });
  });

  it('is rejected rather than returned incorrectly if the records don’t match what was recorded', async () => {
    await place.set('dev', 'A', '1');
    await place.set('dev', 'A', '2');
    const [item] = await queryItems(ranges.revisions(place.pathOf(), 1, 1));
    const record = revisionRecord.parse(item ?? {});
    const read = at(revisionRecord, place.pathOf(), 1);
    await transact([put(read, { ...record, digest: '0'.repeat(32) })]);
    expect((await place.pull('dev', '?revision=1')).status).toBe(503);
    await transact([put(read, record)]);
    expect(await place.values('dev', '?revision=1')).toEqual({ A: '1' });
  });

  it('reveals nothing to a writer without read access', async () => {
    await place.set('production', 'A', '1');
    const developer = await place.member('developer');
    for (const query of ['?revision=1', '/keys?revision=1', '/revisions', '/diff?from=0', '/diff?from=0&values=true']) {
      expect([query, (await place.pull('production', query, { as: developer.session })).status]).toEqual([query, 403]);
    }
  });
});

describe('restoring', () => {
  const restore = (body: object, as = owner.session) => place.restore('dev', body, { as });

  it('creates a new revision that records what it restored and why, as one change', async () => {
    await place.importAll('dev', { A: '1', B: '1', C: '1' });
    const set = ['A', 'D'].map(name => ({ key: name, value: '2' }));
    await place.change('dev', { set, delete: ['B'] });
    const body = { revision: 1, message: 'Undo the release' };
    const done = { created: ['B'], updated: ['A'], deleted: ['D'] };
    const planned = await place.restore('dev', body, { query: '?dryRun=true' });
    expect(planned.body).toEqual({ dryRun: true, plan: { ...done, unchanged: ['C'], skipped: [] }, revision: 2 });
    expect((await place.pull('dev', '/keys')).body.revision).toBe(2);
    expect((await restore(body)).body).toEqual({ ...done, unchanged: ['C'], restored: 1, revision: 3 });
    expect(await place.values('dev')).toEqual({ A: '1', B: '1', C: '1' });
    const { revisions } = (await place.pull('dev', '/revisions?limit=1')).body;
    const said = { revision: 3, action: 'secret.restored', message: 'Undo the release', restored: 1 };
    expect(revisions).toMatchObject([{ ...said, ...done }]);
    const entry = { revision: 3, message: 'Undo the release', details: { restored: 1 } };
    expect(await place.entriesOf('secret.restored')).toMatchObject([entry]);
    const nothing = { created: [], updated: [], deleted: [], revision: 3 };
    expect((await restore(body)).body).toMatchObject(nothing);
  });

  it('affects only the given keys, and ignores one that never existed', async () => {
    await place.importAll('dev', { A: '1', B: '1' });
    await place.importAll('dev', { A: '2', B: '2', C: '2' });
    const answer = await restore({ revision: 1, keys: ['A', 'C', 'NEVER'] });
    expect(answer.body).toMatchObject({ created: [], updated: ['A'], deleted: ['C'], unchanged: [] });
    expect(await place.values('dev')).toEqual({ A: '1', B: '2' });
  });

  it('is limited to owners and admins and to existing revisions, and honors If-Match', async () => {
    await place.set('dev', 'A', '1');
    const developer = await place.member('developer');
    expect((await restore({ revision: 0 }, developer.session)).status).toBe(403);
    expect((await restore({ revision: 2 })).body.error.code).toBe('revision_not_found');
    await place.set('dev', 'A', '2');
    await place.destroy('dev', 'A', { versions: [1] });
    // Revision 1 needs a value that was destroyed, and there is no revision 3.
    for (const revision of [0, 1, 3]) {
      const stale = await place.restore('dev', { revision }, { headers: { 'if-match': '"7"' } });
      expect(stale.body.error.code).toBe('revision_mismatch');
    }
    expect((await restore({ revision: 1 })).body.error.code).toBe('version_destroyed');
    expect(await place.values('dev')).toEqual({ A: '2' });
  });
});
