import { randomUUID } from 'node:crypto';
import { type Api, createProject } from '#test/support/api.ts';
import { type Samples, sample } from '#test/support/derive-sample.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus, invite, join } from '#test/support/sample-requests.ts';

const inviting = async (api: Api, email: string) => {
  const person = await seedPerson();
  return { ...person, ...(await invite(api, person, email)) };
};
const withGuest = async (api: Api) => {
  const [person, guest] = [await seedPerson(), await seedPerson()];
  return { ...person, guest, member: await join(api, person, guest) };
};
type WithGuest = Awaited<ReturnType<typeof withGuest>>;
const isOut = async ({ organization, guest }: WithGuest, api: Api) =>
  (await api.get(`/members/${organization.id}`, guest.session)).status === 404;

export const samples: Samples = {
  'invite-member': sample<Person>({ body: () => ({ email: `${randomUUID()}@example.com`, role: 'developer' }) }),
  'accept-invitation': sample({
    world: async api => {
      const guest = await seedPerson();
      return { ...(await inviting(api, guest.email)), guest };
    },
    values: ({ token }) => ({ token }),
    as: ({ guest }) => guest.session,
    repeats: [400, 409],
    isDone: async ({ organization, guest }, api) =>
      (await api.get(`/members/${organization.id}`, guest.session)).status === 200,
  }),
  'change-role': sample({ body: () => ({ role: 'owner' }) }),
  'get-member': sample({ world: withGuest, values: ({ member: { id } }) => ({ id }) }),
  'set-project-roles': sample({
    world: async api => {
      const there = await withGuest(api);
      return { ...there, project: await createProject(api, there, 'Shop') };
    },
    values: ({ member: { id } }) => ({ id }),
    body: ({ project }) => ({ limited: true, projectRoles: [{ projectId: project.id, role: 'admin' }] }),
    isDone: async ({ organization, member: { id }, session }, api) => {
      const { members = [] } = (await api.get(`/members/${organization.id}`, session)).body;
      return members.some((one: { id: string; limited: boolean }) => one.id === id && one.limited);
    },
  }),
  'remove-member': sample({
    world: async api => {
      const there = await withGuest(api);
      const body = { name: 'cli', organizationId: there.organization.id };
      await expectStatus(api.post('/auth/token', body, there.guest.session), 201);
      return there;
    },
    values: ({ member: { id } }) => ({ id }),
    isDone: isOut,
  }),
  'remove-member invitation': sample({
    world: api => inviting(api, `${randomUUID()}@example.com`),
    values: ({ invitation: { id } }) => ({ id }),
    isDone: async ({ organization, invitation, session }, api) => {
      const { invitations } = (await expectStatus(api.get(`/members/${organization.id}`, session), 200)).body;
      return invitations.every(({ id }: { id: string }) => id !== invitation.id);
    },
  }),
  'leave-organization': sample({ world: withGuest, as: ({ guest }) => guest.session, isDone: isOut }),
};
