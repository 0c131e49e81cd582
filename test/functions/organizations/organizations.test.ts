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
import { put, transact, update } from '#lib/table/write.ts';
import { createProject, createToken, startApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { platformCounts } from '#test/support/platform-counts.ts';
import { allItems } from '#test/support/table-dump.ts';

const api = shared(() => startApi({ WEBHOOK_ALLOW_LOOPBACK: 'true' }));
const person = shared(() => seedPerson({ name: 'Ada' }));

describe('creating an organization', () => {
  it('makes the caller its owner', async () => {
    const answer = await api.post('/orgs', { name: 'Analytical Engines' }, person.session);

    expect(answer.status).toBe(201);
    const { organization } = answer.body;
    expect(organization).toMatchObject({ slug: 'analytical-engines', name: 'Analytical Engines', plan: 'free' });
    const { members } = (await api.get(`/members/${organization.id}`, person.session)).body;
    expect(members).toEqual([expect.objectContaining({ userId: person.user.id, role: 'owner', name: 'Ada' })]);
    const { organizations } = (await api.get('/auth/me', person.session)).body;
    expect(organizations).toContainEqual({ ...organization, role: 'owner' });
  });

  it('adds a suffix if the slug derived from the name is taken, and rejects an explicit slug that is taken', async () => {
    const first = await api.post('/orgs', { name: 'Twice' }, person.session);
    const second = await api.post('/orgs', { name: 'Twice' }, person.session);
    const explicit = await api.post('/orgs', { name: 'Other', slug: 'twice' }, person.session);

    expect(first.body.organization.slug).toBe('twice');
    expect(second.body.organization.slug).toMatch(/^twice-[a-z0-9]{6}$/);
    expect([explicit.status, explicit.body.error.code]).toEqual([409, 'slug_taken']);
  });

  it('gives a slug to one of five concurrent requests', async () => {
    const before = await platformCounts();

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => api.post('/orgs', { name: 'Race', slug: 'race' }, person.session)),
    );

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
    expect((await platformCounts()).organizations).toBe(before.organizations + 1);
  });

  it('accepts an unlimited full token, and no other token', async () => {
    const [full, writing, limited] = await Promise.all([
      createToken(api, person),
      createToken(api, person, { access: 'write' }),
      createToken(api, person, { organizationId: person.organization.id }),
    ]);

    expect((await api.post('/orgs', { name: 'By token' }, full)).status).toBe(201);
    for (const token of [writing, limited]) {
      const answer = await api.post('/orgs', { name: 'By token' }, token);
      expect([answer.status, answer.body.error.code]).toEqual([403, 'insufficient_scope']);
    }
  });
});

describe('renaming an organization', () => {
  /** The entries of the organization in the directory, by slug and by name. */
  async function directoryOf(slug: string) {
    const entries = (await allItems()).filter(({ pk, slug: of }) => pk === 'ORGS' && of === slug);
    return entries.map(({ sk, name }) => [sk, name]).toSorted();
  }

  async function create(name: string): Promise<{ id: string; slug: string }> {
    const slug = `org-${randomUUID().slice(0, 8)}`;
    return (await api.post('/orgs', { name, slug }, person.session)).body.organization;
  }

  it('changes only the name, also in the directory', async () => {
    const { id, slug } = await create('Before');

    const answer = await api.patch(`/orgs/${id}`, { name: 'After' }, person.session);
    const otherCase = await api.patch(`/orgs/${id}`, { name: 'AFTER' }, person.session);

    expect(answer.body.organization).toMatchObject({ id, slug, name: 'After', plan: 'free' });
    expect(otherCase.body.organization.name).toBe('AFTER');
    expect(await directoryOf(slug)).toEqual([
      [`NAME#after#${slug}`, 'AFTER'],
      [`SLUG#${slug}`, 'AFTER'],
    ]);
    const { entries } = (await api.get(`/audit/${id}?action=organization.updated`, person.session)).body;
    expect(entries.map(({ details }: { details: unknown }) => details)).toEqual([
      { name: { from: 'After', to: 'AFTER' } },
      { name: { from: 'Before', to: 'After' } },
    ]);
  });

  it('writes no audit entry for the same name, and rejects a missing one', async () => {
    const { id } = await create('Same');

    const same = await api.patch(`/orgs/${id}`, { name: 'Same' }, person.session);
    const empty = await api.patch(`/orgs/${id}`, {}, person.session);

    expect([same.status, empty.status]).toEqual([200, 400]);
    const { entries } = (await api.get(`/audit/${id}?action=organization.updated`, person.session)).body;
    expect(entries).toEqual([]);
  });

  it('concurrently leaves one name, in one place in the directory', async () => {
    const { id, slug } = await create('Start');
    const names = ['One', 'Two', 'Three', 'Four'];

    const answers = await Promise.all(names.map(name => api.patch(`/orgs/${id}`, { name }, person.session)));

    expect(answers.map(({ body }) => body.organization.name)).toEqual(names);
    const { name } = (await api.get('/auth/me', person.session)).body.organizations.find(
      (one: { id: string }) => one.id === id,
    );
    expect(await directoryOf(slug)).toEqual([
      [`NAME#${name.toLowerCase()}#${slug}`, name],
      [`SLUG#${slug}`, name],
    ]);
    const { entries } = (await api.get(`/audit/${id}?action=organization.updated`, person.session)).body;
    expect(entries).toHaveLength(names.length);
    expect(entries[0].details.name.to).toBe(name);
  });

  it('while it is being deleted leaves nothing of it in the directory', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, slug } = await create('Start');

      const [renamed, deleted] = await Promise.all([
        api.patch(`/orgs/${id}`, { name: 'Renamed' }, person.session),
        api.delete(`/orgs/${id}`, person.session),
      ]);

      expect([200, 404]).toContain(renamed.status);
      expect(deleted.status).toBe(200);
      expect(await directoryOf(slug)).toEqual([]);
    }
  });
});

