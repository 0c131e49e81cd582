import type { Api } from '#test/support/api.ts';
import { type Samples, sample } from '#test/support/derive-sample.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus, join, type Place, place, placeWithSecrets, valuesIn } from '#test/support/sample-requests.ts';

const projectNow = async ({ organization, session }: Place, api: Api) =>
  (await expectStatus(api.get(`/projects/${organization.id}/shop`, session), 200)).body.project;
const isRotated = async (there: Place, api: Api) => (await projectNow(there, api)).keyVersion > 1;
const isDev = ({ slug }: { slug: string }) => slug === 'dev';

export const samples: Samples = {
  'list-projects': sample({ world: place }),
  'update-project': sample({ body: () => ({ name: 'Renamed', description: 'changed with it' }) }),
  'delete-project': sample({ world: placeWithSecrets }),
  'update-environment': sample({
    world: async api => {
      const [there, guest] = [await placeWithSecrets(api), await seedPerson()];
      await join(api, there, guest, 'viewer');
      return { ...there, guest };
    },
    body: () => ({ name: 'Renamed', type: 'production' }),
    isDone: async (there, api) => {
      const { name, type } = (await projectNow(there, api)).environments.find(isDev);
      const { status } = await api.get(`${there.secrets}/dev`, there.guest.session);
      const done = [name === 'Renamed', type === 'production', status === 403];
      if (new Set(done).size > 1) throw new Error(`Half of a change is there: ${done.join()}.`);
      return done[0] === true;
    },
  }),
  'delete-environment': sample({
    isDone: async (there, api) => {
      const isListed = (await projectNow(there, api)).environments.some(isDev);
      const isGone = (await api.get(`${there.secrets}/dev`, there.session)).status === 404;
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
