import { describe, expect, it } from 'vitest';
import { type Environment, Holdfast, RevisionMismatch } from '#clients/sdk/src/index.ts';
import { createProject, createToken, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';

let place: [string, string];

const api = shared(startApi);
const ada = shared(() => seedPerson({ name: 'Ada' }));
const client = shared(async () => new Holdfast({ url: api.url, ...(await createToken(api, ada)) }));

/** A new project’s environments, all at revision 0. */
async function begin(): Promise<{ dev: Environment; staging: Environment }> {
  const { slug } = await createProject(api, ada, `p${crypto.randomUUID().slice(0, 8)}`);
  place = [ada.organization.slug, slug];
  return { dev: client.environment(...place, 'dev'), staging: client.environment(...place, 'staging') };
}

/** A client that loses the response to its first change after the service applied it. */
async function lossyClient(): Promise<Holdfast> {
  let lost = false;
  return new Holdfast({
    url: api.url,
    ...(await createToken(api, ada)),
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (lost || init?.method === 'GET' || new Request(input).url.includes('dryRun')) return response;
      lost = true;
      throw new TypeError('terminated');
    },
  });
}

describe('the SDK with revisions, against the service', () => {
  it('plans a change and applies exactly that', async () => {
    const { dev } = await begin();
    await dev.import({ A: '1', B: '1', C: '1' });
    const plan = await dev.plan({ set: { A: '2', C: '1', D: '4' }, delete: ['B'], message: 'a mixture' });
    expect({ ...plan }).toEqual({
      created: ['D'],
      updated: ['A'],
      unchanged: ['C'],
      deleted: ['B'],
      skipped: [],
      revision: 1,
    });
    expect((await dev.pull()).revision).toBe(1);
    expect(await plan.apply()).toMatchObject({ created: ['D'], updated: ['A'], deleted: ['B'], revision: 2 });
    expect({ ...(await dev.pull()).toObject() }).toEqual({ A: '2', C: '1', D: '4' });
    await expect(plan.apply()).rejects.toThrow(RevisionMismatch);
    expect((await dev.revisions({ limit: 1 })).revisions).toMatchObject([{ revision: 2, message: 'a mixture' }]);
  });

  it('rejects an empty plan and one that deletes a missing key', async () => {
    const { dev } = await begin();
    await expect(dev.plan({})).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(dev.plan({ delete: ['A'] })).rejects.toMatchObject({ code: 'secret_not_found' });
  });

  it('reads and lists any revision', async () => {
    const { dev } = await begin();
    await dev.import({ A: '1', B: '1' }, { message: 'begin' });
    await dev.set('A', '2', { message: 'raise' });
    await dev.delete(['B'], { message: 'drop' });
    expect({ ...(await dev.pull({ revision: 1 })).toObject() }).toEqual({ A: '1', B: '1' });
    expect((await dev.keys({ revision: 1 })).keys.map(({ key }) => key)).toEqual(['A', 'B']);
    expect((await dev.pull({ keys: ['A'] })).keys()).toEqual(['A']);
    await expect(dev.pull({ keys: ['B'] })).rejects.toMatchObject({ code: 'secret_not_found' });
    await expect(dev.pull({ revision: 9 })).rejects.toMatchObject({ code: 'revision_not_found' });
    const page = await dev.revisions({ limit: 2 });
    expect(page.revisions.map(({ message }) => message)).toEqual(['drop', 'raise']);
    const rest = await dev.revisions({ before: page.next as number });
    expect(rest.revisions).toMatchObject([{ revision: 1, message: 'begin', created: ['A', 'B'] }]);
    expect(rest.next).toBeNull();
  });

  it('reports what changed and what differs', async () => {
    const { dev, staging } = await begin();
    await dev.import({ A: '1', B: '1' });
    await dev.set('A', '2');
    await dev.delete(['B']);
    await staging.import({ A: '1', S: '1' });
    expect(await dev.diff(1)).toEqual({
      from: 1,
      to: 3,
      created: [],
      updated: [{ key: 'A' }],
      deleted: [{ key: 'B' }],
    });
    expect((await dev.diff(1, 2, { values: true })).updated).toEqual([{ key: 'A', before: '1', after: '2' }]);
    expect(await dev.compare('staging')).toEqual({
      from: { slug: 'dev', revision: 3 },
      to: { slug: 'staging', revision: 1 },
      onlyFrom: [],
      onlyTo: [{ key: 'S' }],
      different: [{ key: 'A' }],
      same: [],
    });
    expect((await dev.compare('staging', { values: true })).different).toEqual([{ key: 'A', from: '2', to: '1' }]);
  });

  it('restores, directly or after a look at the plan', async () => {
    const { dev } = await begin();
    await dev.import({ A: '1', B: '1' });
    await dev.import({ A: '2', C: '3' });
    const plan = await dev.planRestore(1, { message: 'back' });
    expect(plan).toMatchObject({ updated: ['A'], deleted: ['C'], unchanged: ['B'], revision: 2 });
    expect(await plan.apply()).toMatchObject({ updated: ['A'], deleted: ['C'], restored: 1, revision: 3 });
    expect({ ...(await dev.pull()).toObject() }).toEqual({ A: '1', B: '1' });
    expect(await dev.restore(2, { keys: ['C'] })).toMatchObject({ created: ['C'], restored: 2, revision: 4 });
  });

  it('plans a promotion', async () => {
    const { dev, staging } = await begin();
    await dev.import({ A: '1', B: '1' });
    await staging.set('B', 'kept');
    const plan = await client.project(...place).planPromote({ from: 'dev', to: 'staging', overwrite: false });
    expect(plan).toMatchObject({ created: ['A'], skipped: ['B'], revision: 1 });
    expect(await plan.apply()).toMatchObject({ promoted: ['A'], skipped: ['B'], revision: 2 });
  });

  it('finds its own change after a lost response, where only the service knows the values', async () => {
    const { dev } = await begin();
    await dev.import({ A: '1', B: '1' });
    const lossyDev = async () => (await lossyClient()).environment(...place, 'dev');
    expect(await (await lossyDev()).importDotenv('A=2', { ifRevision: 1 })).toMatchObject({
      unchanged: ['A'],
      revision: 2,
    });
    expect(await (await lossyDev()).restore(1, { ifRevision: 2 })).toMatchObject({ restored: 1, revision: 3 });
    const promotion = { from: 'dev', to: 'staging', ifRevision: 0 };
    expect(await (await lossyClient()).project(...place).promote(promotion)).toMatchObject({
      unchanged: ['A', 'B'],
      revision: 1,
    });
    const plan = await (await lossyDev()).plan({ set: { A: '9' }, delete: ['B'] });
    expect(await plan.apply()).toMatchObject({ unchanged: ['A'], deleted: ['B'], revision: 4 });
  });
});
