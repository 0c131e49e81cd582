import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { startReceiver } from '#test/support/receiver.ts';

const api = shared(startApi);
const receiver = shared(startReceiver);
const place = shared(() => openWorkplace(api));
beforeAll(async () => {
  const events = ['created', 'updated', 'deleted', 'promoted', 'bulk_set', 'bulk_delete'].map(name => `secret.${name}`);
  await api.post(`/webhooks/${place.owner.organization.id}`, { url: receiver.url, events }, place.owner.session);
});

/** The payload of the next delivery; undefined if there is none. */
async function nextEvent() {
  const count = receiver.received.length;
  return async () => {
    for (let waited = 0; waited < 100 && receiver.received.length === count; waited += 1) await sleep(20);
    const delivery = receiver.received[count];
    return delivery === undefined ? undefined : JSON.parse(delivery.body.toString());
  };
}

it('every change of secrets sends its event, with names and numbers but no value', async () => {
  const { owner, project } = place;
  const environments = (await api.get(`/projects/${owner.organization.id}/${project.slug}`, owner.session)).body.project
    .environments;
  const [dev, staging] = environments.map(({ id, slug }: { id: string; slug: string }) => ({ id, slug }));
  const promote = (overwrite: boolean) =>
    api.post(
      `/secrets/${owner.organization.slug}/${project.slug}/promote`,
      { from: 'dev', to: 'staging', overwrite },
      owner.session,
    );
  const bulkDelete = (keys: string[]) => place.bulkDelete('dev', keys);
  const change = (body: object) => place.change('dev', body);
  const remove = () => place.remove('dev', 'A');
  const changes: [() => Promise<unknown>, object][] = [
    [
      () => place.set('dev', 'A', 'value-1'),
      { event: 'secret.created', key: 'A', metadata: { version: 1, revision: 1 } },
    ],
    [
      () => place.set('dev', 'A', 'value-2'),
      { event: 'secret.updated', key: 'A', metadata: { version: 2, revision: 2 } },
    ],
    [remove, { event: 'secret.deleted', key: 'A', metadata: { version: 3, revision: 3 } }],
    [
      () => place.set('dev', 'A', 'value-3'),
      { event: 'secret.created', key: 'A', metadata: { version: 4, revision: 4 } },
    ],
    [
      () => place.importAll('dev', { A: 'value-3', B: 'value-4', C: 'value-5' }),
      { event: 'secret.bulk_set', key: '*', metadata: { keys: ['B', 'C'], revision: 5 } },
    ],
    [() => bulkDelete(['C', 'NOPE']), { event: 'secret.deleted', key: 'C', metadata: { version: 2, revision: 6 } }],
    [
      () => place.importAll('dev', { A: 'value-3', C: 'value-5' }),
      { event: 'secret.created', key: 'C', metadata: { version: 3, revision: 7 } },
    ],
    [
      () => change({ set: [{ key: 'A', value: 'value-3' }], delete: ['C'], message: 'one changes' }),
      { event: 'secret.deleted', key: 'C', metadata: { version: 4, revision: 8, message: 'one changes' } },
    ],
    [
      () => place.importAll('dev', { C: 'value-7', D: 'value-7' }),
      { event: 'secret.bulk_set', key: '*', metadata: { keys: ['C', 'D'], revision: 9 } },
    ],
    [
      () => bulkDelete(['C', 'D', 'NOPE']),
      { event: 'secret.bulk_delete', key: '*', metadata: { keys: ['C', 'D'], revision: 10 } },
    ],
    [
      () => promote(true),
      {
        event: 'secret.promoted',
        key: '*',
        environment: staging,
        metadata: { keys: ['A', 'B'], revision: 1, from: dev },
      },
    ],
  ];
  for (const [change, expected] of changes) {
    const event = await nextEvent();
    await change();
    expect(await event()).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      org: { id: owner.organization.id },
      project: { id: project.id, slug: project.slug },
      environment: dev,
      actor: { id: owner.user.id, email: owner.email },
      ...expected,
    });
  }
  // Requests that change nothing send nothing: the next event belongs to the later change.
  const event = await nextEvent();
  await place.set('dev', 'A', 'value-3');
  await place.importAll('dev', { A: 'value-3' });
  await bulkDelete(['NOPE']);
  await promote(true);
  await promote(false);
  await place.set('dev', 'A', 'refused', { headers: { 'if-match': '"99"' } });
  await place.set('dev', 'LAST', 'value-6');
  expect(await event()).toMatchObject({ event: 'secret.created', key: 'LAST' });
  expect(receiver.received).toHaveLength(changes.length + 1);
  expect(receiver.received.map(({ body }) => body.toString()).join()).not.toContain('value-');
});

