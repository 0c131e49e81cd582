import { randomUUID } from 'node:crypto';
import type { Api } from '#test/support/api.ts';
import { type Samples, sample } from '#test/support/derive-sample.ts';
import {
  expectStatus,
  makeWebhook,
  type Place,
  placeWithHistory,
  placeWithSecrets,
  valuesIn,
} from '#test/support/sample-requests.ts';

/** Whether a change took effect on all of these keys. @throws Error if it did on some */
const changes = (wanted: Record<string, string | undefined>) => async (there: Place, api: Api) => {
  const values = await valuesIn(api, there);
  const done = Object.entries(wanted).filter(([key, value]) => values[key] === value).length;
  const all = Object.keys(wanted).length;
  if (done !== 0 && done !== all) throw new Error(`${done} of the ${all} keys of a change are there.`);
  return done > 0;
};

const numbered = (count: number, prefix: string, value: (key: string) => string | undefined) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => `${prefix}_${index}`).map(key => [key, value(key)]));

const imported = numbered(120, 'KEY', key => `imported ${key}`);
const old = Object.keys(numbered(60, 'OLD', () => ''));

export const samples: Samples = {
  'pull-secrets': sample({ works: [200] }),
  'pull-secrets keys': sample({ query: '?keys=KEY_1,KEY_2' }),
  'pull-secrets format': sample({ query: '?format=json' }),
  'pull-secrets past': sample({ world: placeWithHistory, query: '?revision=1' }),
  'compare-environments': sample({ query: '?with=staging&values=true' }),
  'set-secret': sample({
    world: async api => ({ ...(await placeWithSecrets(api)), value: `new ${randomUUID()}` }),
    body: ({ value }) => ({ key: 'KEY_1', value }),
    works: [200],
    isDone: async (there, api) => (await valuesIn(api, there)).KEY_1 === there.value,
  }),
  'set-secret webhook': sample({
    world: async api => {
      const there = await placeWithSecrets(api);
      await makeWebhook(api, there);
      return there;
    },
    body: () => ({ key: 'NEW', value: 'new' }),
    works: [201],
    repeats: [200],
    isDone: changes({ NEW: 'new' }),
  }),
  'import-secrets': sample({
    body: () => ({ secrets: { KEY_1: 'changed', OTHER: 'added' } }),
    isDone: changes({ KEY_1: 'changed', OTHER: 'added' }),
  }),
  'import-secrets large': sample({ body: () => ({ secrets: imported }), isDone: changes(imported) }),
  'apply-changes': sample({
    body: () => ({ set: [{ key: 'KEY_1', value: 'changed' }], delete: ['KEY_2'], message: 'a mixture' }),
    repeats: [404],
    isDone: changes({ KEY_1: 'changed', KEY_2: undefined }),
  }),
  'list-versions': sample(),
  'list-versions values': sample({ query: '?values=true' }),
  'list-revisions': sample({ world: placeWithHistory }),
  'diff-revisions': sample({ world: placeWithHistory, query: '?from=1&values=true' }),
  'restore-secrets': sample({
    world: placeWithHistory,
    body: () => ({ revision: 1 }),
    isDone: changes({ KEY_1: 'value 1' }),
  }),
  'destroy-versions': sample({
    world: placeWithHistory,
    isDone: async ({ secrets, session }, api) =>
      (await expectStatus(api.get(`${secrets}/dev/versions/KEY_1`, session), 200)).body.versions.at(-1).destroyed,
  }),
  'promote-secrets': sample({
    world: placeWithSecrets,
    body: () => ({ from: 'dev', to: 'staging' }),
    isDone: async (there, api) => (await valuesIn(api, there, 'staging')).KEY_2 === 'value 2',
  }),
  'bulk-delete-secrets': sample({
    body: () => ({ keys: ['KEY_1', 'KEY_2'] }),
    isDone: async (there, api) => Object.keys(await valuesIn(api, there)).join() === 'KEY_0',
  }),
  'bulk-delete-secrets large': sample({
    world: async api => {
      const there = await placeWithSecrets(api);
      const secrets = numbered(60, 'OLD', () => 'old');
      await expectStatus(api.post(`${there.secrets}/dev/bulk`, { secrets }, there.session), 200);
      return there;
    },
    body: () => ({ keys: old }),
    isDone: changes(numbered(60, 'OLD', () => undefined)),
  }),
  'delete-secret': sample({ isDone: changes({ KEY_1: undefined }) }),
};
