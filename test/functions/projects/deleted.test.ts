import { describe, expect, it } from 'vitest';
import { openLog } from '#lib/core/logger.ts';
import { eraseEnvironment, eraseProject } from '#lib/jobs/erase-project.ts';
import { queueUnfinishedWork } from '#lib/jobs/queue-unfinished-work.ts';
import { equals } from '#lib/table/expressions.ts';
import { at, find, type Read } from '#lib/table/read.ts';
import { environmentRecord, environmentStateRecord } from '#lib/table/records/environment.ts';
import type { Kept } from '#lib/table/records/kept.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, createToken, useApi } from '#test/support/api.ts';
import { createWhenFree } from '#test/support/create-when-free.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { eventually } from '#test/support/eventually.ts';
import { fresh } from '#test/support/fixtures.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import type { Conductor } from '#test/support/observe-calls.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus, join } from '#test/support/sample-requests.ts';

const api = useApi(() => startObservedApi({ LOG_LEVEL: 'SILENT' }));
const place = fresh(() => openWorkplace(api));
const owner = fresh(() => place.owner);

const log = openLog({});
const deletedPath = (rest = '') => `/deleted/${owner.organization.id}${rest}`;
const keep = (path: string, days = 7) => expectStatus(api.delete(`${path}?keepDays=${days}`, owner.session), 200);
const restore = (id: string) => api.post(deletedPath(`/${id}/restore`), undefined, owner.session);
const eraseNow = (id: string) => api.delete(deletedPath(`/${id}`), owner.session);
const listed = async () => (await api.get(deletedPath(), owner.session)).body.deleted as { id: string }[];
const ids = () => ({
  orgSlug: owner.organization.slug,
  organizationId: owner.organization.id,
  project: place.project.slug,
  projectId: place.project.id,
});
const environmentPath = (env: string) => `${place.projectPath}/environments/${env}`;
const projectItem = () => at(projectRecord, owner.organization.slug, place.project.slug);
const environmentItem = (env = 'dev') => at(environmentRecord, owner.organization.slug, place.project.slug, env);
const usage = async () => (await api.get(`/billing/${owner.organization.id}`, owner.session)).body.usage;

type Holder = Read<{ id: string; status: 'active' | 'deleting'; kept?: Kept | undefined }>;

/** As if its days had passed. */
const makeDue = (holder: Holder) =>
  transact([
    update(
      holder,
      { set: { 'kept.erasedAt': new Date(Date.now() - 1000).toISOString() } },
      { if: { status: equals('deleting') } },
    ),
  ]);

async function settle(): Promise<void> {
  await eventually(async () => expect(violationsOf(await scanTable(), { settled: true })).toEqual([]));
}

