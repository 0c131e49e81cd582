import { describe, expect, it } from 'vitest';
import { type Api, createProject, createToken, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';

const api = shared(startApi);
const owner = shared(() => seedPerson({ name: 'Owner' }));
const stranger = shared(() => seedPerson({ name: 'Stranger' }));

function expectErrorShape(answer: Awaited<ReturnType<Api['call']>>, status: number, code: string) {
  expect(answer.status).toBe(status);
  expect(answer.body).toEqual({
    error: {
      code,
      message: expect.any(String),
      requestId: answer.headers.get('x-request-id'),
      ...(answer.body.error.details === undefined ? {} : { details: answer.body.error.details }),
    },
  });
}

describe('the conventions of every endpoint', () => {
  it('returns 401 without a credential, before parsing the request', async () => {
    expectErrorShape(await api.get(`/projects/${owner.organization.id}`), 401, 'unauthenticated');
    expectErrorShape(await api.post(`/projects/${owner.organization.id}`, 'not json'), 401, 'unauthenticated');
  });

  it('rejects a malformed bearer token, and does not fall back to the cookie', async () => {
    const headers = { authorization: 'Bearer service_tok_junk' };
    expectErrorShape(await api.get('/auth/me', owner.session, headers), 401, 'unauthenticated');
    expectErrorShape(await api.get('/auth/me', owner.session, { authorization: 'Basic eDp5' }), 401, 'unauthenticated');
  });

  it('responds to non-members as if the organization did not exist', async () => {
    const real = await api.get(`/projects/${owner.organization.id}`, stranger.session);
    const invented = await api.get('/projects/00000000-0000-4000-8000-000000000000', stranger.session);
    const malformed = await api.get('/projects/not-an-id', stranger.session);
    for (const answer of [real, invented, malformed]) expectErrorShape(answer, 404, 'organization_not_found');
    expect(real.body.error.message).toBe(invented.body.error.message);
  });

  it('gives non-members the same response for an invalid body', async () => {
    const answer = await api.post(`/projects/${owner.organization.id}`, { nonsense: true }, stranger.session);
    expectErrorShape(answer, 404, 'organization_not_found');
  });

  it('requires the CSRF header for changes with the cookie, and for nothing else', async () => {
    const path = `/projects/${owner.organization.id}`;
    const cookie = { cookie: owner.session.cookie };
    expectErrorShape(
      await api.call('POST', path, { body: { name: 'A' }, headers: cookie }),
      403,
      'csrf_header_required',
    );
    const other = { ...cookie, 'x-requested-with': 'XMLHttpRequest' };
    expectErrorShape(
      await api.call('POST', path, { body: { name: 'A' }, headers: other }),
      403,
      'csrf_header_required',
    );
    expect((await api.call('GET', path, { headers: cookie })).status).toBe(200);
    const token = await createToken(api, owner);
    expect((await api.post(path, { name: 'By token' }, token)).status).toBe(201);
  });

  it('reports all problems of a body at once', async () => {
    const answer = await api.post(
      `/projects/${owner.organization.id}`,
      { name: '', slug: 'No Slug', colour: 'red' },
      owner.session,
    );
    expectErrorShape(answer, 400, 'invalid_request');
    const paths = answer.body.error.details.map((problem: { path: string }) => problem.path);
    expect(paths.toSorted()).toEqual(['colour', 'name', 'slug']);
  });

  it('reports the problems of query, headers and body together, including duplicate members', async () => {
    const project = await createProject(api, owner, 'Together');
    const path = `/secrets/${owner.organization.slug}/${project.slug}/dev`;
    const set = await api.put(path, '{"key":"1","key":"2","value":"","more":1}', owner.session, { 'if-match': 'bad' });
    const paths = set.body.error.details.map((problem: { path: string }) => problem.path);
    expect(paths.toSorted()).toEqual(['if-match', 'key', 'key', 'more']);
    const pull = await api.get(`${path}?limit=0&search=`, owner.session, { 'if-none-match': 'bad' });
    expect(pull.body.error.details.map((problem: { path: string }) => problem.path).toSorted()).toEqual([
      'if-none-match',
      'limit',
      'search',
    ]);
    const entry = await api.post(`${path}/bulk`, { secrets: [{ key: 'A', value: 'x', zz: 1 }] }, owner.session);
    expect(entry.body.error.details).toEqual([{ path: 'secrets.0.zz', message: 'is not a known field' }]);
  });

  it('rejects unknown query parameters on every endpoint, and changes nothing', async () => {
    const project = await createProject(api, owner, 'Misspelt');
    const path = `/secrets/${owner.organization.slug}/${project.slug}/dev`;
    const set = await api.put(`${path}?dryrun=true`, { key: 'A', value: 'x' }, owner.session);
    expectErrorShape(set, 400, 'invalid_request');
    expect(set.body.error.details).toEqual([{ path: 'dryrun', message: 'is not a known field' }]);
    const list = await api.get(`${path}/keys?limt=1`, owner.session);
    expect(list.body.error.details).toEqual([{ path: 'limt', message: 'is not a known field' }]);
    expect((await api.get(`${path}/keys`, owner.session)).body.keys).toEqual([]);
  });

  it('points out a malformed id, or a slug in place of an id', async () => {
    const slug = await api.get(`/projects/${owner.organization.slug}`, owner.session);
    expectErrorShape(slug, 404, 'organization_not_found');
    expect(slug.body.error.message).toBe(
      'There is no such organization: `orgId` must be its id, a UUID, and this looks like its slug.',
    );
    const malformed = await api.get('/projects/Not_An_Id', owner.session);
    expectErrorShape(malformed, 404, 'organization_not_found');
    expect(malformed.body.error.message).toBe(
      'There is no such organization: `orgId` is not a well-formed id, which is a UUID.',
    );
  });

  it('points out an id in place of a slug', async () => {
    const project = await createProject(api, owner, 'Named by its id');
    const messageOf = async (path: string) => (await api.get(path, owner.session)).body.error;
    const { id, slug } = owner.organization;
    expect(await messageOf(`/secrets/${id}/${project.slug}/dev`)).toMatchObject({
      code: 'organization_not_found',
      message: 'There is no such organization: `orgSlug` must be its slug, and this looks like its id.',
    });
    expect(await messageOf(`/secrets/${slug}/${project.id}/dev`)).toMatchObject({
      code: 'project_not_found',
      message: 'There is no such project: `project` must be its slug, and this looks like its id.',
    });
    expect(await messageOf(`/projects/${id}/${project.id}`)).toMatchObject({
      code: 'project_not_found',
      message: 'There is no such project: `slug` must be its slug, and this looks like its id.',
    });
    expect(await messageOf(`/secrets/${slug}/${project.slug}/${project.id}`)).toMatchObject({
      code: 'environment_not_found',
      message: 'There is no such environment: `env` must be its slug, and this looks like its id.',
    });
  });

  it('rejects malformed JSON, a missing body, a wrong media type and an unpaired surrogate', async () => {
    const path = `/projects/${owner.organization.id}`;
    expectErrorShape(await api.post(path, '{"name": ', owner.session), 400, 'invalid_request');
    expectErrorShape(await api.call('POST', path, { as: owner.session }), 400, 'invalid_request');
    expectErrorShape(
      await api.post(path, '{"name":"A"}', owner.session, { 'content-type': 'text/plain' }),
      415,
      'unsupported_media_type',
    );
    const latin = { 'content-type': 'application/json; charset=latin1' };
    expectErrorShape(await api.post(path, '{"name":"A"}', owner.session, latin), 415, 'unsupported_media_type');
    expectErrorShape(await api.post(path, '{"name":"\\ud800"}', owner.session), 400, 'invalid_request');
    expectErrorShape(await api.post(path, '{"name":"A","name":"B"}', owner.session), 400, 'invalid_request');
  });

  it('returns the usual error shape for unknown routes, wrong methods and invalid escapes', async () => {
    expectErrorShape(await api.get('/nothing/here', owner.session), 404, 'route_not_found');
    expectErrorShape(await api.put('/auth/me', {}, owner.session), 404, 'route_not_found');
    expectErrorShape(await api.get('/projects/%zz', owner.session), 404, 'route_not_found');
  });

  it('matches the path before decoding it, so an escaped slash never splits a segment', async () => {
    const project = await createProject(api, owner, 'Escapes');
    const escaped = await api.get(`/projects/${owner.organization.id}%2F${project.slug}`, owner.session);
    expectErrorShape(escaped, 404, 'organization_not_found');
  });

  it('never lets a response be cached, and always includes the request id', async () => {
    const answer = await api.get('/auth/me', owner.session);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });
});
