import { expect, test } from 'vitest';
import { failure } from './cli.ts';
import { useWorkplace } from './workplace.ts';

const { api, owner, place, holdfast } = useWorkplace();
const deletedIds = async (): Promise<string[]> =>
  (await api.get(`/deleted/${owner.organization.id}`, owner.session)).body.deleted.map(({ id }: { id: string }) => id);

test('envs delete keeps an environment for a week, and deleted lists, restores and erases it', async () => {
  await place.set('dev', 'A', 'kept');
  const refused = await holdfast('envs', 'delete', 'dev', '--project', place.project.slug);
  expect(refused).toEqual(failure(2, 'requires --yes'));

  const { code, stderr } = await holdfast('envs', 'delete', 'dev', '--project', place.project.slug, '--yes');
  expect([code, stderr.includes('It can be restored until')], stderr).toEqual([0, true]);
  const id = place.environmentId('dev');
  const listed = await holdfast('deleted');
  expect(listed.stdout).toContain(`${id}\tenvironment ${place.project.slug}/dev\t`);

  expect((await holdfast('deleted', 'restore', id)).code).toBe(0);
  expect(await place.values('dev')).toEqual({ A: 'kept' });
  expect((await holdfast('deleted', 'restore', id)).code).toBe(5);

  await holdfast('envs', 'delete', 'dev', '--project', place.project.slug, '--yes');
  expect(await holdfast('deleted', 'erase', id)).toEqual(failure(2, 'requires --yes'));
  expect((await holdfast('deleted', 'erase', id, '--yes')).code).toBe(0);
  expect(await deletedIds()).toEqual([]);
});

test('projects delete keeps nothing if told so', async () => {
  const { code } = await holdfast('projects', 'delete', place.project.slug, '--keep-days', '0', '--yes');
  expect(code).toBe(0);
  expect(await deletedIds()).toEqual([]);
});

test('orgs deleted and orgs restore bring an organization back', async () => {
  const { id, slug } = owner.organization;
  expect((await holdfast('orgs', 'deleted')).stdout).toBe('');
  await api.delete(`/orgs/${id}?keepDays=7`, owner.session);
  expect((await holdfast('orgs', 'deleted')).stdout).toContain(slug);
  expect((await holdfast('orgs', 'restore', id)).code).toBe(0);
  expect((await api.get(`/projects/${id}`, owner.session)).status).toBe(200);
});