describe('a deleted project that is kept', () => {
  it('is out of reach at once, also for tokens, and comes back as it was', async () => {
    await place.importAll('dev', { A: 'one', B: 'two' });
    await place.set('dev', 'A', 'three');
    const token = { token: (await createToken(api, owner, { access: 'full' })).token };
    const before = (await api.get(place.projectPath, owner.session)).body;
    const pull = (headers?: Record<string, string>) => api.get(place.at('dev'), token, headers);
    expect((await pull({ 'if-none-match': '"2"' })).status).toBe(304);

    await keep(place.projectPath);

    const refused = [
      await pull(),
      await pull({ 'if-none-match': '"2"' }),
      await api.get(place.projectPath, owner.session),
    ];
    expect(refused.map(codeOf)).toEqual([
      '404 project_not_found',
      '404 environment_not_found',
      '404 project_not_found',
    ]);
    const [entry] = await listed();
    const { id, slug, name } = before.project;
    const deletedBy = { id: owner.user.id, email: owner.email };
    expect(entry).toMatchObject({ id, type: 'project', slug, name, project: null, deletedBy });

    expect((await restore(place.project.id)).status).toBe(200);
    expect((await api.get(place.projectPath, owner.session)).body).toEqual(before);
    expect(await place.values('dev')).toEqual({ A: 'three', B: 'two' });
    expect(await place.history('dev', 'A')).toMatchObject([{ value: 'three' }, { value: 'one' }]);
    expect((await pull({ 'if-none-match': '"2"' })).status).toBe(304);
    expect(await place.entriesOf('project.restored')).toHaveLength(1);
    expect(codeOf(await restore(place.project.id))).toBe('404 deleted_not_found');
    expect((await place.set('dev', 'A', 'four')).status).toBe(200);
    await settle();
  });

  it('keeps its slug and its place in the plan until it is erased', async () => {
    const before = await usage();
    await keep(place.projectPath, 1);

    const again = { name: 'Again', slug: place.project.slug };
    const taken = await api.post(`/projects/${owner.organization.id}`, again, owner.session);
    expect(codeOf(taken)).toBe('409 slug_taken');
    const [{ deletedAt, erasedAt }] = (await listed()) as unknown as Kept[] as [Kept];
    expect(taken.body.error.details).toEqual({ deletedAt, erasedAt });
    expect(Date.parse(erasedAt) - Date.parse(deletedAt)).toBe(24 * 3600 * 1000);
    expect(await usage()).toEqual(before);

    expect((await eraseNow(place.project.id)).status).toBe(200);
    expect((await usage()).projects).toBe(before.projects - 1);
    expect(codeOf(await restore(place.project.id))).toBe('404 deleted_not_found');
    expect(codeOf(await eraseNow(place.project.id))).toBe('404 deleted_not_found');
    expect(await place.entriesOf('project.erased')).toHaveLength(1);
    await createWhenFree(api, `/projects/${owner.organization.id}`, again, owner.session, 20);
    await settle();
  });

  it('is left alone by jobs before its time, and erased by one afterwards, with what was deleted in it before', async () => {
    await place.set('dev', 'A', 'one');
    await keep(environmentPath('staging'));
    await keep(place.projectPath);
    expect(await listed()).toHaveLength(2);
    const environmentId = place.environmentId('staging');
    const erase = () => eraseProject({ type: 'erase-project', ...ids() }, log);

    await expect(erase()).rejects.toThrow('is kept until');
    expect(await queueUnfinishedWork(log)).toBe(0);
    expect(codeOf(await restore(environmentId))).toBe('404 project_not_found');
    await makeDue(projectItem());
    expect(codeOf(await restore(place.project.id))).toBe('404 deleted_not_found');
    await erase();

    await eventually(async () => expect(await find(projectItem())).toBeUndefined());
    expect(await listed()).toEqual([]);
    // The entry of the deletion says when.
    expect(await place.entriesOf('project.deleted')).toMatchObject([{ details: { erasedAt: expect.any(String) } }]);
    expect(await place.entriesOf('project.erased')).toEqual([]);
    await settle();
  });

  it('goes on with the rotation of its key when it comes back', async () => {
    await place.importAll('dev', { A: 'one', B: 'two' });
    await expectStatus(place.rotateKey(), 202);
    await keep(place.projectPath);
    await expectStatus(restore(place.project.id), 200);

    expect(await place.whenRotated()).toMatchObject({ toVersion: 2 });
    expect(await place.values('dev')).toEqual({ A: 'one', B: 'two' });
    expect(Object.keys((await find(projectItem()))?.wrappedKeys ?? {})).toEqual(['2']);
    await settle();
  });
});