/** An organization with every kind of item. */
async function furnish() {
  const [owner, member] = await Promise.all([seedPerson({ name: 'Owner' }), seedPerson({ name: 'Member' })]);
  const slug = `doomed-${randomUUID().slice(0, 8)}`;
  const { organization } = (await api.post('/orgs', { name: 'Doomed', slug }, owner.session)).body;
  const invite = (role: string) =>
    api.post(`/members/${organization.id}/invite`, { email: `${randomUUID()}@example.com`, role }, owner.session);
  const { token } = (await invite('developer')).body;
  await api.post(`/members/invite/${token}/accept`, {}, member.session);
  const pending = (await invite('viewer')).body;
  const project = await createProject(api, { ...owner, organization }, 'Shop');
  await createProject(api, { ...owner, organization }, 'Second');
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
      expect((await api.get(`/projects/${organization.id}`, as)).body.error.code).toBe('organization_not_found');
      expect((await api.get(`/secrets/${slug}/${project.slug}/dev`, as)).body.error.code).toBe(
        'organization_not_found',
      );
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

    const left = (await allItems()).filter(
      item => JSON.stringify(item).includes(organization.id) || mentions(item, slug),
    );
    // The record that a delivery has started expires by itself.
    expect(left.filter(({ kind }) => kind !== 'deliveryClaim')).toEqual([]);
    const again = await api.post('/orgs', { name: 'Phoenix', slug }, owner.session);
    expect(again.status).toBe(201);
    expect((await api.get(`/projects/${again.body.organization.id}`, owner.session)).body).toEqual({ projects: [] });
  });

  it('is limited to owners', async () => {
    const { organization, member } = await furnish();

    const answer = await api.delete(`/orgs/${organization.id}`, member.session);

    expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden']);
  });

  it('happens once, even with five concurrent requests', async () => {
    const { owner, organization } = await furnish();
    const before = await platformCounts();

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => api.delete(`/orgs/${organization.id}`, owner.session)),
    );

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
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
    const entries = Array.from({ length: 700 }, (_, index) => ({
      PutRequest: {
        Item: { pk: ranges.audit(organization.id, index % 2 === 0 ? 0 : 3).pk, sk: `bulk#${index}`, kind: 'audit' },
      },
    }));
    for (const chunk of chunksOf(25, entries)) {
      await tableClient().send(new BatchWriteCommand({ RequestItems: { [requiredSetting('TABLE_NAME')]: chunk } }));
    }
    await transact([
      update(at(organizationRecord, slug), { set: { status: 'deleting' } }),
      put(at(auditPartitionsRecord, organization.id), { partitions: 16 }),
    ]);
    const job = { type: 'erase-organization', orgSlug: slug, organizationId: organization.id } as const;

    let interrupted = 0;
    for (let calls = 0; ; calls += 3) {
      const heal = failAfter(calls);
      const died = await eraseOrganization(job, log)
        .catch(() => true)
        .finally(heal);
      if (died !== true) break;
      interrupted += 1;
    }
    // The successful step has queued the next one, and so on until nothing is left.
    await eventually(async () => expect(await find(at(organizationRecord, slug))).toBeUndefined());

    expect(interrupted).toBeGreaterThan(5);
    const left = (await allItems()).filter(
      item => JSON.stringify(item).includes(organization.id) || mentions(item, slug),
    );
    expect(left.filter(({ kind }) => kind !== 'deliveryClaim' && kind !== 'directory')).toEqual([]);
  });

  it('does not touch an organization that takes over the slug', async () => {
    const { organization, session } = await seedPerson();
    const job = { type: 'erase-organization', orgSlug: organization.slug, organizationId: randomUUID() } as const;

    await eraseOrganization(job, log);

    expect((await api.get(`/members/${organization.id}`, session)).body.members).toHaveLength(1);
  });
});

/** Makes the table fail from its nth call on. */
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

/** Whether the item's key contains the slug as a whole segment. */
const mentions = ({ pk, sk, orgSlug }: Record<string, unknown>, slug: string): boolean =>
  `${pk}#${sk}`.split('#').includes(slug) || orgSlug === slug;
