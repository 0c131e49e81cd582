import { vi } from 'vitest';
import type { Answer, Api, Caller } from './api.ts';
import { type Issuer, identityOf, makeSigningKey, type SigningKey, signToken } from './issuer.ts';
import { currentName, type Person, seedPerson } from './people.ts';

export interface SampleRequest {
  method: string;
  path: string;
  as?: Caller;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A request that succeeds: what it needs exists, and no other request interferes. */
export interface Prepared {
  request: SampleRequest;
  works: readonly number[];
  /** Statuses of the same request after it has taken effect, if they differ. */
  repeats?: readonly number[];
  /** The request that its sender makes after a failure, where the same one works only once whatever becomes of it. */
  again?(): Promise<SampleRequest>;
  /** Whether the request has taken effect. Always true for reads. */
  isDone(): Promise<boolean>;
}

/** @throws Error naming the request if its response has none of the expected statuses. */
export async function expectStatus(answer: Promise<Answer>, ...statuses: number[]): Promise<Answer> {
  const received = await answer;
  if (!statuses.includes(received.status)) {
    throw new Error(`Expected ${statuses.join(' or ')}, got ${received.status}: ${JSON.stringify(received.body)}`);
  }
  return received;
}

/** The token in the newest e-mail to the address with such a subject; the background may still be sending it. */
export async function mailedToken(
  api: Api,
  email: string,
  subject: 'Verify' | 'Reset' | 'Your log-in' | 'may get another owner' | 'Confirm your new' | 'being changed',
): Promise<string> {
  return vi.waitFor(
    async () => {
      const mails = (await api.mails()).filter(mail => mail.to === email && mail.subject.includes(subject));
      const token = /#token=(\w+)/.exec(mails.at(-1)?.text ?? '')?.[1];
      if (token === undefined) throw new Error(`There is no mail with a link to ${email}.`);
      return token;
    },
    { timeout: 10_000, interval: 20 },
  );
}

/** Sets another password with a mailed link. */
export async function resetPassword(
  api: Api,
  { email }: Pick<Person, 'email'>,
  newPassword = 'another battery horse',
): Promise<void> {
  await expectStatus(api.post('/auth/forgot-password', { email }), 200);
  const token = await mailedToken(api, email, 'Reset');
  await expectStatus(api.post('/auth/reset-password', { token, newPassword }), 200);
}

export interface Place extends Person {
  slug: string;
  project: { id: string; slug: string };
  secrets: string;
}

export async function place(api: Api): Promise<Place> {
  const person = await seedPerson();
  const { id, slug } = person.organization;
  const created = await expectStatus(api.post(`/projects/${id}`, { name: 'Shop', slug: 'shop' }, person.session), 201);
  const there = { ...person, slug, project: created.body.project, secrets: `/secrets/${slug}/shop` };
  places.set(currentName() ?? '', there);
  return there;
}

const places = new Map<string, Place>();

/** The project created under a name; see `named`. */
export function placeOf(name: string): Place | undefined {
  return places.get(name);
}

export async function placeWithSecrets(api: Api): Promise<Place> {
  const there = await place(api);
  const secrets = [0, 1, 2].map(index => ({ key: `KEY_${index}`, value: `value ${index}` }));
  await expectStatus(api.post(`${there.secrets}/dev/bulk`, { secrets }, there.session), 200);
  return there;
}

/** Two revisions in `dev`. */
export async function placeWithHistory(api: Api): Promise<Place> {
  const there = await placeWithSecrets(api);
  await expectStatus(api.put(`${there.secrets}/dev`, { key: 'KEY_1', value: 'changed' }, there.session), 200);
  return there;
}

export async function valuesIn(api: Api, { secrets, session }: Place, env = 'dev'): Promise<Record<string, string>> {
  const answer = await expectStatus(api.get(`${secrets}/${env}`, session), 200);
  return Object.fromEntries(answer.body.secrets.map(({ key, value }: Record<string, string>) => [key, value]));
}

export async function invite(api: Api, person: Person, email: string, role = 'developer') {
  const answer = await expectStatus(
    api.post(`/members/${person.organization.id}/invite`, { email, role }, person.session),
    201,
  );
  return answer.body as { invitation: { id: string }; token: string };
}

export async function join(api: Api, person: Person, guest: Person, role = 'developer'): Promise<{ id: string }> {
  const { token } = await invite(api, person, guest.email, role);
  const answer = await expectStatus(api.post(`/members/invite/${token}/accept`, undefined, guest.session), 200);
  return answer.body.member;
}

interface Member {
  id: string;
  userId: string;
  email: string;
  name: string;
}

export async function membersOf(
  api: Api,
  { organization, session }: Omit<Person, 'email' | 'user'>,
): Promise<Member[]> {
  return (await expectStatus(api.get(`/members/${organization.id}`, session), 200)).body.members;
}

export async function memberIdOf(
  api: Api,
  person: Omit<Person, 'email' | 'user'>,
  { user }: Pick<Person, 'user'>,
): Promise<string | undefined> {
  return (await membersOf(api, person)).find(({ userId }) => userId === user.id)?.id;
}

/** Another organization of the same owner, which avoids another account. */
export async function withNewOrganization<T extends Pick<Person, 'session'>>(api: Api, owner: T, name = 'Another') {
  const { organization } = (await expectStatus(api.post('/orgs', { name }, owner.session), 201)).body;
  return { ...owner, organization: organization as Person['organization'] };
}

export async function makeWebhook(api: Api, person: Person, url = 'http://127.0.0.1:9/') {
  const body = { url, events: ['secret.created'] };
  const answer = await expectStatus(api.post(`/webhooks/${person.organization.id}`, body, person.session), 201);
  return answer.body.webhook as { id: string };
}

/** Its keys are given, so nothing is fetched. */
export const sampleIssuer = { url: 'https://issuer.example.com' };
let madeKey: Promise<SigningKey> | undefined;

function sampleKey(): Promise<SigningKey> {
  madeKey ??= makeSigningKey();
  return madeKey;
}

export async function sampleKeys() {
  return { jwks: { keys: [(await sampleKey()).publicJwk] } };
}

export async function makeIdentity(
  api: Api,
  { organization, session }: Person,
  changes: Record<string, unknown> = {},
): Promise<{ id: string }> {
  const body = identityOf(sampleIssuer, { ...(await sampleKeys()), ...changes });
  return (await expectStatus(api.post(`/identities/${organization.id}`, body, session), 201)).body.identity;
}

/** A new identity of the organization, and the token that one of the issuer's pipelines gets for it. */
export async function issueToPipeline(
  api: Api,
  issuer: Issuer,
  { organization, session }: Person,
  changes: Record<string, unknown>,
) {
  const made = await expectStatus(
    api.post(`/identities/${organization.id}`, identityOf(issuer, changes), session),
    201,
  );
  const { id: identityId, name } = made.body.identity as { id: string; name: string };
  const body = { identityId, organizationSlug: organization.slug, subjectToken: await issuer.token(identityId) };
  const { token } = (await expectStatus(api.post('/auth/exchange', body), 201)).body as { token: string };
  return { id: identityId, name, token };
}

/** The body of the exchange of an identity's first assertion. */
export async function assertionOf({ organization }: Person, identityId: string) {
  const subjectToken = await signToken(sampleIssuer, await sampleKey(), identityId);
  return { identityId, organizationSlug: organization.slug, subjectToken };
}