describe('a deleted environment that is kept', () => {
  it('is closed with its project, even if it is restored while the project is being deleted', async () => {
    await place.set('dev', 'A', 'one');
    await keep(environmentPath('dev'));
    let isRestored = false;
    const conductor: Conductor = {
      call: async ({ operation }, send) => {
        if (operation === 'TransactWriteItems' && !isRestored) {
          isRestored = true;
          await expectStatus(restore(place.environmentId('dev')), 200);
        }
        return send();
      },
    };

    const path = `${place.projectPath}?keepDays=7`;
    await expectStatus(
      withFault({ conductor }, headers => api.delete(path, owner.session, headers)),
      200,
    );

    expect((await find(at(environmentStateRecord, place.pathOf('dev'))))?.status).toBe('deleting');
    await expectStatus(restore(place.project.id), 200);
    expect(await place.values('dev')).toEqual({ A: 'one' });
    await settle();
  });

  it('comes back as it was, re-encrypted if the key was rotated meanwhile', async () => {
    await place.importAll('dev', { A: 'one', B: 'two' });
    await place.set('staging', 'S', 'staged');
    await keep(environmentPath('dev'));
    expect(codeOf(await place.pull('dev'))).toBe('404 environment_not_found');
    const taken = await api.post(`${place.projectPath}/environments`, { name: 'Dev', slug: 'dev' }, owner.session);
    expect([codeOf(taken), Object.keys(taken.body.error.details)]).toEqual([
      '409 slug_taken',
      ['deletedAt', 'erasedAt'],
    ]);

    await expectStatus(place.rotateKey(), 202);
    await place.whenRotated();
    expect(await listed()).toMatchObject([{ type: 'environment', slug: 'dev', project: place.project.slug }]);
    await expectStatus(restore(place.environmentId('dev')), 200);

    expect(await place.values('dev')).toEqual({ A: 'one', B: 'two' });
    expect(Object.keys((await find(projectItem()))?.wrappedKeys ?? {})).toEqual(['2']);
    expect(await find(environmentItem())).not.toHaveProperty('kept');
    expect((await place.set('dev', 'A', 'three')).status).toBe(200);
    await settle();
  });

  it('counts in its project until it is erased, in time or at once', async () => {
    const count = async () => (await find(projectItem()))?.environmentCount;
    await keep(environmentPath('dev'));
    await keep(environmentPath('staging'));
    expect(await count()).toBe(3);

    await expectStatus(eraseNow(place.environmentId('staging')), 200);
    const environmentId = place.environmentId('dev');
    const erase = () => eraseEnvironment({ type: 'erase-environment', ...ids(), env: 'dev', environmentId }, log);
    await expect(erase()).rejects.toThrow('is kept until');
    await makeDue(environmentItem());
    await erase();

    await eventually(async () => expect(await find(environmentItem('staging'))).toBeUndefined());
    expect([await count(), await find(environmentItem())]).toEqual([1, undefined]);
    await settle();
  });

  it('is written so that earlier releases reject it, and like any other once it is restored', async () => {
    const format = async () =>
      (await scanTable()).find(({ id, kind }) => kind === 'environment' && id === place.environmentId('dev'))?.v;
    expect(await format()).toBe(1);
    await keep(environmentPath('dev'));
    expect(await format()).toBe(2);
    await expectStatus(restore(place.environmentId('dev')), 200);
    expect(await format()).toBe(1);
  });
});

describe('what was deleted', () => {
  it('is the owners’: nobody else sees, restores or erases it, and other organizations’ is not there', async () => {
    const [admin, stranger] = [await place.member('admin'), await seedPerson()];
    await keep(place.projectPath);
    const { id } = place.project;
    for (const { session } of [admin, stranger]) {
      const answers = [
        await api.get(deletedPath(), session),
        await api.post(deletedPath(`/${id}/restore`), undefined, session),
        await api.delete(deletedPath(`/${id}`), session),
      ];
      const expected = session === admin.session ? '403 forbidden' : '404 organization_not_found';
      expect(answers.map(codeOf)).toEqual([expected, expected, expected]);
    }
    const other = `/deleted/${stranger.organization.id}/${id}`;
    expect(codeOf(await api.post(`${other}/restore`, undefined, stranger.session))).toBe('404 deleted_not_found');
    expect(codeOf(await api.delete(other, stranger.session))).toBe('404 deleted_not_found');
    await expectStatus(restore(id), 200);
  });

  it('is kept for at most 30 days, and not without being asked for', async () => {
    const answers = await Promise.all(
      ['31', '-1', '1.5', ''].map(days => api.delete(`${place.projectPath}?keepDays=${days}`, owner.session)),
    );
    expect(answers.map(codeOf)).toEqual(answers.map(() => '400 invalid_request'));
    await expectStatus(api.delete(environmentPath('dev'), owner.session), 200);
    expect(await listed()).toEqual([]);
    await eventually(async () => expect(await find(environmentItem())).toBeUndefined());
  });

  it('is restored once by many, and by none of them if it is erased', async () => {
    await keep(place.projectPath);
    const requests = [1, 2, 3].flatMap(() => [restore(place.project.id), eraseNow(place.project.id)]);
    const answers = await Promise.all(requests);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(answers.map(codeOf))).toEqual(new Set(['200 ok', '404 deleted_not_found']));
    await settle();
  });
});

it('a person who joins sees nothing of it', async () => {
  const member = await seedPerson();
  await join(api, owner, member, 'developer');
  await keep(place.projectPath);
  const { body } = await api.get(`/projects/${owner.organization.id}`, member.session);
  expect(body.projects.map(({ id }: { id: string }) => id)).not.toContain(place.project.id);
});
