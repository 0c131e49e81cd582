import { type Api, createProject } from '#test/support/api.ts';
import { type Samples, sample } from '#test/support/derive-sample.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus, join } from '#test/support/sample-requests.ts';

const asking = (environmentId: string) => ({ environmentId, access: 'read', minutes: 60, reason: 'An incident' });

async function withGuest(api: Api) {
  const [person, guest] = [await seedPerson(), await seedPerson()];
  const member = await join(api, person, guest, 'viewer');
  const { environments } = await createProject(api, person, 'Shop');
  const environmentId = environments.find(({ slug }) => slug === 'production')?.id ?? '';
  return { ...person, guest, member, body: asking(environmentId) };
}
type WithGuest = Awaited<ReturnType<typeof withGuest>>;

const withGrant = async (api: Api) => {
  const there = await withGuest(api);
  const path = `/members/${there.organization.id}/${there.member.id}/grants`;
  const { grant } = (await expectStatus(api.post(path, there.body, there.session), 201)).body;
  return { ...there, grant };
};
const withRequest = async (api: Api) => {
  const there = await withGuest(api);
  const path = `/grants/${there.organization.id}/requests`;
  const { request } = (await expectStatus(api.post(path, there.body, there.guest.session), 201)).body;
  return { ...there, request };
};
const listed = async ({ organization, session }: Person, api: Api) =>
  (await expectStatus(api.get(`/grants/${organization.id}`, session), 200)).body;

export const samples: Samples = {
  'create-grant': sample({
    world: withGuest,
    values: ({ member: { id } }) => ({ id }),
    body: ({ body }) => body,
    isDone: async (there, api) => (await listed(there, api)).grants.length > 0,
  }),
  'revoke-grant': sample({
    world: withGrant,
    values: ({ member: { id }, grant }) => ({ id, grantId: grant.id }),
    isDone: async (there, api) => (await listed(there, api)).grants.length === 0,
  }),
  'list-grants': sample({ world: withGrant }),
  'request-grant': sample<WithGuest>({
    world: withGuest,
    body: ({ body }) => body,
    as: ({ guest }) => guest.session,
    isDone: async (there, api) => (await listed(there, api)).requests.length > 0,
  }),
  'grant-request': sample({
    world: withRequest,
    values: ({ request: { id } }) => ({ id }),
    repeats: [404],
    isDone: async (there, api) => (await listed(there, api)).grants.length > 0,
  }),
  'refuse-request': sample({
    world: withRequest,
    values: ({ request: { id } }) => ({ id }),
    repeats: [404],
    isDone: async (there, api) => (await listed(there, api)).requests.length === 0,
  }),
};