it('a change that sets and deletes sends both lists with the same revision', async () => {
  const { revision } = (await place.importAll('production', { A: 'value-1', B: 'value-2', C: 'value-3' })).body;
  const body = { set: [{ key: 'A', value: 'value-4' }], delete: ['B', 'C'], message: 'a mixture' };
  await place.change('production', body);
  const sent = await eventually(() => {
    const events = receiver.received.map(delivery => JSON.parse(delivery.body.toString()));
    const ofChange = events.filter(({ metadata }) => metadata.message === 'a mixture');
    expect(ofChange).toHaveLength(2);
    return ofChange;
  });
  expect(sent.map(({ event, key, metadata }) => ({ event, key, metadata })).toSorted(byEvent)).toEqual([
    {
      event: 'secret.bulk_delete',
      key: '*',
      metadata: { keys: ['B', 'C'], revision: revision + 1, message: 'a mixture' },
    },
    { event: 'secret.bulk_set', key: '*', metadata: { keys: ['A'], revision: revision + 1, message: 'a mixture' } },
  ]);
});

it('a restore sends the same events as the equivalent sets and deletions', async () => {
  const { revision } = (await place.importAll('staging', { A: 'value-1', B: 'value-2', C: 'value-3' })).body;
  const body = { set: [{ key: 'A', value: 'value-4' }], delete: ['B', 'C'] };
  await place.change('staging', body);
  const restore = (to: number, message: string, keys?: string[]) =>
    place.restore('staging', { revision: to, keys, message });
  await restore(revision, 'to the first');
  await restore(revision + 1, 'and back');
  await restore(revision, 'one key', ['A', 'NEVER']);
  const eventsOf = async (message: string, count: number) => {
    const sent = await eventually(() => {
      const events = receiver.received.map(delivery => JSON.parse(delivery.body.toString()));
      const ofChange = events.filter(({ metadata }) => metadata.message === message);
      expect(ofChange).toHaveLength(count);
      return ofChange;
    });
    return sent.map(({ event, key, metadata }) => ({ event, key, metadata })).toSorted(byEvent);
  };
  const all = { event: 'secret.bulk_set', key: '*' };
  const first = { revision: revision + 2, message: 'to the first' };
  expect(await eventsOf('to the first', 1)).toEqual([{ ...all, metadata: { keys: ['A', 'B', 'C'], ...first } }]);
  const back = { revision: revision + 3, message: 'and back' };
  expect(await eventsOf('and back', 2)).toEqual([
    { event: 'secret.bulk_delete', key: '*', metadata: { keys: ['B', 'C'], ...back } },
    { ...all, metadata: { keys: ['A'], ...back } },
  ]);
  const { version } = (await place.pull('staging', '?keys=A')).body.secrets[0];
  expect(await eventsOf('one key', 1)).toEqual([
    { event: 'secret.updated', key: 'A', metadata: { version, revision: revision + 4, message: 'one key' } },
  ]);
});

const byEvent = (a: { event: string }, b: { event: string }): number => (a.event < b.event ? -1 : 1);
