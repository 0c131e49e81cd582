import { randomUUID } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { openLog } from '#lib/core/logger.ts';
import { requiredSetting } from '#lib/core/settings.ts';
import { eraseOrganization } from '#lib/jobs/erase-organization.ts';
import { NotYetCommitted } from '#lib/jobs/erase-range.ts';
import { tableClient } from '#lib/table/client.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find } from '#lib/table/read.ts';
import { auditPartitionsRecord } from '#lib/table/records/audit.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { type Answer, codeOf, createProject, createToken, startApi, useApi } from '#test/support/api.ts';
import { atOnce } from '#test/support/at-once.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { platformCounts } from '#test/support/platform-counts.ts';
import { invite, join } from '#test/support/sample-requests.ts';
import { allItems } from '#test/support/table-dump.ts';

const api = useApi(() => startApi({ WEBHOOK_ALLOW_LOOPBACK: 'true' }));
const person = shared(() => seedPerson({ name: 'Ada' }));

const create = async (name: string, slug?: string): Promise<Answer> =>
  api.post('/orgs', { name, slug }, person.session);
const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted();
const updatesOf = async ({ id }: { id: string }) =>
  (await api.get(`/audit/${id}?action=organization.updated`, person.session)).body.entries.map(
    ({ details }: { details: unknown }) => details,
  );

describe('creating an organization', () => {
  it('makes the caller its owner', async () => {
    const answer = await create('Analytical Engines');

    expect(answer.status).toBe(201);
    const { organization } = answer.body;
    expect(organization).toMatchObject({ slug: 'analytical-engines', name: 'Analytical Engines', plan: 'free' });
    const { members } = (await api.get(`/members/${organization.id}`, person.session)).body;
    expect(members).toEqual([expect.objectContaining({ userId: person.user.id, role: 'owner', name: 'Ada' })]);
    const { organizations } = (await api.get('/auth/me', person.session)).body;
    expect(organizations).toContainEqual({
      ...organization,
      memberId: members[0].id,
      role: 'owner',
      limited: false,
      projectRoles: [],
    });
  });

  it('adds a suffix if the slug derived from the name is taken, and rejects an explicit slug that is taken', async () => {
    expect((await create('Twice')).body.organization.slug).toBe('twice');
    expect((await create('Twice')).body.organization.slug).toMatch(/^twice-[a-z0-9]{6}$/);
    expect(codeOf(await create('Other', 'twice'))).toBe('409 slug_taken');
  });

  it('gives a slug to one of five concurrent requests', async () => {
    const { organizations } = await platformCounts();

    expect(statusesOf(await atOnce(5, () => create('Race', 'race')))).toEqual([201, 409, 409, 409, 409]);
    expect((await platformCounts()).organizations).toBe(organizations + 1);
  });
});

describe('renaming an organization', () => {
  async function directoryOf(slug: string) {
    const entries = (await allItems()).filter(({ pk, slug: of }) => pk === 'ORGS' && of === slug);
    return entries.map(({ sk, name }) => [sk, name]).toSorted();
  }

  const createNamed = async (name: string): Promise<{ id: string; slug: string }> =>
    (await create(name, `org-${randomUUID().slice(0, 8)}`)).body.organization;
  const rename = ({ id }: { id: string }, name?: string) => api.patch(`/orgs/${id}`, { name }, person.session);
  const entriesOf = (slug: string, name: string) =>
    [`NAME#${name.toLowerCase()}#${slug}`, `SLUG#${slug}`].map(key => [key, name]);

  it('changes only the name, also in the directory', async () => {
    const organization = await createNamed('Before');
    const { id, slug } = organization;

    const renamed = await rename(organization, 'After');
    const otherCase = await rename(organization, 'AFTER');

    expect(renamed.body.organization).toMatchObject({ id, slug, name: 'After', plan: 'free' });
    expect(otherCase.body.organization.name).toBe('AFTER');
    expect(await directoryOf(slug)).toEqual(entriesOf(slug, 'AFTER'));
    expect(await updatesOf(organization)).toEqual([
      { name: { from: 'After', to: 'AFTER' } },
      { name: { from: 'Before', to: 'After' } },
    ]);
  });

  it('writes no audit entry for the same name, and rejects a missing one', async () => {
    const organization = await createNamed('Same');

    expect((await rename(organization, 'Same')).status).toBe(200);
    expect((await rename(organization)).status).toBe(400);
    expect(await updatesOf(organization)).toEqual([]);
  });

  it('concurrently leaves one name, in one place in the directory', async () => {
    const organization = await createNamed('Start');
    const names = ['One', 'Two', 'Three', 'Four'];

    const answers = await Promise.all(names.map(name => rename(organization, name)));

    expect(answers.map(({ body }) => body.organization.name)).toEqual(names);
    const { organizations } = (await api.get('/auth/me', person.session)).body;
    const { name } = organizations.find(({ id }: { id: string }) => id === organization.id);
    expect(await directoryOf(organization.slug)).toEqual(entriesOf(organization.slug, name));
    const updates = await updatesOf(organization);
    expect(updates).toHaveLength(names.length);
    expect(updates[0].name.to).toBe(name);
  });

  it('while it is being deleted leaves nothing of it in the directory', async () => {
    for (let round = 0; round < 5; round += 1) {
      const organization = await createNamed('Start');

      const [renamed, deleted] = await Promise.all([
        rename(organization, 'Renamed'),
        api.delete(`/orgs/${organization.id}`, person.session),
      ]);

      expect([200, 404]).toContain(renamed.status);
      expect(deleted.status).toBe(200);
      expect(await directoryOf(organization.slug)).toEqual([]);
    }
  });
});

