import type { Answer, Api, Caller } from './api.ts';
import type { Person } from './people.ts';
import { expectStatus } from './sample-requests.ts';

/** The status and the error code of a response, such as `409 domain_taken`; without an error, `200 ok`. */
export const codeOf = ({ status, body }: Answer) => `${status} ${body?.error?.code ?? 'ok'}`;

/** What the service says about the caller. */
export const me = async (api: Api, as: Caller) => (await expectStatus(api.get('/auth/me', as), 200)).body;

/** The members of the person's organization. */
export async function membersOf(
  api: Api,
  { organization, session }: Pick<Person, 'organization' | 'session'>,
): Promise<{ id: string; userId: string; email: string; role: string }[]> {
  return (await expectStatus(api.get(`/members/${organization.id}`, session), 200)).body.members;
}

/** The audit entries of the person's organization that match a query, newest first. */
export const entriesOf = async (api: Api, { organization, session }: Person, query: string) =>
  (await expectStatus(api.get(`/audit/${organization.id}?${query}`, session), 200)).body.entries;

/** Invites somebody, and returns the invitation's token. */
export async function inviteTo(
  api: Api,
  { organization, session }: Person,
  invitation: { email: string; role: string },
): Promise<string> {
  return (await expectStatus(api.post(`/members/${organization.id}/invite`, invitation, session), 201)).body.token;
}

/** Makes somebody a member of the person's organization, by an invitation. */
export async function addMember(api: Api, owner: Person, { email, session }: Person, role: string): Promise<void> {
  const token = await inviteTo(api, owner, { email, role });
  await expectStatus(api.post(`/members/invite/${token}/accept`, {}, session), 200, 201);
}
