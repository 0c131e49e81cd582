import { beforeAll, expect, it } from 'vitest';
import { type Answer, useApi } from '../support/api.ts';
import { openWorkplace, type Workplace } from '../support/environments.ts';
import type { Person } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';

const api = useApi();
let place: Workplace;
beforeAll(async () => {
  place = await openWorkplace(api);
  await expectStatus(place.set('dev', 'PIN', '4711'), 201);
  await expectStatus(place.set('dev', 'OTHER', 'x'), 201);
  await expectStatus(place.set('staging', 'PIN', '4711'), 201);
});

interface Entry {
  actor: { id: string };
  keys: string[];
  environment: { slug: string };
  revision: number;
}

async function comparisonsOf({ user }: Person): Promise<Entry[]> {
  const path = `/audit/${place.owner.organization.id}?action=secret.compared&limit=500`;
  const { entries } = (await expectStatus(api.get(path, place.owner.session), 200)).body;
  return entries.filter(({ actor }: Entry) => actor.id === user.id);
}

const guesses = ['0000', '1234', '4711', '9999'];

/** Every way to test whether a key has a value that changes nothing if the guess is right. */
const ways: [string, (as: Person, guess: string) => Promise<Answer>][] = [
  ['a dry run of a set', (as, guess) => drySet(as, 'dev', guess)],
  ['a dry run of changes', (as, guess) => dryRun(as, '/changes', { set: [{ key: 'PIN', value: guess }] })],
  ['a dry run of an import', (as, guess) => dryRun(as, '/bulk', { secrets: { PIN: guess } })],
  ['a dry run of a dotenv import', (as, guess) => dryRun(as, '/bulk', { dotenv: `PIN=${guess}` })],
];

const drySet = (as: Person, env: string, value: string) =>
  api.put(`${place.at(env)}?dryRun=true`, { key: 'PIN', value }, as.session);
const dryRun = (as: Person, path: string, body: unknown) =>
  api.post(`${place.at('dev', path)}?dryRun=true`, body, as.session);

it.each(ways)('%s that reveals a correct guess writes one entry, which names the key', async (_, ask) => {
  const developer = await place.member('developer');
  for (const guess of guesses) {
    const { plan } = (await expectStatus(ask(developer, guess), 200)).body;
    expect(plan.unchanged).toEqual(guess === '4711' ? ['PIN'] : []);
  }
  expect(await comparisonsOf(developer)).toMatchObject([{ keys: ['PIN'], environment: { slug: 'dev' }, revision: 2 }]);
});

it('a set, an import and a promotion that change nothing write one entry each, and create no version', async () => {
  const developer = await place.member('developer');
  const as = developer.session;
  expect((await expectStatus(place.set('dev', 'PIN', '4711', { as }), 200)).body).toMatchObject({ changed: false });
  await expectStatus(place.importAll('dev', { PIN: '4711', OTHER: 'x' }, { as }), 200);
  const promotion = { from: 'staging', to: 'dev' };
  const { body } = await expectStatus(api.post(place.at('promote'), promotion, as), 200);
  expect(body).toMatchObject({ unchanged: ['PIN'], revision: 2 });
  expect((await comparisonsOf(developer)).map(({ keys }) => keys)).toEqual([['PIN'], ['PIN', 'OTHER'], ['PIN']]);
});

it('a change that takes effect writes only its own entry, even if it names unchanged keys', async () => {
  const developer = await place.member('developer');
  const options = { as: developer.session };
  const { body } = await expectStatus(place.importAll('dev', { PIN: '4711', OTHER: 'y' }, options), 200);
  expect(body).toMatchObject({ unchanged: ['PIN'], updated: ['OTHER'] });
  expect(await comparisonsOf(developer)).toEqual([]);
});

it('a writer without read access to production learns nothing there, and leaves no entry', async () => {
  await expectStatus(place.set('production', 'PIN', '4711'), 201);
  const developer = await place.member('developer');
  expect((await drySet(developer, 'production', '4711')).body.plan).toMatchObject({ unchanged: [], updated: ['PIN'] });
  expect(await comparisonsOf(developer)).toEqual([]);
});
