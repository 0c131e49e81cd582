import { expect, test } from 'vitest';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus, join } from '#test/support/sample-requests.ts';
import { failure } from './cli.ts';
import { useWorkplace } from './workplace.ts';

const { api, owner, place, holdfast } = useWorkplace();

test('grants are given, listed and revoked, and requests are sent, granted and refused', async () => {
  const guest = await seedPerson();
  await join(api, owner, guest, 'viewer');
  const inProduction = ['--project', place.project.slug, '--env', 'production'];
  const give = ['grants', 'give', guest.email, ...inProduction];
  const pull = async () => (await place.pull('production', '', { as: guest.session })).status;
  expect((await holdfast('grants')).stderr).toContain('Nobody has temporary access');
  expect(await holdfast(...give)).toEqual(failure(2, 'Give a reason'));
  expect(await holdfast(...give, '--minutes', '4', '--reason', 'x')).toEqual(failure(2, 'from 5 to 1440'));
  const stranger = ['grants', 'give', 'nobody@example.com', ...inProduction, '--reason', 'x'];
  expect(await holdfast(...stranger)).toEqual(failure(5, 'No member has the address'));

  const given = await holdfast(...give, '--reason', 'Payments fail');

  expect([given.code, given.stderr]).toEqual([0, expect.stringContaining(`${guest.email} has read access until`)]);
  expect(await pull()).toBe(200);
  const [id = ''] = (await holdfast('grants')).stdout.split('\t');
  const listed = `${id}\t${guest.email}\t${place.project.slug}/production\tread\tuntil `;
  expect((await holdfast('grants')).stdout).toContain(listed);
  expect((await holdfast('grants', 'revoke', id)).code).toBe(0);
  expect(await pull()).toBe(403);
  expect((await holdfast('grants', 'revoke', id)).code).toBe(5);

  const ask = async () => {
    const body = { environmentId: place.environmentId('production'), access: 'write', minutes: 30, reason: 'x' };
    const path = `/grants/${owner.organization.id}/requests`;
    return (await expectStatus(api.post(path, body, guest.session), 201)).body.request.id as string;
  };
  const [first, second] = [await ask(), await ask()];
  expect((await holdfast('grants')).stdout).toContain('\twrite\trequested for 30 minutes\t');
  expect(await holdfast('grants', 'give', first, '--minutes', '60')).toEqual(failure(2, 'leave out'));
  expect((await holdfast('grants', 'give', first)).stderr).toContain('has write access');
  expect((await holdfast('grants', 'refuse', second)).code).toBe(0);
  expect((await holdfast('grants', 'refuse', second)).code).toBe(5);
  const requested = await holdfast('grants', 'request', ...inProduction, '--reason', 'Mine', '--json');
  expect(JSON.parse(requested.stdout).request).toMatchObject({ email: owner.email, access: 'read', minutes: 60 });
  const { grants, requests } = JSON.parse((await holdfast('grants', '--json')).stdout);
  expect([grants.length, requests.length]).toEqual([1, 1]);
});
