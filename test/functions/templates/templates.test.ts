import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Caller, startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { type Person, seedOwner } from '#test/support/people.ts';

let developer: Person;
let viewer: Person;
let base: string;

const api = shared(startApi);
const owner = shared(seedOwner);
beforeAll(async () => {
  const first = await openWorkplace(api, owner);
  developer = await first.member('developer');
  viewer = await first.member('viewer');
});
const place = fresh(() => openWorkplace(api, owner));
beforeEach(() => {
  base = `/templates/${owner.organization.slug}/${place.project.slug}`;
});

const add = (body: object, as: Caller = owner.session) => api.post(base, body, as);
const validate = async (env: string, as: Caller = owner.session) => (await api.get(`${base}/validate/${env}`, as)).body;

describe('a template', () => {
  it('adds keys, lists them in key order and removes them', async () => {
    const port = await add({ key: 'PORT', description: 'Where it listens', pattern: '[0-9]{1,5}' });
    expect(port.status).toBe(201);
    expect(port.body.templateKey).toMatchObject({ key: 'PORT', required: true, pattern: '[0-9]{1,5}' });
    await add({ key: 'HOST', required: false });
    const listed = await api.get(base, viewer.session);
    expect(listed.body.keys.map(({ key }: { key: string }) => key)).toEqual(['HOST', 'PORT']);
    expect(listed.body.keys[1]).toEqual(port.body.templateKey);
    expect((await add({ key: 'PORT' })).body.error.code).toBe('template_key_exists');
    expect((await api.delete(`${base}/PORT`, owner.session)).body).toEqual({ success: true });
    const again = await api.delete(`${base}/PORT`, owner.session);
    expect([again.status, again.body.error.code]).toEqual([404, 'template_key_not_found']);
    const { entries } = (await api.get(`/audit/${owner.organization.id}?limit=3`, owner.session)).body;
    expect(
      entries.map(({ action, target }: { action: string; target: { name: string } }) => [action, target.name]),
    ).toEqual([
      ['template_key.removed', 'PORT'],
      ['template_key.added', 'HOST'],
      ['template_key.added', 'PORT'],
    ]);
  });

  it('changes a key field by field; null removes a field', async () => {
    const added = (await add({ key: 'PORT', description: 'Where it listens', pattern: '[0-9]+' })).body.templateKey;
    const path = `${base}/PORT`;

    const eased = await api.patch(path, { required: false, pattern: '[0-9]{1,5}' }, owner.session);
    const bare = await api.patch(path, { description: null, pattern: null }, owner.session);

    expect(eased.body.templateKey).toEqual({ ...added, required: false, pattern: '[0-9]{1,5}' });
    expect(bare.body.templateKey).toEqual({ key: 'PORT', required: false, createdAt: added.createdAt });
    expect((await api.get(base, viewer.session)).body.keys).toEqual([bare.body.templateKey]);
    const log = `/audit/${owner.organization.id}?action=template_key.updated`;
    const { entries } = (await api.get(`${log}&limit=2`, owner.session)).body;
    expect(entries.map(({ details }: { details: unknown }) => details)).toEqual([
      { description: { from: 'Where it listens', to: null }, pattern: { from: '[0-9]{1,5}', to: null } },
      { required: { from: true, to: false }, pattern: { from: '[0-9]+', to: '[0-9]{1,5}' } },
    ]);
  });

  it('rejects a change that is empty, has an unknown field or an invalid RE2 pattern, or names an undeclared key', async () => {
    await add({ key: 'PORT' });
    const change = (key: string, body: object) => api.patch(`${base}/${key}`, body, owner.session);

    const answers = await Promise.all([
      change('PORT', {}),
      change('PORT', { key: 'OTHER' }),
      change('PORT', { pattern: '(' }),
      change('HOST', { required: false }),
    ]);
    const same = await change('PORT', { required: true, pattern: null });

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [400, 'invalid_request'],
      [400, 'invalid_request'],
      [400, 'invalid_request'],
      [404, 'template_key_not_found'],
    ]);
    expect(same.status).toBe(200);
    const { entries } = (await api.get(`/audit/${owner.organization.id}?limit=1`, owner.session)).body;
    expect(entries[0].action).toBe('template_key.added');
  });

  it('keeps every field of concurrent changes', async () => {
    await add({ key: 'PORT' });
    const changes = [{ required: false }, { description: 'Where it listens' }, { pattern: '[0-9]+' }];

    const answers = await Promise.all(changes.map(body => api.patch(`${base}/PORT`, body, owner.session)));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [key] = (await api.get(base, owner.session)).body.keys;
    expect(key).toMatchObject({ ...changes[0], ...changes[1], ...changes[2] });
    // The last of them saw all the others.
    expect(answers.map(({ body }) => body.templateKey)).toContainEqual(key);
  });

  it('is managed only by owners and admins', async () => {
    expect((await add({ key: 'A' }, developer.session)).status).toBe(403);
    expect((await api.patch(`${base}/A`, { required: false }, developer.session)).status).toBe(403);
    expect((await api.delete(`${base}/A`, developer.session)).status).toBe(403);
    expect((await api.get(base, developer.session)).body).toEqual({ keys: [] });
  });

  it('rejects patterns that are invalid RE2 or too large', async () => {
    for (const pattern of ['(', '(a)\\1', '(?=a)', 'a{1001}', '(a?){1000}(a{1,1000})']) {
      const answer = await add({ key: 'A', pattern });
      expect([pattern, answer.status, answer.body.error.details?.[0]?.path]).toEqual([pattern, 400, 'pattern']);
    }
    expect((await add({ key: 'A', pattern: '(a+)+$' })).status).toBe(201);
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
    expect(await validate('production', viewer.session)).toMatchObject({
      valid: true,
      present: ['HOST'],
      undeclared: null,
    });
    expect(await validate('production')).toMatchObject({ undeclared: ['LEGACY'] });
    const answer = await api.get(`${base}/validate/nope`, viewer.session);
    expect(answer.body.error.code).toBe('environment_not_found');
  });

  it('writes an audit entry if values were decrypted for patterns, and none otherwise', async () => {
    const entries = async () =>
      (
        await api.get(`/audit/${owner.organization.id}?action=environment.validated`, owner.session)
      ).body.entries.filter(({ target }: { target: { id: string } }) => target.id === place.project.id);
    await add({ key: 'HOST', pattern: '.*' });
    await add({ key: 'NAME' });
    await place.set('dev', 'NAME', 'n');
    await validate('dev');
    expect(await entries()).toEqual([]);
    await place.set('dev', 'HOST', 'h');
    await validate('dev');
    expect(await entries()).toEqual([
      expect.objectContaining({
        action: 'environment.validated',
        environment: expect.objectContaining({ slug: 'dev' }),
        keys: ['HOST'],
      }),
    ]);
  });
});
