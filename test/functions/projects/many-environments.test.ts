import { expect, it } from 'vitest';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { newEnvironment } from '#lib/secrets/engine/new-environment.ts';
import { at, find } from '#lib/table/read.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { transact, update } from '#lib/table/write.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { recordRequest, startObservedApi } from '#test/support/observed-api.ts';
import { seedOwner } from '#test/support/people.ts';
import { countsOf } from '#test/support/record-calls.ts';

const api = shared(startObservedApi);
const owner = shared(seedOwner);
const place = shared(() => openWorkplace(api, owner));

it('rotating the key of a project with 2,000 environments begins after a few calls, and counts all their values', async () => {
  const project = await find(at(projectRecord, owner.organization.slug, place.project.slug));
  if (project === undefined) throw new Error('The project does not exist.');
  const added = 1997;
  const writes = Array.from({ length: added }, (_, index) => {
    const slug = `preview-${index}`;
    const type = 'development';
    return newEnvironment(owner.organization.slug, project, { slug, name: slug, type }, new Date().toISOString())
      .writes;
  });
  // One after another, so that none waits longer for DynamoDB Local than its client allows.
  for (const some of chunksOf(40, writes)) await transact(some.flat());
  await transact([
    update(at(projectRecord, owner.organization.slug, project.slug), { add: { environmentCount: added } }),
  ]);
  await place.set('dev', 'A', 'one');
  await place.set('dev', 'A', 'two');
  await place.set('preview-1996', 'B', 'three');

  const { answer, calls } = await recordRequest(headers =>
    api.post(`${place.projectPath}/rotate-key`, undefined, owner.session, headers),
  );

  expect(answer.status).toBe(202);
  expect(answer.body.rotation).toMatchObject({ status: 'in_progress', total: 3 });
  expect(answer.body.project.environments).toHaveLength(2000);
  // A hundred environments a call, for their view and for their counts.
  const count = (name: string) => calls.filter(({ operation }) => operation.startsWith(name)).length;
  expect(count('BatchGet')).toBeLessThanOrEqual(45);
  expect(count('Query')).toBeLessThanOrEqual(5);
  expect(calls.length).toBeLessThanOrEqual(60);
});

it('listing them reads one unit for each, for its revision and number of secrets, and a tenth for its description', async () => {
  const { answer, calls } = await recordRequest(headers =>
    api.get(`/projects/${owner.organization.id}`, owner.session, headers),
  );
  const [project] = answer.body.projects;
  const { readUnits, writeUnits } = countsOf(calls);

  expect(project.environments).toHaveLength(2000);
  expect(readUnits / project.environments.length).toBeGreaterThan(1);
  expect(readUnits / project.environments.length).toBeLessThan(1.15);
  expect(writeUnits).toBe(0);
});
