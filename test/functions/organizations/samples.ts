import { randomBytes, randomUUID } from 'node:crypto';
import { at, find } from '#lib/table/read.ts';
import { domainRecord } from '#lib/table/records/sign-in.ts';
import type { Api } from '#test/support/api.ts';
import { done, type Samples, sample } from '#test/support/derive-sample.ts';
import { sharedNameServer } from '#test/support/name-server.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { lostOrganization, seedRecovery, storedRecovery } from '#test/support/recovery.ts';
import { expectStatus, join, place, placeWithSecrets } from '#test/support/sample-requests.ts';
import { type PlaceWithProvider, placeWithProvider } from '#test/support/sign-in/place-with-provider.ts';

const organizationsOf = async ({ session }: Person, api: Api): Promise<{ name: string; slug: string }[]> =>
  (await expectStatus(api.get('/auth/me', session), 200)).body.organizations;
const signInOf = async ({ signInPath, session }: PlaceWithProvider, api: Api) =>
  (await expectStatus(api.get(signInPath, session), 200)).body.signIn;
const domainOf = ({ domain }: PlaceWithProvider) => find(at(domainRecord, domain));

async function withRecovery(api: Api) {
  const [admin, { lost, heir }] = await Promise.all([seedPerson({ isAdmin: true }), lostOrganization(api, join)]);
  return { ...lost, ...(await seedRecovery(lost, heir, admin)) };
}
const isStopped = async (there: Person) => (await storedRecovery(there))?.state === 'stopped';

export const samples: Samples = {
  'stop-recovery': sample({ world: withRecovery, isDone: isStopped }),
  'stop-mailed-recovery': sample({
    world: withRecovery,
    body: ({ token }) => ({ token }),
    isDone: isStopped,
  }),
  'create-organization': sample({
    world: async () => ({ ...(await seedPerson()), wanted: `org-${randomBytes(8).toString('hex')}` }),
    body: ({ wanted }) => ({ name: 'Second', slug: wanted }),
    repeats: [409],
    isDone: async (there, api) => (await organizationsOf(there, api)).some(({ slug }) => slug === there.wanted),
  }),
  'rename-organization': sample({
    world: async api => ({ ...(await place(api)), wanted: `renamed ${randomUUID()}` }),
    body: ({ wanted }) => ({ name: wanted }),
    isDone: async (there, api) => (await organizationsOf(there, api)).some(({ name }) => name === there.wanted),
  }),
  'set-allowed-networks': sample({
    world: place,
    isDone: async ({ organization, session }, api) =>
      (await expectStatus(api.get(`/orgs/${organization.id}/networks`, session), 200)).body.networks.machines !== null,
  }),
  'export-organization': sample({ world: placeWithSecrets, isDone: done }),
  'get-sign-in': sample({ world: () => placeWithProvider() }),
  'set-sign-in': sample({
    world: () => placeWithProvider(),
    body: ({ domain }) => ({
      issuer: 'https://login.example.com',
      clientId: 'holdfast',
      clientSecret: 'not one',
      domains: [domain, 'example.com'],
    }),
    isDone: async (there, api) => (await signInOf(there, api)).issuer === 'https://login.example.com',
  }),
  'verify-domain': sample({
    world: async api => {
      const there = await placeWithProvider({ isVerified: false });
      (await sharedNameServer()).set(there.domain, [[(await signInOf(there, api)).domains[0].txtRecord]]);
      return there;
    },
    body: ({ domain }) => ({ domain }),
    isDone: async there => (await domainOf(there)) !== undefined,
  }),
  'delete-sign-in': sample({
    world: () => placeWithProvider(),
    repeats: [200],
    isDone: async (there, api) => (await signInOf(there, api)) === null && (await domainOf(there)) === undefined,
  }),
  'delete-organization': sample({
    world: placeWithSecrets,
    isDone: async ({ organization, session }, api) =>
      (await api.get(`/projects/${organization.id}`, session)).status === 404,
  }),
  'restore-organization': sample({
    world: async api => {
      const there = await placeWithSecrets(api);
      await expectStatus(api.delete(`/orgs/${there.organization.id}?keepDays=7`, there.session), 200);
      return there;
    },
    repeats: [404],
    isDone: async ({ organization, session }, api) =>
      (await api.get(`/projects/${organization.id}`, session)).status === 200,
  }),
};
