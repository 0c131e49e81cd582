import { describe, expect, it } from 'vitest';
import {
  type Environment,
  Holdfast,
  type HoldfastOptions,
  proposals,
  RevisionMismatch,
} from '#clients/sdk/src/index.ts';
import { createProject, createToken, startApi } from '#test/support/api.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';

const api = shared(startApi);
const ada = fresh(() => seedPerson({ name: 'Ada' }));
const project = fresh(() => createProject(api, ada));
const clientFor = async (scope: Record<string, unknown> = {}, options: Partial<HoldfastOptions> = {}) =>
  new Holdfast({ url: api.url, ...(await createToken(api, ada, scope)), ...options });
const client = fresh(() => clientFor());

const environmentOf = (slug: string, by = client): Environment =>
  by.environment(ada.organization.slug, project.slug, slug);

const pathOf = ({ slug }: Environment) => ({ orgSlug: ada.organization.slug, project: project.slug, env: slug });

/** A new environment, so that each test starts at revision 0. */
async function newEnvironment(): Promise<Environment> {
  const { environment } = await client.request('POST', '/v1/projects/{orgId}/{slug}/environments', {
    path: { orgId: ada.organization.id, slug: project.slug },
    body: { name: `e${crypto.randomUUID().slice(0, 8)}`, type: 'development' },
  });
  return environmentOf(environment.slug);
}

const nasty = {
  EMPTY: '',
  QUOTES: `"'\`$HOME \\n \\`,
  LINES: 'a\r\nb\n\u2028c\u0000',
  UNICODE: '🙂 e\u0301 \ufeff',
  __PROTO: 'x',
};

