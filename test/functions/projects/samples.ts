import { type Samples, sample } from '#test/support/derive-sample.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus, join, place, placeWithSecrets, valuesIn } from '#test/support/sample-requests.ts';

const isRotated = async (
  { organization, session }: Awaited<ReturnType<typeof place>>,
  api: Parameters<typeof place>[0],
) => (await expectStatus(api.get(`/projects/${organization.id}/shop`, session), 200)).body.project.keyVersion > 1;

/** A project that its owner has deleted and can restore. */
async function placeWithDeleted(api: Parameters<typeof place>[0]) {
  const there = await placeWithSecrets(api);
  const path = `/projects/${there.organization.id}/shop`;
  await expectStatus(api.delete(`${path}?keepDays=7`, there.session), 200);
  return { ...there, path };
}

const ofDeleted = {
  world: placeWithDeleted,
  values: ({ project: { id } }: Awaited<ReturnType<typeof placeWithDeleted>>) => ({ id }),
};

export const samples: Samples = {
  'list-projects': sample({ world: place }),
  'list-due': sample({
    world: async api => {
      const there = await placeWithSecrets(api);
      const described = { key: 'KEY_1', maxAgeDays: 7 };
      await expectStatus(api.post(`/templates/${there.slug}/shop`, described, there.session), 201);
      return there;
    },
  }),
  'update-project': sample({ body: () => ({ name: 'Renamed', description: 'changed with it' }) }),
  'delete-project': sample({ world: placeWithSecrets }),
  'delete-project kept': sample({
    world: placeWithSecrets,
    query: '?keepDays=7',
    isDone: async ({ organization, session }, api) =>
      (await api.get(`/projects/${organization.id}/shop`, session)).status === 404,
  }),
  'list-deleted': sample({ world: placeWithDeleted }),
  'restore-deleted': sample({
    ...ofDeleted,
    repeats: [404],
    isDone: async (there, api) => {
      const isThere = (await api.get(there.path, there.session)).status === 200;
      if (isThere) await valuesIn(api, there);
      return isThere;
    },
  }),
  'erase-deleted': sample({
    ...ofDeleted,
    isDone: async ({ organization, session }, api) =>
      (await expectStatus(api.get(`/deleted/${organization.id}`, session), 200)).body.deleted.length === 0,
  }),
  'update-environment': sample({
    world: async api => {
      const [there, guest] = [await placeWithSecrets(api), await seedPerson()];
      await join(api, there, guest, 'viewer');
      return { ...there, guest };
    },
    body: () => ({ name: 'Renamed', type: 'production' }),
    isDone: async ({ organization, session, secrets, guest }, api) => {
      const { environments } = (await expectStatus(api.get(`/projects/${organization.id}/shop`, session), 200)).body
        .project;
      const { name, type } = environments.find(({ slug }: { slug: string }) => slug === 'dev');
      const { status } = await api.get(`${secrets}/dev`, guest.session);
      const done = [name === 'Renamed', type === 'production', status === 403];
      if (new Set(done).size > 1) throw new Error(`Half of a change is there: ${done.join()}.`);
      return done[0] === true;
    },
  }),
  'delete-environment': sample({
    isDone: async ({ organization, session, secrets }, api) => {
      const { environments } = (await expectStatus(api.get(`/projects/${organization.id}/shop`, session), 200)).body
        .project;
      const isListed = environments.some(({ slug }: { slug: string }) => slug === 'dev');
      const isGone = (await api.get(`${secrets}/dev`, session)).status === 404;
      if (isListed === isGone) throw new Error('Half of a deletion is there.');
      return !isListed;
    },
  }),
  'rotate-key': sample({
    world: placeWithSecrets,
    repeats: [200, 202, 409],
    isDone: async (there, api) => {
      await valuesIn(api, there);
      return isRotated(there, api);
    },
  }),
  'rotate-key unused': sample({ works: [200], isDone: isRotated }),
};
