import { expect, it } from 'vitest';
import { openLog } from '#lib/core/logger.ts';
import { eraseProject } from '#lib/jobs/erase-project.ts';
import { NotYetCommitted } from '#lib/jobs/erase-range.ts';
import { newEnvironment } from '#lib/secrets/engine/new-environment.ts';
import { equals } from '#lib/table/expressions.ts';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { unfinishedWorkRecord } from '#lib/table/records/unfinished-work.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, startApi } from '#test/support/api.ts';
import { useWorkplace } from '#test/support/environments.ts';
import { eventually } from '#test/support/eventually.ts';
import { expectStatus } from '#test/support/sample-requests.ts';

const { api, owner, place } = useWorkplace(() => startApi({ LOG_LEVEL: 'SILENT' }));
const projectItem = () => at(projectRecord, owner.organization.slug, place.project.slug);
const deletedPath = (rest = '') => `/deleted/${owner.organization.id}/${place.project.id}${rest}`;
const keep = () => expectStatus(api.delete(`${place.projectPath}?keepDays=7`, owner.session), 200);

it('a project with more environments than one transaction holds is closed and restored as a whole', async () => {
  const project = await find(projectItem());
  if (project === undefined) throw new Error('The project does not exist.');
  const slugs = Array.from({ length: 100 }, (_, index) => `preview-${index}`);
  const { slug: orgSlug } = owner.organization;
  const made = slugs.map(slug =>
    newEnvironment(orgSlug, project, { slug, name: slug, type: 'development' }, new Date().toISOString()),
  );
  for (const { writes } of made) await transact(writes);
  await transact([update(projectItem(), { add: { environmentCount: slugs.length } })]);
  await place.set('preview-99', 'A', 'one');
  const statuses = async () => {
    const paths = slugs.map(env => ({ orgSlug, project: project.slug, env }));
    const states = await Promise.all(paths.map(path => find(at(environmentStateRecord, path))));
    return [...new Set(states.map(state => state?.status))];
  };

  await keep();
  expect(await statuses()).toEqual(['deleting']);
  await eventually(async () =>
    expect((await find(at(unfinishedWorkRecord, project.id)))?.plannedAtMs).toBeGreaterThan(Date.now()),
  );
  await expectStatus(api.post(deletedPath('/restore'), undefined, owner.session), 200);
  expect(await statuses()).toEqual(['active']);
  expect(await place.values('preview-99')).toEqual({ A: 'one' });
  expect(await find(at(unfinishedWorkRecord, project.id))).toBeUndefined();

  // The job ends what a process that died had begun.
  await keep();
  await transact([update(projectItem(), { set: { restoring: true } }, { if: { status: equals('deleting') } })]);
  expect(codeOf(await api.delete(deletedPath(), owner.session))).toBe('404 deleted_not_found');
  const ids = { organizationId: owner.organization.id, projectId: project.id };
  await eraseProject({ type: 'erase-project', orgSlug, project: project.slug, ...ids }, openLog({})).catch(error => {
    // The job that the deletion queued has then done it already.
    if (!(error instanceof NotYetCommitted)) throw error;
  });
  expect(await statuses()).toEqual(['active']);
  expect((await find(projectItem()))?.status).toBe('active');
});