describe('the SDK against the service', () => {
  it('sets, pulls, lists, imports and deletes', async () => {
    const environment = await newEnvironment();
    const first = await environment.set('A', '1');
    expect(first).toMatchObject({ secret: { key: 'A', version: 1 }, changed: true, revision: 1 });
    const imported = await environment.import(nasty);
    expect([imported.created.toSorted(), imported.revision]).toEqual([Object.keys(nasty).toSorted(), 2]);
    expect(await environment.importDotenv('export A=1\nB="two\\nlines" # said\n')).toEqual({
      created: ['B'],
      updated: [],
      unchanged: ['A'],
      revision: 3,
      ambiguous: [expect.objectContaining({ key: 'B', line: 2 })],
    });
    const snapshot = await environment.pull();
    expect(snapshot.revision).toBe(3);
    expect({ ...snapshot.toObject() }).toEqual({ A: '1', B: 'two\nlines', ...nasty });
    expect(snapshot.keys()).toEqual(Object.keys({ A: '1', B: '', ...nasty }).toSorted());

    const { keys, revision } = await environment.keys();
    expect([keys.map(({ key }) => key), revision]).toEqual([snapshot.keys(), 3]);

    expect(await environment.delete(['A'])).toEqual({ deleted: ['A'], notFound: [], revision: 4 });
    expect(await environment.delete(['B', 'EMPTY', 'NOT_THERE'])).toEqual({
      deleted: ['B', 'EMPTY'],
      notFound: ['NOT_THERE'],
      revision: 5,
    });
    await expect(environment.delete(['A'])).rejects.toMatchObject({ code: 'secret_not_found' });
    expect((await environment.pull()).has('A')).toBe(false);
  });

  it('imports dotenv text as the tool of its dialect reads it, and lists what tools read differently otherwise', async () => {
    const environment = await newEnvironment();
    const text = 'A=v#f\nB=$A\n';
    const asIs = await environment.importDotenv(text);
    expect(asIs.ambiguous?.map(({ line, key }) => [line, key])).toEqual([
      [1, 'A'],
      [2, 'B'],
    ]);
    expect({ ...(await environment.pull()).toObject() }).toEqual({ A: 'v#f', B: '$A' });
    const node = await environment.importDotenv(text, { dialect: 'node' });
    expect([node.updated, node.ambiguous]).toEqual([['A'], undefined]);
    await environment.importDotenv(text, { dialect: 'sh' });
    expect({ ...(await environment.pull()).toObject() }).toEqual({ A: 'v#f', B: 'v#f' });
    await expect(environment.importDotenv(text, { dialect: 'strict' })).rejects.toMatchObject({
      code: 'invalid_request',
      status: 400,
    });
  });

  it('lets the service generate values, alone, in a plan and in a proposal, also with a token for names only', async () => {
    const { slug } = await newEnvironment();
    const names = environmentOf(slug, await clientFor({ access: 'names' }));
    expect(await names.generate('A', { length: 12, alphabet: '0123456789', message: 'why' })).toMatchObject({
      secret: { key: 'A', version: 1 },
      changed: true,
    });
    expect(await names.generate('A', { ifVersion: 1 })).toMatchObject({ secret: { version: 2 } });
    await expect(names.generate('A', { ifVersion: 1 })).rejects.toMatchObject({ code: 'version_mismatch' });
    const plan = await names.plan({ set: { B: { generate: { length: 20 } } } });
    expect([plan.created, plan.updated]).toEqual([['B'], []]);
    await plan.apply();
    const { proposal } = await proposals(client, names).propose({ set: { C: { generate: {} }, D: 'given' } });
    expect(proposal).toMatchObject({ created: ['C', 'D'], generated: ['C'] });

    const { A, B } = (await environmentOf(slug).pull()).toObject();
    expect([A?.length, B?.length]).toEqual([32, 20]);
    await expect(names.pull()).rejects.toMatchObject({ code: 'insufficient_scope' });
    await expect(names.set('A', 'given')).rejects.toMatchObject({ code: 'insufficient_scope' });
  });

  it('gets a 304 for a known revision', async () => {
    const environment = await newEnvironment();
    await environment.set('A', '1');
    const statuses: number[] = [];
    const counting: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      statuses.push(response.status);
      return response;
    };
    const again = environmentOf(environment.slug, await clientFor({}, { fetch: counting }));
    const read = async () => (await again.pull()).get('A');
    expect([await read(), await read()]).toEqual(['1', '1']);
    await environment.set('A', '2');
    expect(await read()).toBe('2');
    expect(statuses).toEqual([200, 304, 200]);
  });

  it('returns the history of a key', async () => {
    const environment = await newEnvironment();
    await environment.set('A', '1');
    await environment.set('A', '2');
    await environment.delete(['A']);
    const { versions } = await environment.history('A', { values: true });
    expect(versions.map(({ version, deleted, value }) => ({ version, deleted, value }))).toEqual([
      { version: 3, deleted: true, value: undefined },
      { version: 2, deleted: false, value: '2' },
      { version: 1, deleted: false, value: '1' },
    ]);
    const page = await environment.history('A', { limit: 1, offset: 1 });
    expect(page.versions.map(({ version, value }) => [version, value])).toEqual([[2, undefined]]);
  });

  it('promotes between environments of a project', async () => {
    const [from, to] = [await newEnvironment(), await newEnvironment()];
    await from.import({ A: '1', B: '1' });
    await to.set('B', 'kept');
    const promotion = { from: from.slug, to: to.slug };
    const place = client.project(ada.organization.slug, project.slug);
    expect(await place.promote({ ...promotion, overwrite: false, ifRevision: 1 })).toEqual({
      promoted: ['A'],
      skipped: ['B'],
      unchanged: [],
      revision: 2,
    });
    expect(await place.promote({ ...promotion, keys: ['B'] })).toMatchObject({ promoted: ['B'], revision: 3 });
    await expect(place.promote({ ...promotion, ifRevision: 1 })).rejects.toThrow(RevisionMismatch);
  });

  it('validates an environment against the template', async () => {
    const environment = await newEnvironment();
    const path = { orgSlug: ada.organization.slug, project: project.slug };
    await client.request('POST', '/v1/templates/{orgSlug}/{project}', { path, body: { key: 'NEEDED' } });
    expect(await environment.validate()).toMatchObject({ valid: false, missing: ['NEEDED'] });
    await environment.set('NEEDED', 'x');
    expect(await environment.validate()).toMatchObject({ valid: true, present: ['NEEDED'] });
  });

  it('watches an environment', async () => {
    const environment = await newEnvironment();
    const seen: (string | undefined)[] = [];
    for await (const snapshot of environment.watch({ intervalMs: 20 })) {
      seen.push(snapshot.get('A'));
      if (seen.length === 3) break;
      const body = { key: 'A', value: String(seen.length) };
      await client.request('PUT', '/v1/secrets/{orgSlug}/{project}/{env}', { path: pathOf(environment), body });
    }
    expect(seen).toEqual([undefined, '1', '2']);
  });

  it('can call every other operation, with its parameters, body and condition', async () => {
    const environment = await newEnvironment();
    const me = await client.request('GET', '/v1/auth/me');
    expect(me).toMatchObject({ user: { email: ada.email }, authentication: { method: 'token' } });
    const log = await client.request('GET', '/v1/audit/{orgId}', {
      path: { orgId: ada.organization.id },
      query: { limit: 1, action: 'environment.created' },
    });
    expect(log.entries.map(({ environment: place }) => place?.slug)).toEqual([environment.slug]);
    const change = { path: pathOf(environment), body: { key: 'A', value: '1' }, ifRevision: 7 };
    const set = client.request('PUT', '/v1/secrets/{orgSlug}/{project}/{env}', change);
    await expect(set).rejects.toThrow(RevisionMismatch);
  });
});

describe('a token', () => {
  it('for one environment reads only that one', async () => {
    const environment = await newEnvironment();
    await environment.set('A', '1');
    const answer = await api.get(`/projects/${ada.organization.id}/${project.slug}`, ada.session);
    const { id } = answer.body.project.environments.find((one: { slug: string }) => one.slug === environment.slug);
    const scope = { access: 'read', organizationId: ada.organization.id, projectId: project.id, environmentId: id };
    const limited = await clientFor(scope);
    expect((await environmentOf(environment.slug, limited).pull()).get('A')).toBe('1');
    await expect(environmentOf('dev', limited).pull()).rejects.toMatchObject({ code: 'environment_not_found' });
    await expect(environmentOf(environment.slug, limited).set('A', '2')).rejects.toMatchObject({
      code: 'insufficient_scope',
      outcomeUnknown: false,
    });
  });

  it('that was revoked gets nothing more, not even from memory', async () => {
    const environment = await newEnvironment();
    await environment.set('A', '1');
    const made = await api.post('/auth/token', { name: 'brief', access: 'read' }, ada.session);
    const brief = new Holdfast({ url: api.url, token: made.body.token, staleIfErrorMs: 60_000 });
    const watched = environmentOf(environment.slug, brief);
    await watched.pull();
    await api.delete(`/auth/tokens/${made.body.cliToken.id}`, ada.session);
    await expect(watched.pull()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
  });
});
