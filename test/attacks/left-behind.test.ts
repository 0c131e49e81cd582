import { beforeAll, expect, it } from 'vitest';
import { at } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, startApi, useApi } from '../support/api.ts';
import { openWorkplace, type Workplace } from '../support/environments.ts';
import { scanTable, violationsOf } from '../support/invariants.ts';
import { identityOf } from '../support/issuer.ts';
import type { Person } from '../support/people.ts';
import { expectStatus, memberIdOf } from '../support/sample-requests.ts';

const api = useApi(() => startApi({ VERIFIED_EMAIL_REQUIRED: 'true' }));
let place: Workplace;
let owner: Person;
beforeAll(async () => {
  place = await openWorkplace(api);
  owner = place.owner;
  await verify(owner);
  const limitOverrides = { maxMembers: -1, maxWebhooks: -1 };
  await transact([update(at(organizationRecord, owner.organization.slug), { set: { limitOverrides } })]);
});

const verify = ({ user }: Person) => transact([update(at(userRecord, user.id), { set: { emailVerified: true } })]);
const trusted = { url: 'https://token.actions.githubusercontent.com' };
const makeIdentity = (as: Person, name: string) =>
  api.post(`/identities/${owner.organization.id}`, identityOf(trusted, { name }), as.session);
const makeWebhook = (as: Person, url: string) =>
  api.post(`/webhooks/${owner.organization.id}`, { url, events: ['secret.updated'] }, as.session);
const identities = async () => (await api.get(`/identities/${owner.organization.id}`, owner.session)).body.identities;
const namesOf = (named: { name: string }[]) => named.map(({ name }) => name).toSorted();
const remove = async (person: Person, query = '') =>
  api.delete(`/members/${owner.organization.id}/${await memberIdOf(api, owner, person)}${query}`, owner.session);
const leftWebhooks = [{ id: expect.any(String), url: 'https://hooks.example.com/left' }];

async function joinAndMake(): Promise<Person> {
  const admin = await place.member('admin');
  await verify(admin);
  await expectStatus(makeIdentity(admin, 'first'), 201);
  await expectStatus(makeIdentity(admin, 'second'), 201);
  await expectStatus(makeWebhook(admin, 'https://hooks.example.com/left'), 201);
  return admin;
}

it('a removed member leaves identities and a webhook that keep working, and the response lists them', async () => {
  const admin = await joinAndMake();
  await expectStatus(makeIdentity(owner, 'the owner’s'), 201);
  await expectStatus(makeWebhook(owner, 'https://hooks.example.com/own'), 201);

  const { body } = await expectStatus(remove(admin), 200);

  const identitiesLeft = ['first', 'second'].map(name => ({ id: expect.any(String), name }));
  const left = { identities: expect.arrayContaining(identitiesLeft), webhooks: leftWebhooks };
  expect(body).toEqual({ success: true, left });
  expect(body.left.identities).toHaveLength(2);
  const shown: { name: string; createdBy: object }[] = await identities();
  expect(namesOf(shown)).toEqual(['first', 'second', 'the owner’s']);
  expect(shown.find(({ name }) => name === 'first')?.createdBy).toEqual({ id: admin.user.id, email: admin.email });
});

it('a removed member loses their identities if requested, each with an audit entry, and no others', async () => {
  const kept = await identities();
  const admin = await joinAndMake();

  const { body } = await expectStatus(remove(admin, '?endIdentities=true'), 200);

  expect(body.left).toEqual({ identities: [], webhooks: leftWebhooks });
  expect(await identities()).toHaveLength(kept.length);
  const path = `/audit/${owner.organization.id}?action=identity.deleted`;
  const { entries } = (await api.get(path, owner.session)).body;
  expect(namesOf(entries.map(({ target }: { target: { name: string } }) => target))).toEqual(['first', 'second']);
  expect(violationsOf(await scanTable())).toEqual([]);
});

it('a removed member loses more identities than one transaction can end', async () => {
  const admin = await place.member('admin');
  await verify(admin);
  const kept = await identities();
  for (let made = 0; made < 35; made += 1) await expectStatus(makeIdentity(admin, `many ${made}`), 201);

  const { body } = await expectStatus(remove(admin, '?endIdentities=true'), 200);

  expect(body.left).toEqual({ identities: [], webhooks: [] });
  expect(await identities()).toHaveLength(kept.length);
  expect(violationsOf(await scanTable())).toEqual([]);
});

it.each(['?endidentities=true', '?endIdentities=yes', '?endIdentities='])(
  'a member stays if the query is %s',
  async query => {
    const viewer = await place.member('viewer');
    expect(codeOf(await remove(viewer, query))).toBe('400 invalid_request');
    expect((await remove(viewer, '?endIdentities=false')).status).toBe(200);
  },
);

it('an identity can’t be created by a user whose address is not verified', async () => {
  const admin = await place.member('admin');

  expect(codeOf(await makeIdentity(admin, 'planted'))).toBe('403 email_not_verified');

  expect(namesOf(await identities())).not.toContain('planted');
  await verify(admin);
  expect((await makeIdentity(admin, 'honest')).status).toBe(201);
});
