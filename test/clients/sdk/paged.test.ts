import { beforeAll, describe, expect, it } from 'vitest';
import { type Environment, Holdfast, HoldfastError } from '#clients/sdk/src/index.ts';
import { createProject, createToken, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';

let client: Holdfast;
let environment: Environment;
let path: { orgSlug: string; project: string; env: string };
let requestCount = 0;
const api = shared(startApi);
const ada = shared(() => seedPerson({ name: 'Ada', isAdmin: true }));
beforeAll(async () => {
  const project = await createProject(api, ada);
  const counting: typeof fetch = (input, init) => {
    requestCount += 1;
    return fetch(input, init);
  };
  client = new Holdfast({ url: api.url, ...(await createToken(api, ada)), fetch: counting });
  path = { orgSlug: ada.organization.slug, project: project.slug, env: 'dev' };
  environment = client.environment(path.orgSlug, path.project, path.env);
  for (const value of ['1', '2', '3', '4', '5']) await environment.set('A', value);
  await environment.import({ B: 'b', C: 'c', D: 'd', E: 'e' });
});

/** All items, and the number of requests. The first is sent when the list is created. */
async function collect<T, R>(start: () => AsyncIterable<T>, pick: (item: T) => R): Promise<[R[], number]> {
  const earlier = requestCount;
  const items: R[] = [];
  for await (const item of start()) items.push(pick(item));
  return [items, requestCount - earlier];
}

describe('a list of the SDK', () => {
  it('is one page if awaited', async () => {
    const page = await environment.keys({ limit: 2 });
    expect([page.keys.map(({ key }) => key), page.pagination?.total]).toEqual([['A', 'B'], 5]);
  });

  it('iterates over all keys, versions, revisions and values page by page', async () => {
    const keysIn = (options = {}) =>
      collect(
        () => environment.keys(options),
        ({ key }) => key,
      );
    expect(await keysIn({ limit: 2 })).toEqual([[...'ABCDE'], 3]);
    expect(await keysIn()).toEqual([[...'ABCDE'], 1]);
    expect(await keysIn({ limit: 2, offset: 3 })).toEqual([['D', 'E'], 1]);
    const versions = () => environment.history('A', { limit: 2, values: true });
    expect(await collect(versions, ({ value }) => value)).toEqual([['5', '4', '3', '2', '1'], 3]);
    const revisions = () => environment.revisions({ limit: 4 });
    expect(await collect(revisions, ({ revision }) => revision)).toEqual([[6, 5, 4, 3, 2, 1], 2]);
    const secrets = () => client.list('/v1/secrets/{orgSlug}/{project}/{env}', { path, query: { limit: 2 } });
    expect(await collect(secrets, ({ value }) => value)).toEqual([['5', 'b', 'c', 'd', 'e'], 3]);
  });

  it('iterates over the audit log and every organization', async () => {
    const query = { limit: 2, action: 'secret.updated' } as const;
    const audit = () => client.list('/v1/audit/{orgId}', { path: { orgId: ada.organization.id }, query });
    const [entries, requests] = await collect(audit, ({ action }) => action);
    expect([entries, requests]).toEqual([Array(4).fill('secret.updated'), 2]);
    const search = ada.organization.slug;
    const organizations = () => client.list('/v1/admin/orgs', { query: { limit: 1, search } });
    expect(await collect(organizations, ({ slug }) => slug)).toEqual([[ada.organization.slug], 1]);
  });

  it('fetches only the pages that are needed', async () => {
    const before = requestCount;
    for await (const { key } of environment.keys({ limit: 2 })) if (key === 'B') break;
    expect(requestCount - before).toBe(1);
  });

  it('reads all pages of secrets at the revision of the first one', async () => {
    const other = client.environment(path.orgSlug, path.project, 'staging');
    await other.import({ A: '1', B: '1', C: '1', D: '1' });
    const keys: string[] = [];
    for await (const { key } of other.keys({ limit: 2 })) {
      keys.push(key);
      if (key === 'A') await other.delete(['A', 'B']);
    }
    expect(keys).toEqual([...'ABCD']);
  });

  it('repeats no version that a concurrent write moves to the next page', async () => {
    const other = client.environment(path.orgSlug, path.project, 'staging');
    for (const value of ['1', '2', '3', '4']) await other.set('MOVED', value);
    const versions: number[] = [];
    for await (const { version } of other.history('MOVED', { limit: 2 })) {
      versions.push(version);
      if (version === 4) await other.set('MOVED', '5');
    }
    expect(versions).toEqual([4, 3, 2, 1]);
  });

  it('throws the service’s errors, on the first page and on later ones', async () => {
    const missing = () => client.environment(path.orgSlug, path.project, 'nowhere').keys();
    await expect(collect(missing, ({ key }) => key)).rejects.toMatchObject({ status: 404 });
    const deep = { limit: 1, offset: 10_001 };
    const audit = () => client.list('/v1/audit/{orgId}', { path: { orgId: ada.organization.id }, query: deep });
    await expect(collect(audit, ({ id }) => id)).rejects.toThrow(HoldfastError);
  });

  it('is only for paginated paths', async () => {
    // @ts-expect-error: not a list
    const user = () => client.list('/v1/auth/me');
    // @ts-expect-error: returned whole
    const members = () => client.list('/v1/members/{orgId}');
    await expect(collect(user, item => item)).resolves.toBeDefined();
    await expect(collect(members, item => item)).rejects.toThrow(TypeError);
  });
});
