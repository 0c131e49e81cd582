import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { renewAccess } from '#lib/organizations/change-counts.ts';
import { at } from '#lib/table/read.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, createProject, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';

let path: string;
const api = shared(startApi);
const owner = shared(() => seedPerson({ name: 'Ada' }));
beforeAll(() => {
  path = `/webhooks/${owner.organization.id}`;
});

const url = 'http://127.0.0.1:9/hook';
const minimal = { url, events: ['secret.updated'] };

const idOf = ({ environments }: { environments: { id: string; slug: string }[] }, env: string) =>
  environments.find(({ slug }) => slug === env)?.id;

describe('POST /webhooks/:orgId', () => {
  it('creates a webhook and shows its signing secret only this once', async () => {
    const events = ['secret.updated', 'secret.created', 'secret.updated'];
    const created = await api.post(path, { url, events }, owner.session);
    expect(created.status).toBe(201);
    expect(created.body.signingSecret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    expect(created.body.webhook).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url,
      events: ['secret.created', 'secret.updated'],
      projectId: null,
      environmentId: null,
      format: 'standard',
      active: true,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: created.body.webhook.createdAt,
    });
    const { id } = created.body.webhook;
    const shown = [await api.get(path, owner.session), await api.get(`${path}/${id}`, owner.session)];
    expect(shown.map(({ status }) => status)).toEqual([200, 200]);
    expect(shown[0]?.body.webhooks).toContainEqual(created.body.webhook);
    expect(shown[1]?.body).toEqual({ webhook: created.body.webhook, deliveries: [] });
    expect(JSON.stringify(shown)).not.toContain('whsec_');
  });

  it('limits it to a project and an environment that exist and belong together', async () => {
    const [shop, blog] = [await createProject(api, owner, 'Shop'), await createProject(api, owner, 'Blog')];
    const [dev, staging] = [idOf(shop, 'dev'), idOf(shop, 'staging')];
    const create = (limits: object) => api.post(path, { ...minimal, ...limits }, owner.session);
    const both = await create({ projectId: shop.id, environmentId: staging });
    expect(both.body.webhook).toMatchObject({ projectId: shop.id, environmentId: staging });
    const environmentOnly = await create({ environmentId: dev?.toUpperCase() });
    expect(environmentOnly.body.webhook).toMatchObject({ projectId: null, environmentId: dev });

    const other = await seedPerson({ name: 'Eve' });
    const foreign = await createProject(api, other);
    const refused: [limits: object, code: string][] = [
      [{ projectId: randomUUID() }, 'project_not_found'],
      [{ environmentId: randomUUID() }, 'environment_not_found'],
      [{ projectId: blog.id, environmentId: dev }, 'environment_not_found'],
      [{ projectId: foreign.id }, 'project_not_found'],
      [{ environmentId: idOf(foreign, 'dev') }, 'environment_not_found'],
    ];
    for (const [limits, code] of refused) expect((await create(limits)).body.error?.code).toBe(code);
  });

  it.each([
    [{ url: 'https://10.0.0.1/' }, 'url'],
    [{ url: 'http://192.168.1.1/' }, 'url'],
    [{ url: 'https://[fd00:ec2::254]/' }, 'url'],
    [{ url: 'https://metadata.google.internal/' }, 'url'],
    [{ url: 'https://user:pass@example.com/' }, 'url'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: `https://example.com/${'x'.repeat(2048)}` }, 'url'],
    [{ events: [] }, 'events'],
    [{ events: ['webhook.ping'] }, 'events.0'],
    [{ events: ['secret.read'] }, 'events.0'],
    [{ projectId: 'shop' }, 'projectId'],
    [{ projectID: randomUUID() }, 'projectID'],
  ])('rejects %j, naming %s', async (wrong, field) => {
    const answer = await api.post(path, { ...minimal, ...wrong }, owner.session);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'invalid_request', details: [{ path: field }] });
  });

  it('enforces the plan’s limit, even for concurrent requests', async () => {
    const person = await seedPerson({ name: 'Max' });
    const create = () => api.post(`/webhooks/${person.organization.id}`, minimal, person.session);
    const answers = await Promise.all(Array.from({ length: 14 }, create));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), ...Array(4).fill(402)]);
    const refused = answers.find(({ status }) => status === 402);
    expect(refused?.body.error).toMatchObject({
      code: 'plan_limit_exceeded',
      details: { limit: 'maxWebhooks', value: 10, used: 10 },
    });
    const { body } = await api.get(`/webhooks/${person.organization.id}`, person.session);
    expect(body.webhooks).toHaveLength(10);
    await api.delete(`/webhooks/${person.organization.id}/${body.webhooks[0].id}`, person.session);
    expect((await create()).status).toBe(201);
  });
});

