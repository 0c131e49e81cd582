import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';
import { issuingKey } from '#lib/access/credential-key.ts';
import { userView } from '#lib/accounts/current-user.ts';
import { personalOrganizationName } from '#lib/accounts/register.ts';
import { newSession } from '#lib/accounts/sessions.ts';
import { Organization } from '#lib/contracts/fields/organization.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { createCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import { newOrganization } from '#lib/organizations/new-organization.ts';
import { at, find } from '#lib/table/read.ts';
import { type TokenRecord, tokenRecord } from '#lib/table/records/credentials.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { countPlatform } from '#lib/table/records/platform.ts';
import { emailRecord, type UserRecord, userRecord } from '#lib/table/records/user.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { type Client, sessionOf } from './api.ts';
import { knownPassword } from './quick-scrypt.ts';

export interface Person {
  session: { cookie: string };
  email: string;
  user: { id: string };
  organization: { id: string; slug: string };
}

export const { password: testPassword, hash: testPasswordHash } = knownPassword;

const label = new AsyncLocalStorage<string>();
const owners = new Map<string, string>();
const firstPeople = new Map<string, Person>();

/** Runs `work` and stores the people it seeds under the name; see `seededBy`. */
export function named<T>(name: string, work: () => Promise<T>): Promise<T> {
  return label.run(name, work);
}

/** The name that `named` gave the running work. */
export function currentName(): string | undefined {
  return label.getStore();
}

/** The name under which the user or organization (id or slug) was seeded. */
export function seededBy(idOrSlug: string): string | undefined {
  return owners.get(idOrSlug);
}

/** The first person seeded under the name: the owner of the organization, if there are several. */
export function firstPersonOf(name: string): Person | undefined {
  return firstPeople.get(name);
}

/** Like registering, in one write, but without scrypt and the e-mail. The password is `testPassword`. */
export async function seedPerson(
  options: { isAdmin?: boolean; name?: string; email?: string; emailVerified?: boolean } = {},
): Promise<Person> {
  const { isAdmin, name: givenName = 'Ada', email = `${randomUUID()}@example.com`, emailVerified = false } = options;
  const user: UserRecord = {
    id: randomUUID(),
    email,
    name: givenName,
    emailVerified,
    ...(isAdmin === undefined ? {} : { isAdmin }),
    passwordHash: testPasswordHash,
    sessionEpoch: 0,
    creations: 0,
    createdAt: new Date().toISOString(),
  };
  const source = { ip: '127.0.0.1', userAgent: 'node', requestId: randomUUID() };
  const session = await newSession(user, source);
  const created = await newOrganization(
    { name: personalOrganizationName(givenName), slug: `org-${randomBytes(8).toString('hex')}` },
    user,
    { id: user.id, email: user.email, type: 'session' },
    source,
  );
  await transact([
    put(at(emailRecord, user.email), { userId: user.id }),
    put(at(userRecord, user.id), user),
    ...created.writes,
    session.write,
    countPlatform({ users: 1, organizations: 1 }),
  ]);
  const organization = Organization.parse(created.organization);
  for (const idOrSlug of [user.id, organization.id, organization.slug]) {
    owners.set(idOrSlug, currentName() ?? 'nobody');
  }
  const [cookie = ''] = session.cookie.split(';');
  const person = { session: { cookie }, email: user.email, user: userView(user), organization };
  const name = currentName();
  if (name !== undefined && !firstPeople.has(name)) firstPeople.set(name, person);
  return person;
}

/** Another session of the person, with a second factor, whatever became of the first. */
export async function seedSession(
  { user: { id } }: Pick<Person, 'user'>,
  brokeGlassIn: string[] = [],
): Promise<Person['session']> {
  const user = await find(at(userRecord, id));
  if (user === undefined) throw new Error('The person has no account.');
  const source = { ip: '127.0.0.1', userAgent: 'node' };
  const session = await newSession(user, source, { secondFactor: true, brokeGlassIn });
  await transact([session.write]);
  const [cookie = ''] = session.cookie.split(';');
  return { cookie };
}

/** Stores any number of the person's tokens directly. */
export async function seedTokens(
  { user, email }: Person,
  count: number,
  changes: Partial<TokenRecord> = {},
): Promise<{ token: string }[]> {
  const key = await issuingKey();
  const made = Array.from({ length: count }, (_, index) => {
    const { secret, hash } = createCredential(user.id, tokenPrefix, key);
    const record: TokenRecord = {
      id: randomUUID(),
      userId: user.id,
      email,
      hash,
      name: `seeded ${index}`,
      prefix: secret.slice(0, 16),
      access: 'full',
      organizationId: null,
      projectId: null,
      environmentId: null,
      memberId: null,
      secondFactor: false,
      createdAt: new Date().toISOString(),
      lastUsedAt: null,
      expiryDate: null,
      ...changes,
    };
    return { token: secret, write: put(at(tokenRecord, user.id, hash), record) };
  });
  for (const some of chunksOf(10, chunksOf(100, made))) {
    await Promise.all(some.map(chunk => transact(chunk.map(({ write }) => write))));
  }
  return made;
}

/** An owner without a project limit, so that tests can share the organization. */
export async function seedOwner(): Promise<Person> {
  const owner = await seedPerson({ name: 'Owner' });
  await transact([
    update(at(organizationRecord, owner.organization.slug), { set: { limitOverrides: { maxProjects: -1 } } }),
  ]);
  return owner;
}

/** Registers a person with a request, for tests of registering and of its e-mail. */
export async function registerPerson({ post }: Client): Promise<Person> {
  const email = `${randomUUID()}@example.com`;
  const answer = await post('/auth/register', { email, password: testPassword, name: 'Ada' });
  if (answer.status !== 201) throw new Error(`Registering failed: ${answer.status} ${JSON.stringify(answer.body)}`);
  return { session: sessionOf(answer), email, user: answer.body.user, organization: answer.body.organization };
}
