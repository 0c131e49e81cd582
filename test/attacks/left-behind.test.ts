import { beforeAll, describe, expect, it } from 'vitest';
import { at } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { startApi, useApi } from '../support/api.ts';
import { openWorkplace, type Workplace } from '../support/environments.ts';
import { scanTable, violationsOf } from '../support/invariants.ts';
import { identityOf } from '../support/issuer.ts';
import type { Person } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';

const api = useApi(() => startApi({ VERIFIED_EMAIL_REQUIRED: 'true' }));
let place: Workplace;
let owner: Person;
beforeAll(async () => {
  const seeded = await openVerifiedWorkplace();
  place = seeded;
  owner = seeded.owner;
});

const verify = ({ user }: Person) => transact([update(at(userRecord, user.id), { set: { emailVerified: true } })]);

async function openVerifiedWorkplace(): Promise<Workplace> {
  const opened = await openWorkplace(api);
  await verify(opened.owner);
  const limitOverrides = { maxMembers: -1, maxWebhooks: -1 };
  await transact([update(at(organizationRecord, opened.owner.organization.slug), { set: { limitOverrides } })]);
  return opened;
}

const trusted = { url: 'https://token.actions.githubusercontent.com' };
const makeIdentity = (as: Person, name: string) =>
  api.post(`/identities/${owner.organization.id}`, identityOf(trusted, { name }), as.session);
const makeWebhook = (as: Person, url: string) =>
  api.post(`/webhooks/${owner.organization.id}`, { url, events: ['secret.updated'] }, as.session);
const identities = async () => (await api.get(`/identities/${owner.organization.id}`, owner.session)).body.identities;
const namesOf = (named: { name: string }[]) => named.map(({ name }) => name).toSorted();
const remove = async (person: Person, query = '') => {
  const { members } = (await api.get(`/members/${owner.organization.id}`, owner.session)).body;
  const { id } = members.find(({ userId }: { userId: string }) => userId === person.user.id);
  return api.delete(`/members/${owner.organization.id}/${id}${query}`, owner.session);
};

/** An admin who created two identities and a webhook. */
async function joinAndMake(): Promise<Person> {
  const admin = await place.member('admin');
  await verify(admin);
  await expectStatus(makeIdentity(admin, 'first'), 201);
  await expectStatus(makeIdentity(admin, 'second'), 201);
  await expectStatus(makeWebhook(admin, 'https://hooks.example.com/left'), 201);
  return admin;
}

describe('a removed member', () => {
  it('leaves identities and a webhook that keep working, and the response lists them', async () => {
    const admin = await joinAndMake();
    await expectStatus(makeIdentity(owner, 'the owner’s'), 201);
    await expectStatus(makeWebhook(owner, 'https://hooks.example.com/own'), 201);

    const { body } = await expectStatus(remove(admin), 200);

    expect(body).toEqual({
      success: true,
      left: {
        identities: expect.arrayContaining([
          { id: expect.any(String), name: 'first' },
          { id: expect.any(String), name: 'second' },
        ]),
        webhooks: [{ id: expect.any(String), url: 'https://hooks.example.com/left' }],
      },
    });
    expect(body.left.identities).toHaveLength(2);
    const shown = await identities();
    expect(namesOf(shown)).toEqual(['first', 'second', 'the owner’s']);
    expect(shown.find(({ name }: { name: string }) => name === 'first').createdBy).toEqual({
      id: admin.user.id,
      email: admin.email,
    });
  });

  it('loses their identities if requested, each with an audit entry, and no others', async () => {
    const before = (await identities()).length;
    const admin = await joinAndMake();

    const { body } = await expectStatus(remove(admin, '?endIdentities=true'), 200);

    expect(body.left).toEqual({
      identities: [],
      webhooks: [{ id: expect.any(String), url: 'https://hooks.example.com/left' }],
    });
    expect(await identities()).toHaveLength(before);
    const path = `/audit/${owner.organization.id}?action=identity.deleted`;
    const { entries } = (await api.get(path, owner.session)).body;
    expect(entries.map(({ target }: { target: { name: string } }) => target.name).toSorted()).toEqual([
      'first',
      'second',
    ]);
    expect(violationsOf(await scanTable())).toEqual([]);
  });

  it('loses more identities than one transaction can end', async () => {
    const admin = await place.member('admin');
    await verify(admin);
    const before = (await identities()).length;
    for (let made = 0; made < 35; made += 1) await expectStatus(makeIdentity(admin, `many ${made}`), 201);

    const { body } = await expectStatus(remove(admin, '?endIdentities=true'), 200);

    expect(body.left).toEqual({ identities: [], webhooks: [] });
    expect(await identities()).toHaveLength(before);
    expect(violationsOf(await scanTable())).toEqual([]);
  });

  it.each(['?endidentities=true', '?endIdentities=yes', '?endIdentities='])('stays if the query is %s', async query => {
    const viewer = await place.member('viewer');
    expect((await remove(viewer, query)).body.error.code).toBe('invalid_request');
    expect((await remove(viewer, '?endIdentities=false')).status).toBe(200);
  });
});

describe('an identity', () => {
  it('can’t be created by a user whose address is not verified', async () => {
    const admin = await place.member('admin');

    const refused = await makeIdentity(admin, 'planted');

    expect([refused.status, refused.body.error.code]).toEqual([403, 'email_not_verified']);
    expect(namesOf(await identities())).not.toContain('planted');
    await verify(admin);
    expect((await makeIdentity(admin, 'honest')).status).toBe(201);
  });
});
