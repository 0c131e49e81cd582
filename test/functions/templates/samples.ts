import type { Api } from '#test/support/api.ts';
import { type Samples, sample } from '#test/support/derive-sample.ts';
import { expectStatus, place, placeWithSecrets } from '#test/support/sample-requests.ts';

const declaring = (make: typeof place, key: object) => async (api: Api) => {
  const there = await make(api);
  await expectStatus(api.post(`/templates/${there.slug}/shop`, key, there.session), 201);
  return there;
};
const values = () => ({ key: 'NEEDED' });

export const samples: Samples = {
  'update-template-key': sample({
    world: declaring(place, { key: 'NEEDED', pattern: '[a-z]+' }),
    values,
    isDone: async ({ slug, session }, api) => {
      const [key] = (await expectStatus(api.get(`/templates/${slug}/shop`, session), 200)).body.keys;
      if (key.required !== (key.pattern !== undefined)) throw new Error('Half of a change is there.');
      return !key.required;
    },
  }),
  'remove-template-key': sample({ world: declaring(place, { key: 'NEEDED' }), values }),
  'validate-environment': sample({ world: declaring(placeWithSecrets, { key: 'KEY_1', pattern: 'v.*' }) }),
};
