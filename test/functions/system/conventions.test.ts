import { describe, expect, it } from 'vitest';
import { type Answer, createProject, createToken, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';

const api = shared(startApi);
const owner = shared(() => seedPerson({ name: 'Owner' }));
const stranger = shared(() => seedPerson({ name: 'Stranger' }));
const projects = () => `/projects/${owner.organization.id}`;
const post = (body: unknown, headers = {}) => api.post(projects(), body, owner.session, headers);
const pathsOf = ({ body }: Answer): string[] =>
  body.error.details.map((problem: { path: string }) => problem.path).toSorted();

async function createDev(name: string): Promise<string> {
  const { slug } = await createProject(api, owner, name);
  return `/secrets/${owner.organization.slug}/${slug}/dev`;
}

function expectErrorShape(answer: Answer, status: number, code: string) {
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
    expectErrorShape(await api.get(projects()), 401, 'unauthenticated');
    expectErrorShape(await api.post(projects(), 'not json'), 401, 'unauthenticated');
  });

  it('rejects a malformed bearer token, and does not fall back to the cookie', async () => {
    const headers = { authorization: 'Bearer service_tok_junk' };
    expectErrorShape(await api.get('/auth/me', owner.session, headers), 401, 'unauthenticated');
    expectErrorShape(await api.get('/auth/me', owner.session, { authorization: 'Basic eDp5' }), 401, 'unauthenticated');
  });

  it('responds to non-members as if the organization did not exist', async () => {
    const real = await api.get(projects(), stranger.session);
    const invented = await api.get('/projects/00000000-0000-4000-8000-000000000000', stranger.session);
    const malformed = await api.get('/projects/not-an-id', stranger.session);
    for (const answer of [real, invented, malformed]) expectErrorShape(answer, 404, 'organization_not_found');
    expect(real.body.error.message).toBe(invented.body.error.message);
  });

  it('gives non-members the same response for an invalid body', async () => {
    const answer = await api.post(projects(), { nonsense: true }, stranger.session);
    expectErrorShape(answer, 404, 'organization_not_found');
  });

  it('requires the CSRF header for changes with the cookie, and for nothing else', async () => {
    const path = projects();
    const cookie = { cookie: owner.session.cookie };
    for (const headers of [cookie, { ...cookie, 'x-requested-with': 'XMLHttpRequest' }]) {
      const answer = await api.call('POST', path, { body: { name: 'A' }, headers });
      expectErrorShape(answer, 403, 'csrf_header_required');
    }
    expect((await api.call('GET', path, { headers: cookie })).status).toBe(200);
    const token = await createToken(api, owner);
    expect((await api.post(path, { name: 'By token' }, token)).status).toBe(201);
  });

  it('reports all problems of a body at once', async () => {
    const answer = await post({ name: '', slug: 'No Slug', colour: 'red' });
    expectErrorShape(answer, 400, 'invalid_request');
    expect(pathsOf(answer)).toEqual(['colour', 'name', 'slug']);
  });

  it('reports the problems of query, headers and body together, including duplicate members', async () => {
    const path = await createDev('Together');
    const set = await api.put(path, '{"key":"1","key":"2","value":"","more":1}', owner.session, { 'if-match': 'bad' });
    expect(pathsOf(set)).toEqual(['if-match', 'key', 'key', 'more']);
    const pull = await api.get(`${path}?limit=0&search=`, owner.session, { 'if-none-match': 'bad' });
    expect(pathsOf(pull)).toEqual(['if-none-match', 'limit', 'search']);
    const entry = await api.post(`${path}/bulk`, { secrets: [{ key: 'A', value: 'x', zz: 1 }] }, owner.session);
    expect(entry.body.error.details).toEqual([{ path: 'secrets.0.zz', message: 'is not a known field' }]);
  });

  it('rejects unknown query parameters on every endpoint, and changes nothing', async () => {
    const path = await createDev('Misspelt');
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
    const { id, slug } = owner.organization;
    const misnamed: [path: string, code: string, message: string][] = [
      [`/secrets/${id}/${project.slug}/dev`, 'organization', '`orgSlug` must be its slug'],
      [`/secrets/${slug}/${project.id}/dev`, 'project', '`project` must be its slug'],
      [`/projects/${id}/${project.id}`, 'project', '`slug` must be its slug'],
      [`/secrets/${slug}/${project.slug}/${project.id}`, 'environment', '`env` must be its slug'],
    ];
    for (const [path, kind, rule] of misnamed) {
      const message = `There is no such ${kind}: ${rule}, and this looks like its id.`;
      expect((await api.get(path, owner.session)).body.error).toMatchObject({ code: `${kind}_not_found`, message });
    }
  });

  it('rejects malformed JSON, a missing body, a wrong media type and an unpaired surrogate', async () => {
    const latin = { 'content-type': 'application/json; charset=latin1' };
    expectErrorShape(await api.call('POST', projects(), { as: owner.session }), 400, 'invalid_request');
    for (const body of ['{"name": ', '{"name":"\\ud800"}', '{"name":"A","name":"B"}'])
      expectErrorShape(await post(body), 400, 'invalid_request');
    for (const headers of [{ 'content-type': 'text/plain' }, latin])
      expectErrorShape(await post('{"name":"A"}', headers), 415, 'unsupported_media_type');
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