async function furnish() {
  const [owner, member] = await Promise.all([seedPerson({ name: 'Owner' }), seedPerson({ name: 'Member' })]);
  const slug = `doomed-${randomUUID().slice(0, 8)}`;
  const { organization } = (await api.post('/orgs', { name: 'Doomed', slug }, owner.session)).body;
  const founder = { ...owner, organization };
  await join(api, founder, member);
  const pending = await invite(api, founder, `${randomUUID()}@example.com`, 'viewer');
  const project = await createProject(api, founder, 'Shop');
  await createProject(api, founder, 'Second');
  const secrets = `/secrets/${slug}/${project.slug}`;
  await api.put(`${secrets}/dev`, { key: 'A', value: 'first' }, owner.session);
  await api.put(`${secrets}/dev`, { key: 'A', value: 'second' }, owner.session);
  await api.put(`${secrets}/production`, { key: 'B', value: 'third' }, owner.session);
  await api.get(`${secrets}/dev`, owner.session);
  await api.post(`/templates/${slug}/${project.slug}`, { key: 'A' }, owner.session);
  const hook = { url: 'http://127.0.0.1:9/hook', events: ['secret.created'] };
  const { webhook } = (await api.post(`/webhooks/${organization.id}`, hook, owner.session)).body;
  await api.post(`/webhooks/${organization.id}/${webhook.id}/test`, {}, owner.session);
  const bound = await createToken(api, { ...member, organization }, { organizationId: organization.id });
  const free = await createToken(api, owner);
  return { owner, member, organization, slug, project, pending, bound, free, webhook };
}

describe('deleting an organization', () => {
  it('makes it inaccessible to all callers at once, and erases all of it in the background', async () => {
    const made = await furnish();
    const { owner, member, organization, slug, project, pending, bound, free } = made;
    const before = await platformCounts();

    const answer = await api.delete(`/orgs/${organization.id}`, owner.session);

    expect(answer.body).toEqual({ success: true });
    for (const as of [owner.session, member.session, free]) {
      for (const path of [`/projects/${organization.id}`, `/secrets/${slug}/${project.slug}/dev`]) {
        expect(codeOf(await api.get(path, as))).toBe('404 organization_not_found');
      }
    }
    expect([401, 404]).toContain((await api.get(`/projects/${organization.id}`, bound)).status);
    expect((await api.get('/auth/me', bound)).status).toBe(401);
    const me = (await api.get('/auth/me', member.session)).body;
    expect(me.organizations.map(({ id }: { id: string }) => id)).toEqual([member.organization.id]);
    const late = await api.post(`/members/invite/${pending.token}/accept`, {}, member.session);
    expect(late.body.error.code).toBe('invalid_token');
    const bind = await api.post('/auth/token', { name: 'x', organizationId: organization.id }, owner.session);
    expect(bind.body.error.code).toBe('organization_not_found');
    expect((await api.delete(`/orgs/${organization.id}`, owner.session)).status).toBe(404);
    const { organizations, projects } = await platformCounts();
    expect([organizations, projects]).toEqual([before.organizations - 1, before.projects - 2]);

    await eventually(async () => expect(await find(at(organizationRecord, slug))).toBeUndefined());

    // The record that a delivery has started expires by itself.
    expect((await itemsOf(organization)).filter(({ kind }) => kind !== 'deliveryClaim')).toEqual([]);
    const again = await api.post('/orgs', { name: 'Phoenix', slug }, owner.session);
    expect(again.status).toBe(201);
    expect((await api.get(`/projects/${again.body.organization.id}`, owner.session)).body).toEqual({ projects: [] });
  });

  it('happens once, even with five concurrent requests', async () => {
    const { owner, organization } = await furnish();
    const before = await platformCounts();

    const answers = await atOnce(5, () => api.delete(`/orgs/${organization.id}`, owner.session));

    expect(statusesOf(answers)).toEqual([200, 404, 404, 404, 404]);
    expect((await platformCounts()).organizations).toBe(before.organizations - 1);
  });
});