describe('PATCH /webhooks/:orgId/:webhookId', () => {
  it('changes only the given fields', async () => {
    const { webhook } = (await api.post(path, minimal, owner.session)).body;
    const changed = await api.patch(`${path}/${webhook.id}`, { active: false }, owner.session);
    expect(changed.status).toBe(200);
    expect(changed.body.webhook).toEqual({ ...webhook, active: false, updatedAt: expect.any(String) });
    expect(changed.body.webhook.updatedAt > webhook.updatedAt).toBe(true);
    const change = { url: 'https://example.com/', events: ['secret.deleted'] };
    const again = await api.patch(`${path}/${webhook.id}`, change, owner.session);
    expect(again.body.webhook).toMatchObject({ ...change, active: false });
    expect((await api.get(`${path}/${webhook.id}`, owner.session)).body.webhook).toEqual(again.body.webhook);
  });

  it('sets and removes limits, which must be consistent', async () => {
    const [shop, blog] = [await createProject(api, owner, 'One'), await createProject(api, owner, 'Two')];
    const dev = idOf(shop, 'dev');
    const { webhook } = (await api.post(path, minimal, owner.session)).body;
    const patch = async (limits: object) => {
      const { error, webhook: changed } = (await api.patch(`${path}/${webhook.id}`, limits, owner.session)).body;
      return error?.code ?? [changed.projectId, changed.environmentId];
    };
    expect(await patch({ environmentId: dev })).toEqual([null, dev]);
    expect(await patch({ projectId: blog.id })).toBe('environment_not_found');
    expect(await patch({ projectId: shop.id })).toEqual([shop.id, dev]);
    expect(await patch({ environmentId: null })).toEqual([shop.id, null]);
    expect(await patch({ projectId: null })).toEqual([null, null]);
    expect(await patch({ projectId: randomUUID() })).toBe('project_not_found');
  });

  it('can still be changed while its project is being erased', async () => {
    const { id: projectId, slug } = await createProject(api, owner, 'Gone');
    const { webhook } = (await api.post(path, { ...minimal, projectId }, owner.session)).body;
    await transact([
      update(at(projectRecord, owner.organization.slug, slug), { set: { status: 'deleting' } }),
      renewAccess(owner.organization),
    ]);
    expect((await api.patch(`${path}/${webhook.id}`, { active: false }, owner.session)).status).toBe(200);
  });

  it('loses none of many concurrent changes', async () => {
    const { webhook } = (await api.post(path, minimal, owner.session)).body;
    const changes = [{ active: false }, { url: 'https://example.com/new' }, { events: ['secret.deleted'] }];
    const answers = await Promise.all(changes.map(one => api.patch(`${path}/${webhook.id}`, one, owner.session)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { body } = await api.get(`${path}/${webhook.id}`, owner.session);
    expect(body.webhook).toMatchObject(Object.assign({}, ...changes));
  });

  it.each([
    [{}, ''],
    [{ url: 'https://127.1:1/x', active: 1 }, 'active'],
    [{ url: 'https://10.1/' }, 'url'],
    [{ signingSecret: 'whsec_mine' }, 'signingSecret'],
  ])('rejects %j', async (wrong, field) => {
    const { webhook } = (await api.post(path, minimal, owner.session)).body;
    const answer = await api.patch(`${path}/${webhook.id}`, wrong, owner.session);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details[0].path).toBe(field);
    await api.delete(`${path}/${webhook.id}`, owner.session);
  });
});

describe('a webhook', () => {
  it('no longer exists after its deletion', async () => {
    const person = await seedPerson({ name: 'Ida' });
    const own = `/webhooks/${person.organization.id}`;
    const { webhook } = (await api.post(own, minimal, person.session)).body;
    expect((await api.delete(`${own}/${webhook.id}`, person.session)).body).toEqual({ success: true });
    const answers = [
      await api.get(`${own}/${webhook.id}`, person.session),
      await api.patch(`${own}/${webhook.id}`, { active: true }, person.session),
      await api.delete(`${own}/${webhook.id}`, person.session),
      await api.post(`${own}/${webhook.id}/test`, {}, person.session),
      await api.get(`${own}/not-a-uuid`, person.session),
    ];
    expect(answers.map(codeOf)).toEqual(answers.map(() => '404 webhook_not_found'));
    expect((await api.get(own, person.session)).body).toEqual({ webhooks: [] });
  });

  it('writes an audit entry for each change, with its host but no path or secret', async () => {
    const person = await seedPerson({ name: 'Kim' });
    const own = `/webhooks/${person.organization.id}`;
    const secretUrl = 'https://hooks.example.com/services/T000/B000/very-secret';
    const created = (await api.post(own, { ...minimal, url: secretUrl }, person.session)).body;
    const { id } = created.webhook;
    await api.patch(`${own}/${id}`, { active: false }, person.session);
    await api.post(`${own}/${id}/test`, {}, person.session);
    await api.delete(`${own}/${id}`, person.session);
    await api.patch(`${own}/${id}`, { active: false }, person.session);
    const { body } = await api.get(`/audit/${person.organization.id}`, person.session);
    const entries = body.entries.filter(({ action }: { action: string }) => action.startsWith('webhook.'));
    const actions = ['deleted', 'tested', 'updated', 'created'].map(name => `webhook.${name}`);
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(actions);
    for (const entry of entries) {
      expect(entry.target).toEqual({ type: 'webhook', id, name: 'hooks.example.com' });
      expect(entry.actor).toMatchObject({ id: person.user.id, email: person.email, type: 'session' });
    }
    expect(JSON.stringify(body)).not.toMatch(/very-secret|whsec_/);
    expect(JSON.stringify(body)).not.toContain(created.signingSecret);
  });
});
