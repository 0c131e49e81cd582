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

const payloads = () => receiver.received.map(({ body }) => JSON.parse(body.toString()));

/** The events of the change with the message, in alphabetical order, as soon as there are so many. */
async function eventsOf(message: string, count: number) {
  const sent = await eventually(() => {
    const ofChange = payloads().filter(({ metadata }) => metadata.message === message);
    expect(ofChange).toHaveLength(count);
    return ofChange;
  });
  return sent
    .map(({ event, key, metadata }) => ({ event, key, metadata }))
    .toSorted((a, b) => (a.event < b.event ? -1 : 1));
}

it('every change of secrets sends its event, with names and numbers but no value', async () => {
  const { owner, project } = place;
  const environmentOf = (slug: string) => ({ id: place.environmentId(slug), slug });
  const [dev, staging] = [environmentOf('dev'), environmentOf('staging')];
  const promote = (overwrite: boolean) => place.promote({ from: 'dev', to: 'staging', overwrite });
  const set = (value: string) => place.set('dev', 'A', value);
  const importAll = (secrets: object) => place.importAll('dev', secrets);
  const bulkDelete = (keys: string[]) => place.bulkDelete('dev', keys);
  const message = 'one changes';
  const change = { set: [{ key: 'A', value: 'value-3' }], delete: ['C'], message };
  const promoted = { keys: ['A', 'B'], revision: 1, from: dev };
  const changes: [() => Promise<unknown>, event: string, key: string, metadata: object, environment?: object][] = [
    [() => set('value-1'), 'created', 'A', { version: 1, revision: 1 }],
    [() => set('value-2'), 'updated', 'A', { version: 2, revision: 2 }],
    [() => place.remove('dev', 'A'), 'deleted', 'A', { version: 3, revision: 3 }],
    [() => set('value-3'), 'created', 'A', { version: 4, revision: 4 }],
    [() => importAll({ A: 'value-3', B: 'value-4', C: 'value-5' }), 'bulk_set', '*', { keys: ['B', 'C'], revision: 5 }],
    [() => bulkDelete(['C', 'NOPE']), 'deleted', 'C', { version: 2, revision: 6 }],
    [() => importAll({ A: 'value-3', C: 'value-5' }), 'created', 'C', { version: 3, revision: 7 }],
    [() => place.change('dev', change), 'deleted', 'C', { version: 4, revision: 8, message }],
    [() => importAll({ C: 'value-7', D: 'value-7' }), 'bulk_set', '*', { keys: ['C', 'D'], revision: 9 }],
    [() => bulkDelete(['C', 'D', 'NOPE']), 'bulk_delete', '*', { keys: ['C', 'D'], revision: 10 }],
    [() => promote(true), 'promoted', '*', promoted, staging],
  ];
  const nextEvent = (count: number) =>
    eventually(() => {
      expect(receiver.received.length).toBeGreaterThanOrEqual(count);
      return payloads()[count - 1];
    });
  for (const [index, [makeChange, event, key, metadata, environment = dev]] of changes.entries()) {
    await makeChange();
    expect(await nextEvent(index + 1)).toEqual({
      event: `secret.${event}`,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      org: { id: owner.organization.id },
      project: { id: project.id, slug: project.slug },
      environment,
      key,
      actor: { id: owner.user.id, email: owner.email },
      metadata,
    });
  }
  // Requests that change nothing send nothing: the next event belongs to the later change.
  await set('value-3');
  await importAll({ A: 'value-3' });
  await bulkDelete(['NOPE']);
  await promote(true);
  await promote(false);
  await place.set('dev', 'A', 'refused', { headers: { 'if-match': '"99"' } });
  await place.set('dev', 'LAST', 'value-6');
  expect(await nextEvent(changes.length + 1)).toMatchObject({ event: 'secret.created', key: 'LAST' });
  expect(receiver.received).toHaveLength(changes.length + 1);
  expect(receiver.received.map(({ body }) => body.toString()).join()).not.toContain('value-');
});

it('a change that sets and deletes sends both lists with the same revision', async () => {
  const { revision } = (await place.importAll('production', { A: 'value-1', B: 'value-2', C: 'value-3' })).body;
  const body = { set: [{ key: 'A', value: 'value-4' }], delete: ['B', 'C'], message: 'a mixture' };
  await place.change('production', body);
  const metadata = { revision: revision + 1, message: 'a mixture' };
  expect(await eventsOf('a mixture', 2)).toEqual([
    { event: 'secret.bulk_delete', key: '*', metadata: { keys: ['B', 'C'], ...metadata } },
    { event: 'secret.bulk_set', key: '*', metadata: { keys: ['A'], ...metadata } },
  ]);
});

it('a restore sends the same events as the equivalent sets and deletions', async () => {
  const { revision } = (await place.importAll('staging', { A: 'value-1', B: 'value-2', C: 'value-3' })).body;
  const body = { set: [{ key: 'A', value: 'value-4' }], delete: ['B', 'C'] };
  await place.change('staging', body);
  await place.restore('staging', { revision, message: 'to the first' });
  await place.restore('staging', { revision: revision + 1, message: 'and back' });
  await place.restore('staging', { revision, keys: ['A', 'NEVER'], message: 'one key' });
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