describe('the background step that erases an organization', () => {
  const log = openLog({});

  it('waits while the organization is active: its deletion is committed after the job was queued', async () => {
    const { organization } = await seedPerson();
    const job = { type: 'erase-organization', orgSlug: organization.slug, organizationId: organization.id } as const;

    await expect(eraseOrganization(job, log)).rejects.toBeInstanceOf(NotYetCommitted);

    expect((await find(at(organizationRecord, organization.slug)))?.status).toBe('active');
  });

  it('continues after any interruption, and takes as many steps as needed', async () => {
    const { organization, slug } = await furnish();
    const entries = Array.from({ length: 700 }, (_, index) => {
      const { pk } = ranges.audit(organization.id, index % 2 === 0 ? 0 : 3);
      return { PutRequest: { Item: { pk, sk: `bulk#${index}`, kind: 'audit' } } };
    });
    for (const chunk of chunksOf(25, entries)) {
      await tableClient().send(new BatchWriteCommand({ RequestItems: { [requiredSetting('TABLE_NAME')]: chunk } }));
    }
    await transact([
      update(at(organizationRecord, slug), { set: { status: 'deleting' } }),
      put(at(auditPartitionsRecord, organization.id), { partitions: 16 }),
    ]);
    const job = { type: 'erase-organization', orgSlug: slug, organizationId: organization.id } as const;

    let interrupted = 0;
    const isInterrupted = (calls: number) => {
      const heal = failAfter(calls);
      return eraseOrganization(job, log)
        .then(
          () => false,
          () => true,
        )
        .finally(heal);
    };
    while (await isInterrupted(3 * interrupted)) interrupted += 1;
    // The successful step has queued the next one, and so on until nothing is left.
    await eventually(async () => expect(await find(at(organizationRecord, slug))).toBeUndefined());

    expect(interrupted).toBeGreaterThan(5);
    const left = (await itemsOf(organization)).filter(({ kind }) => kind !== 'deliveryClaim' && kind !== 'directory');
    expect(left).toEqual([]);
  });

  it('also erases items of kinds that it does not know', async () => {
    const { organization, user } = await seedPerson();
    const { id, slug } = organization;
    const unknown = (pk: string, sk: string) => ({
      PutRequest: { Item: { pk, sk, kind: 'later', v: 9, organizationId: id } },
    });
    const { pk } = ranges.organization(slug);
    const account = ranges.account(user.id).pk;
    const items = [...['A', 'ORF#1', 'ORG#1', 'ZZZ'].map(sk => unknown(pk, sk)), unknown(account, `LATER#${id}`)];
    await tableClient().send(new BatchWriteCommand({ RequestItems: { [requiredSetting('TABLE_NAME')]: items } }));
    await transact([update(at(organizationRecord, slug), { set: { status: 'deleting' } })]);

    await eraseOrganization({ type: 'erase-organization', orgSlug: slug, organizationId: id }, log);

    expect((await itemsOf(organization)).filter(({ kind }) => kind !== 'directory')).toEqual([]);
    expect(await find(at(userRecord, user.id))).toBeDefined();
  });

  it('does not touch an organization that takes over the slug', async () => {
    const { organization, session } = await seedPerson();
    const job = { type: 'erase-organization', orgSlug: organization.slug, organizationId: randomUUID() } as const;

    await eraseOrganization(job, log);

    expect((await api.get(`/members/${organization.id}`, session)).body.members).toHaveLength(1);
  });
});

function failAfter(calls: number): () => void {
  let made = 0;
  const name = 'fail-after';
  tableClient().middlewareStack.add(
    next => args => {
      made += 1;
      if (made > calls) throw new Error('The process died here.');
      return next(args);
    },
    { step: 'initialize', name, override: true },
  );
  return () => tableClient().middlewareStack.remove(name);
}

/** The items that name the organization: its id anywhere, or its slug as a whole segment of the key. */
const itemsOf = async ({ id, slug }: { id: string; slug: string }) =>
  (await allItems()).filter(item => {
    const { pk, sk, orgSlug } = item;
    return JSON.stringify(item).includes(id) || `${pk}#${sk}`.split('#').includes(slug) || orgSlug === slug;
  });
