import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { newSession } from '#lib/accounts/sessions.ts';
import { newToken, tokenWrite } from '#lib/accounts/tokens.ts';
import { at } from '#lib/table/read.ts';
import { memberRecord } from '#lib/table/records/organization.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, createProject, createToken, startApi, useApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { identityOf } from '#test/support/issuer.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus, join } from '#test/support/sample-requests.ts';

const api = useApi(() => startApi({ REQUESTS_PER_MINUTE: '100000' }));

interface Member extends Person {
  memberId: string;
}

async function addMember(owner: Person, role: string): Promise<Member> {
  const person = await seedPerson({ name: role, emailVerified: true });
  return { ...person, memberId: (await join(api, owner, person, role)).id };
}

const scene = shared(async () => {
  const owner = await seedPerson({ emailVerified: true });
  const [admin, developer] = [await addMember(owner, 'admin'), await addMember(owner, 'developer')];
  const { members } = (await api.get(`/members/${owner.organization.id}`, owner.session)).body;
  const ownerId = members.find((one: { role: string }) => one.role === 'owner').id as string;
  return { owner, ownerId, admin, developer, shop: await createProject(api, owner, 'Shop') };
});

const get = ({ memberId }: { memberId: string }, as: Person, { organization } = scene.owner) =>
  api.get(`/members/${organization.id}/${memberId}`, as.session);
const namesIn = (list: readonly { name: string }[]) => list.map(({ name }) => name).toSorted();

/** A credential of a company's provider, which confines it until the account's own credential is proved too. */
const throughProvider = (organizationId: string, lifted?: true) => ({
  organizationId,
  orgSlug: 'elsewhere',
  clientVersion: '',
  trustedFactor: false,
  confined: lifted === undefined,
  ...(lifted && { lifted }),
});

it('shows the tokens that act in the organization, and none of those that act elsewhere', async () => {
  const { owner, shop } = scene;
  const person = await addMember(owner, 'developer');
  const { id: organizationId } = owner.organization;
  await createToken(api, person, { name: 'everywhere' });
  const inProject = { organizationId, projectId: shop.id, access: 'read', expiresInDays: 30 };
  const { token } = await createToken(api, person, { name: 'in the shop', ...inProject });
  await createToken(api, person, { name: 'private', organizationId: person.organization.id });
  const unlimited = { access: 'full', organizationId: null, projectId: null, environmentId: null } as const;
  const user = { id: person.user.id, email: person.email };
  const seeded = [
    { ...unlimited, name: 'of an earlier membership', organizationId, memberId: randomUUID(), expiresInDays: null },
    { ...unlimited, name: 'expired', memberId: null, expiresInDays: -1 },
    {
      ...unlimited,
      name: 'confined elsewhere',
      memberId: null,
      expiresInDays: null,
      provider: throughProvider(randomUUID()),
    },
  ];
  for (const facts of seeded) {
    const { cliToken } = await newToken(user, { secondFactor: false, provider: undefined, ...facts });
    await transact([tokenWrite(cliToken)]);
  }

  const answer = await get(person, owner);

  expect(answer.status).toBe(200);
  expect(answer.body.member).toMatchObject({ id: person.memberId, email: person.email, role: 'developer' });
  expect(namesIn(answer.body.tokens)).toEqual(['everywhere', 'in the shop']);
  expect(answer.body.tokens.find(({ name }: { name: string }) => name === 'in the shop')).toMatchObject({
    access: 'read',
    projectId: shop.id,
    lastUsedAt: null,
    expiresAt: expect.any(String),
  });
  expect(JSON.stringify(answer.body)).not.toContain(token);
  expect(JSON.stringify(answer.body)).not.toMatch(/hash|secondFactor|memberId/);
});

it('shows the last sign-in with a session that reaches the organization', async () => {
  const { owner } = scene;
  const person = await addMember(owner, 'viewer');
  const { lastSignInAt } = (await get(person, owner)).body;
  expect(Date.parse(lastSignInAt)).toBeLessThanOrEqual(Date.now());

  const later = (minutes: number) => new Date(Date.parse(lastSignInAt) + minutes * 60_000).toISOString();
  const signIn = async (createdAt: string, provider?: ReturnType<typeof throughProvider>) => {
    const session = { createdAt, ...(provider && { provider: { ...provider, person: 'grace' } }) };
    const source = { ip: '127.0.0.1', userAgent: 'test' };
    await transact([(await newSession({ id: person.user.id, sessionEpoch: 0 }, source, session)).write]);
  };
  await signIn(later(9), throughProvider(randomUUID()));
  expect((await get(person, owner)).body.lastSignInAt).toBe(lastSignInAt);
  await signIn(later(1), throughProvider(owner.organization.id));
  expect((await get(person, owner)).body.lastSignInAt).toBe(later(1));
  await signIn(later(2), throughProvider(randomUUID(), true));
  expect((await get(person, owner)).body.lastSignInAt).toBe(later(2));
  // Its session may have ended since.
  const item = at(memberRecord, owner.organization.slug, person.user.id);
  for (const minutes of [1, 3]) {
    await transact([update(item, { set: { providerSignInAt: later(minutes) } })]);
    expect((await get(person, owner)).body.lastSignInAt).toBe(later(Math.max(2, minutes)));
  }
});

it('shows owners and admins the identities that the member created', async () => {
  const { owner, ownerId, admin } = scene;
  const person = await addMember(owner, 'admin');
  const deploys = identityOf({ url: 'https://issuer.example.com' }, { name: 'deploys' });
  await expectStatus(api.post(`/identities/${owner.organization.id}`, deploys, person.session), 201);

  const made = (await get(person, admin)).body.identities;

  expect(made).toEqual([{ id: expect.any(String), name: 'deploys' }]);
  expect((await get({ memberId: ownerId }, admin)).body.identities).toEqual([]);
  await expectStatus(
    api.patch(`/members/${owner.organization.id}/${person.memberId}`, { role: 'viewer' }, owner.session),
    200,
  );
  expect((await get(person, person)).body.identities).toBeNull();
});

it('answers others only about themselves, limited members too, and no token', async () => {
  const { owner, ownerId, admin, developer, shop } = scene;
  const guest = await addMember(owner, 'viewer');
  const limits = { limited: true, projectRoles: [{ projectId: shop.id, role: 'admin' }] };
  const path = `/members/${owner.organization.id}/${guest.memberId}`;
  await expectStatus(api.put(`${path}/projects`, limits, owner.session), 200);
  const stranger = await seedPerson();

  for (const one of [admin, developer, guest]) expect(codeOf(await get(one, one))).toBe('200 ok');
  expect((await get(guest, guest)).body.member).toMatchObject({ limited: true, projectRoles: [{ slug: shop.slug }] });
  for (const one of [developer, guest]) {
    expect(codeOf(await get(admin, one))).toBe('403 forbidden');
    expect(codeOf(await get({ memberId: randomUUID() }, one))).toBe('403 forbidden');
  }
  expect(codeOf(await get({ memberId: ownerId }, admin))).toBe('200 ok');
  expect(codeOf(await get({ memberId: randomUUID() }, admin))).toBe('404 member_not_found');
  expect(codeOf(await get(guest, stranger))).toBe('404 organization_not_found');
  // Someone who is also a member of another organization is found there under another id.
  expect(codeOf(await get(guest, guest, guest))).toBe('404 member_not_found');
  expect(codeOf(await api.get(path, await createToken(api, owner)))).toBe('403 insufficient_scope');
});
