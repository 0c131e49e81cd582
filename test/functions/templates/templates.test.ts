import { describe, expect, it } from 'vitest';
import { at } from '#lib/table/read.ts';
import { templateKeyRecord } from '#lib/table/records/project.ts';
import { put, putAll } from '#lib/table/write.ts';
import { type Caller, codeOf } from '#test/support/api.ts';
import { openWorkplace, useWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';

const { api, owner, place } = useWorkplace();
const people = shared(async () => {
  const { member } = await openWorkplace(api, owner);
  return { developer: await member('developer'), viewer: await member('viewer') };
});
const base = () => `/templates/${owner.organization.slug}/${place.project.slug}`;
const add = (body: object, as: Caller = owner.session) => api.post(base(), body, as);
const change = (key: string, body: object, as: Caller = owner.session) => api.patch(`${base()}/${key}`, body, as);
const remove = (key: string, as: Caller = owner.session) => api.delete(`${base()}/${key}`, as);
const listed = async (as: Caller = people.viewer.session) => (await api.get(base(), as)).body.keys;
const entries = async (query: string) =>
  (await api.get(`/audit/${owner.organization.id}?${query}`, owner.session)).body.entries;
const validate = async (env: string, as: Caller = owner.session) =>
  (await api.get(`${base()}/validate/${env}`, as)).body;

describe('a template', () => {
  it('adds keys, lists them in key order and removes them', async () => {
    const port = await add({ key: 'PORT', description: 'Where it listens', pattern: '[0-9]{1,5}' });
    expect(port.status).toBe(201);
    expect(port.body.templateKey).toMatchObject({ key: 'PORT', required: true, pattern: '[0-9]{1,5}' });
    await add({ key: 'HOST', required: false });
    expect(await listed()).toEqual([expect.objectContaining({ key: 'HOST' }), port.body.templateKey]);
    expect((await add({ key: 'PORT' })).body.error.code).toBe('template_key_exists');
    expect((await remove('PORT')).body).toEqual({ success: true });
    expect(codeOf(await remove('PORT'))).toBe('404 template_key_not_found');
    expect(await entries('limit=3')).toMatchObject([
      { action: 'template_key.removed', target: { name: 'PORT' } },
      { action: 'template_key.added', target: { name: 'HOST' } },
      { action: 'template_key.added', target: { name: 'PORT' } },
    ]);
  });

  it('changes a key field by field; null removes a field', async () => {
    const added = (await add({ key: 'PORT', description: 'Where it listens', pattern: '[0-9]+' })).body.templateKey;
    const eased = await change('PORT', { required: false, pattern: '[0-9]{1,5}' });
    const bare = await change('PORT', { description: null, pattern: null });

    expect(eased.body.templateKey).toEqual({ ...added, required: false, pattern: '[0-9]{1,5}' });
    expect(bare.body.templateKey).toEqual({ key: 'PORT', required: false, createdAt: added.createdAt });
    expect(await listed()).toEqual([bare.body.templateKey]);
    const updates = await entries('action=template_key.updated&limit=2');
    expect(updates.map(({ details }: { details: unknown }) => details)).toEqual([
      { description: { from: 'Where it listens', to: null }, pattern: { from: '[0-9]{1,5}', to: null } },
      { required: { from: true, to: false }, pattern: { from: '[0-9]+', to: '[0-9]{1,5}' } },
    ]);
  });

  it('rejects a change that is empty, has an unknown field or an invalid RE2 pattern, or names an undeclared key', async () => {
    await add({ key: 'PORT' });
    const answers = await Promise.all([
      change('PORT', {}),
      change('PORT', { key: 'OTHER' }),
      change('PORT', { pattern: '(' }),
      change('HOST', { required: false }),
    ]);
    const same = await change('PORT', { required: true, pattern: null });

    expect(answers.map(codeOf)).toEqual([...Array(3).fill('400 invalid_request'), '404 template_key_not_found']);
    expect(same.status).toBe(200);
    expect(await entries('limit=1')).toMatchObject([{ action: 'template_key.added' }]);
  });

  it('describes a key for all environments, field by field, and audits what changed', async () => {
    const dev = place.environmentId('dev');
    const facts = {
      owner: people.viewer.user.id,
      tags: ['payments', 'external'],
      renewUrl: 'https://dashboard.example.com/keys',
      maxAgeDays: 90,
      note: 'Ask *Ada* first.',
    };
    const { templateKey } = (await add({ key: 'API_KEY', ...facts, expiresAt: { [dev]: '2027-01-31T10:00:00+01:00' } }))
      .body;
    expect(templateKey).toMatchObject({ ...facts, expiresAt: { [dev]: '2027-01-31T09:00:00.000Z' } });
    const changed = await change('API_KEY', { tags: ['payments'], maxAgeDays: null, expiresAt: {} });
    const { maxAgeDays: _, expiresAt: __, ...rest } = templateKey;
    expect(changed.body.templateKey).toEqual({ ...rest, tags: ['payments'] });
    expect(await listed()).toEqual([changed.body.templateKey]);
    const [{ details }] = await entries('action=template_key.updated&limit=1');
    expect(details).toEqual({
      tags: { from: 'payments, external', to: 'payments' },
      maxAgeDays: { from: 90, to: null },
      expiresAt: { from: JSON.stringify(templateKey.expiresAt), to: null },
    });
    const removed = { owner: null, tags: null, renewUrl: null, note: null };
    expect((await add({ key: 'FREE', owner: null })).body.templateKey).not.toHaveProperty('owner');
    expect((await change('API_KEY', removed)).body.templateKey).toEqual({
      key: 'API_KEY',
      required: true,
      createdAt: templateKey.createdAt,
    });
  });

  it('rejects an owner who is no member, an environment of another project, and malformed descriptions', async () => {
    await add({ key: 'A' });
    const unknown = '00000000-0000-4000-8000-000000000000';
    const long = 'x'.repeat(4001);
    const refused: [body: object, code: string][] = [
      [{ owner: unknown }, '400 invalid_request'],
      [{ expiresAt: { [unknown]: '2027-01-31T09:00:00.000Z' } }, '404 environment_not_found'],
      [{ expiresAt: { [place.environmentId('dev')]: 'tomorrow' } }, '400 invalid_request'],
      // In UTC, these are in the years 10000 and -1.
      [{ expiresAt: { [place.environmentId('dev')]: '9999-12-31T23:59:59-12:00' } }, '400 invalid_request'],
      [{ expiresAt: { [place.environmentId('dev')]: '0000-01-01T00:00:00+14:00' } }, '400 invalid_request'],
      [{ tags: ['Not a slug'] }, '400 invalid_request'],
      [{ tags: Array.from({ length: 11 }, (_, index) => `tag-${index}`) }, '400 invalid_request'],
      [{ tags: ['a', 'a'] }, '400 invalid_request'],
      [{ renewUrl: 'http://example.com' }, '400 invalid_request'],
      [{ renewUrl: 'javascript:alert(1)' }, '400 invalid_request'],
      [{ renewUrl: 'https://user:password@example.com' }, '400 invalid_request'],
      [{ maxAgeDays: 0 }, '400 invalid_request'],
      [{ maxAgeDays: 3651 }, '400 invalid_request'],
      [{ note: long }, '400 invalid_request'],
    ];
    for (const [body, code] of refused) {
      expect([body, codeOf(await change('A', body))]).toEqual([body, code]);
      expect([body, codeOf(await add({ key: 'B', ...body }))]).toEqual([body, code]);
    }
    expect(await listed()).toEqual([expect.objectContaining({ key: 'A' })]);
  });

  it('keeps the times of environments that were deleted, until they are left out', async () => {
    const [dev, staging] = ['dev', 'staging'].map(env => place.environmentId(env)) as [string, string];
    const [first, second] = ['2027-01-31T09:00:00.000Z', '2027-02-28T09:00:00.000Z'];
    await add({ key: 'A', expiresAt: { [staging]: first } });
    const answer = await api.delete(`${place.projectPath}/environments/staging`, owner.session);
    expect(answer.status).toBe(200);

    const both = await change('A', { expiresAt: { [staging]: first, [dev]: second } });
    const one = await change('A', { expiresAt: { [dev]: second } });
    const gone = await change('A', { expiresAt: { [staging]: first } });

    expect(both.body.templateKey.expiresAt).toEqual({ [staging]: first, [dev]: second });
    expect(one.body.templateKey.expiresAt).toEqual({ [dev]: second });
    expect(codeOf(gone)).toBe('404 environment_not_found');
  });

  it('keeps every field of concurrent changes', async () => {
    await add({ key: 'PORT' });
    const changes = [{ required: false }, { description: 'Where it listens' }, { pattern: '[0-9]+' }];

    const answers = await Promise.all(changes.map(body => change('PORT', body)));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [key] = await listed();
    expect(key).toMatchObject(Object.assign({}, ...changes));
    // The last of them saw all the others.
    expect(answers.map(({ body }) => body.templateKey)).toContainEqual(key);
  });

  it('is managed only by owners and admins', async () => {
    const as = people.developer.session;
    const answers = [await add({ key: 'A' }, as), await change('A', { required: false }, as), await remove('A', as)];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(await listed(as)).toEqual([]);
  });

  it('rejects patterns that are invalid RE2 or too large', async () => {
    for (const pattern of ['(', '(a)\\1', '(?=a)', 'a{1001}', '(a?){1000}(a{1,1000})']) {
      const answer = await add({ key: 'A', pattern });
      expect([pattern, answer.status, answer.body.error.details?.[0]?.path]).toEqual([pattern, 400, 'pattern']);
    }
    expect((await add({ key: 'A', pattern: '(a+)+$' })).status).toBe(201);
  });

  it('takes only as much text as fits in one response', async () => {
    const note = 'ノ'.repeat(4000);
    const { organization } = owner;
    const { id: projectId, slug } = place.project;
    const keys = Array.from({ length: 345 }, (_, index) => `K${index}`);
    const createdAt = new Date().toISOString();
    const record = (key: string) => ({ key, projectId, required: false, note, createdAt });
    await putAll(keys.map(key => put(at(templateKeyRecord, organization.slug, slug, key), record(key))));
    expect(codeOf(await add({ key: 'LONG', note }))).toBe('413 payload_too_large');
    expect((await add({ key: 'SHORT' })).status).toBe(201);
    expect(codeOf(await change('SHORT', { note }))).toBe('413 payload_too_large');
    expect(await listed(owner.session)).toHaveLength(346);
    expect((await change('K0', { note: null })).status).toBe(200);
    expect((await change('SHORT', { note })).status).toBe(200);
  });

  it('does not exist for an unknown project', async () => {
    const answer = await api.get(`/templates/${owner.organization.slug}/nope`, owner.session);
    expect(answer.body.error.code).toBe('project_not_found');
  });
});

describe('validation', () => {
  it('reports missing, present, undeclared and invalid keys, but no value', async () => {
    await add({ key: 'HOST' });
    await add({ key: 'PORT', pattern: '[0-9]{1,5}' });
    await add({ key: 'LEVEL', required: false, pattern: 'info|debug' });
    await add({ key: 'GONE' });
    await place.importAll('dev', { PORT: '80a80', LEVEL: 'debug', LEGACY: 'x', GONE: 'y' });
    await place.remove('dev', 'GONE');
    const result = await validate('dev');
    expect(result).toEqual({
      valid: false,
      missing: ['GONE', 'HOST'],
      present: ['LEVEL', 'PORT'],
      undeclared: ['LEGACY'],
      invalid: [{ key: 'PORT', reason: 'does not match the pattern' }],
    });
    await place.importAll('dev', { PORT: '8080', HOST: '', GONE: 'z' });
    expect(await validate('dev')).toMatchObject({ valid: true, missing: [], invalid: [] });
  });

  it('matches the whole value, in linear time for every pattern', async () => {
    await add({ key: 'WHOLE', pattern: 'a|ab' });
    await add({ key: 'NASTY', pattern: '(a+)+b' });
    await place.importAll('dev', { WHOLE: 'ab', NASTY: 'a'.repeat(65_536) });
    expect(await validate('dev')).toMatchObject({ invalid: [{ key: 'NASTY' }] });
    await place.set('dev', 'WHOLE', 'abc');
    expect((await validate('dev')).invalid.map(({ key }: { key: string }) => key)).toEqual(['NASTY', 'WHOLE']);
  });

  it('is available to all members, but shows undeclared keys only to those who may read the environment', async () => {
    await add({ key: 'HOST' });
    await place.importAll('production', { HOST: 'h', LEGACY: 'x' });
    const seen = await validate('production', people.viewer.session);
    expect(seen).toMatchObject({ valid: true, present: ['HOST'], undeclared: null });
    expect(await validate('production')).toMatchObject({ undeclared: ['LEGACY'] });
    const answer = await api.get(`${base()}/validate/nope`, people.viewer.session);
    expect(answer.body.error.code).toBe('environment_not_found');
  });

  it('writes an audit entry if values were decrypted for patterns, and none otherwise', async () => {
    const validations = () => place.entriesOf('environment.validated');
    await add({ key: 'HOST', pattern: '.*' });
    await add({ key: 'NAME' });
    await place.set('dev', 'NAME', 'n');
    await validate('dev');
    expect(await validations()).toEqual([]);
    await place.set('dev', 'HOST', 'h');
    await validate('dev');
    expect(await validations()).toMatchObject([{ environment: { slug: 'dev' }, keys: ['HOST'] }]);
  });
});
