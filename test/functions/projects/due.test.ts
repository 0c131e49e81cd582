import { describe, expect, it } from 'vitest';
import { dueAtOf } from '#lib/contracts/fields/due-dates.ts';
import { openLog } from '#lib/core/logger.ts';
import { dayMs } from '#lib/core/time.ts';
import { mailDue } from '#lib/jobs/mail-due.ts';
import { at, find } from '#lib/table/read.ts';
import { keyAgesRecord } from '#lib/table/records/due.ts';
import { codeOf, createProject, createToken } from '#test/support/api.ts';
import { useWorkplace } from '#test/support/environments.ts';
import { expectStatus } from '#test/support/sample-requests.ts';

const { api, owner, place } = useWorkplace();
const path = () => `/due/${owner.organization.id}`;
const template = () => `/templates/${owner.organization.slug}/${place.project.slug}`;
const describeKey = (body: object) => expectStatus(api.post(template(), body, owner.session), 201);
const change = (key: string, body: object) => expectStatus(api.patch(`${template()}/${key}`, body, owner.session), 200);
const after = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const runWorker = () => mailDue({}, openLog({ operation: 'mail-due' }));

/** What is due in the project, as `environment key`. */
async function due(query = '', as = owner.session): Promise<string[]> {
  const answer = await expectStatus(api.get(`${path()}?project=${place.project.slug}${query}`, as), 200);
  return answer.body.due.map(({ environment, key }: Record<string, string>) => `${environment} ${key}`);
}

describe('a value is due', () => {
  it('at the end of its age or when it expires, whichever is earlier', () => {
    const written = '2026-01-01T00:00:00.000Z';
    const expiresAt = { e: '2026-01-05T00:00:00.000Z' };
    expect(dueAtOf({ maxAgeDays: 10 }, 'e', written)).toBe('2026-01-11T00:00:00.000Z');
    expect(dueAtOf({ maxAgeDays: 10, expiresAt }, 'e', written)).toBe(expiresAt.e);
    expect(dueAtOf({ maxAgeDays: 3, expiresAt }, 'e', written)).toBe('2026-01-04T00:00:00.000Z');
    expect(dueAtOf({ expiresAt }, 'other', written)).toBeNull();
    expect(dueAtOf({}, 'e', written)).toBeNull();
  });
});

describe('the list of what is due', () => {
  it('has the value’s place, age and description, earliest first, with overdue values', async () => {
    await place.importAll('dev', { OLD: 'a', NEAR: 'b', FAR: 'c', UNDESCRIBED: 'd' });
    const dev = place.environmentId('dev');
    const facts = { owner: owner.user.id, tags: ['payments'], renewUrl: 'https://example.com/keys' };
    await describeKey({ key: 'NEAR', maxAgeDays: 20, required: false, ...facts });
    await describeKey({ key: 'OLD', expiresAt: { [dev]: after(-3) } });
    await describeKey({ key: 'FAR', maxAgeDays: 90 });
    await describeKey({ key: 'MISSING', maxAgeDays: 1 });

    expect(await due()).toEqual(['dev OLD', 'dev NEAR']);
    expect(await due('&within=0d')).toEqual(['dev OLD']);
    expect(await due('&within=100d')).toEqual(['dev OLD', 'dev NEAR', 'dev FAR']);
    expect(await due('&owner=me')).toEqual(['dev NEAR']);
    const page = await api.get(`${path()}?project=${place.project.slug}&limit=1&offset=1`, owner.session);
    expect(page.body).toEqual({
      due: [
        {
          project: place.project.slug,
          environment: 'dev',
          key: 'NEAR',
          version: 1,
          writtenAt: expect.any(String),
          dueAt: expect.any(String),
          ...facts,
        },
      ],
      pagination: { limit: 1, offset: 1, total: 2 },
    });
    expect(Date.parse(page.body.due[0].dueAt) - Date.parse(page.body.due[0].writtenAt)).toBe(20 * dayMs);
  });

  it.each([false, true])(
    'follows writes, deletions and the template at once (the worker has run: %s)',
    async hasRun => {
      await place.importAll('dev', { A: '1', B: '1', C: '1' });
      await place.set('staging', 'A', '1');
      for (const key of ['A', 'B']) await describeKey({ key, maxAgeDays: 10 });
      if (hasRun) {
        await runWorker();
        const stored = await find(at(keyAgesRecord, place.pathOf('dev')));
        expect(stored?.ages.map(([key, version]) => [key, version])).toEqual([
          ['A', 1],
          ['B', 1],
        ]);
      }
      expect((await due()).toSorted()).toEqual(['dev A', 'dev B', 'staging A']);
      await place.remove('dev', 'A');
      await place.set('dev', 'B', '2');
      await expectStatus(place.change('dev', { set: [{ key: 'D', value: '1' }], delete: ['C'] }), 200);
      await describeKey({ key: 'D', maxAgeDays: 10 });
      const { body } = await api.get(`${path()}?project=${place.project.slug}`, owner.session);
      const shown = body.due.map(({ environment, key, version }: Record<string, string>) => [
        environment,
        key,
        version,
      ]);
      expect(shown.toSorted()).toEqual([
        ['dev', 'B', 2],
        ['dev', 'D', 1],
        ['staging', 'A', 1],
      ]);
      await change('B', { maxAgeDays: null });
      await api.delete(`${template()}/D`, owner.session);
      expect(await due()).toEqual(['staging A']);
      await place.set('dev', 'A', 'again');
      expect((await due()).toSorted()).toEqual(['dev A', 'staging A']);
    },
  );

  it('shows only what exists for the caller: by project role, grant and token', async () => {
    const other = await createProject(api, owner, 'Other');
    for (const env of ['dev', 'staging']) await place.set(env, 'KEY', 'v');
    await describeKey({ key: 'KEY', maxAgeDays: 5 });
    const guest = await place.member('viewer');
    const { members } = (await api.get(`/members/${owner.organization.id}`, owner.session)).body;
    const { id } = members.find(({ userId }: { userId: string }) => userId === guest.user.id);
    const member = `/members/${owner.organization.id}/${id}`;
    const limit = (projectRoles: object[]) =>
      expectStatus(api.put(`${member}/projects`, { limited: true, projectRoles }, owner.session), 200);
    const all = async () => {
      const { body } = await api.get(path(), guest.session);
      return body.due.map(({ environment }: Record<string, string>) => environment).toSorted();
    };

    await limit([{ projectId: other.id, role: 'admin' }]);
    expect(await all()).toEqual([]);
    const named = await api.get(`${path()}?project=${place.project.slug}`, guest.session);
    expect(codeOf(named)).toBe('404 project_not_found');
    const grant = { environmentId: place.environmentId('dev'), access: 'read', minutes: 5, reason: 'Look' };
    await expectStatus(api.post(`${member}/grants`, grant, owner.session), 201);
    expect(await all()).toEqual(['dev']);
    await limit([{ projectId: place.project.id, role: 'viewer' }]);
    expect(await all()).toEqual(['dev', 'staging']);
    const stranger = await api.get(`/due/00000000-0000-4000-8000-000000000000`, guest.session);
    expect(stranger.status).toBe(404);
    const scope = { organizationId: owner.organization.id, environmentId: place.environmentId('staging') };
    const { token } = await createToken(api, owner, { access: 'read', ...scope, projectId: place.project.id });
    const { body } = await api.get(path(), { token });
    expect(body.due.map(({ environment }: Record<string, string>) => environment)).toEqual(['staging']);
  });

  it('rejects malformed queries', async () => {
    for (const query of ['within=30', 'within=-1d', 'within=3651d', 'owner=somebody', 'nothing=1']) {
      expect([query, codeOf(await api.get(`${path()}?${query}`, owner.session))]).toEqual([
        query,
        '400 invalid_request',
      ]);
    }
  });
});

describe('keys that are described', () => {
  it('carry what the template says, in the list and in a pull, and not without `describe`', async () => {
    await place.importAll('dev', { A: '1', B: '1' });
    const facts = { description: 'The first.', tags: ['one', 'two'], owner: owner.user.id };
    await describeKey({ key: 'A', maxAgeDays: 5, ...facts });
    const plain = await api.get(place.at('dev', '/keys'), owner.session);
    const tag = { 'If-None-Match': plain.headers.get('etag') as string };
    const list = await api.get(place.at('dev', '/keys?describe=true'), owner.session, tag);
    const [described] = list.body.keys;

    expect(list.status).toBe(200);
    expect(described).toEqual({ ...plain.body.keys[0], ...facts, dueAt: expect.any(String) });
    expect(Date.parse(described.dueAt) - Date.parse(described.updatedAt)).toBe(5 * dayMs);
    const none = { description: null, tags: [], owner: null, dueAt: null };
    expect(list.body.keys[1]).toEqual({ ...plain.body.keys[1], ...none });
    expect(plain.body.keys[0]).not.toHaveProperty('dueAt');
    const pulled = (await place.pull('dev', '?describe=true')).body.secrets;
    expect(pulled).toEqual([
      { ...described, value: '1' },
      { ...list.body.keys[1], value: '1' },
    ]);
    expect(codeOf(await place.pull('dev', '?describe=true&format=env'))).toBe('400 invalid_request');
  });
});
