import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { openLog } from '#lib/core/logger.ts';
import { deliver } from '#lib/deliveries/deliver.ts';
import { newEnvironment } from '#lib/secrets/engine/new-environment.ts';
import { at, find } from '#lib/table/read.ts';
import { environmentRecord } from '#lib/table/records/environment.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { deliveryClaimRecord } from '#lib/table/records/webhook.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, sessionOf, useApi } from '../support/api.ts';
import { createWhenFree } from '../support/create-when-free.ts';
import { deliveryMessage } from '../support/delivery-message.ts';
import { eventually } from '../support/eventually.ts';
import { noAnswer } from '../support/inject-faults.ts';
import { identityOf, makeSigningKey } from '../support/issuer.ts';
import { numbered } from '../support/numbered.ts';
import type { AwsCall } from '../support/observe-calls.ts';
import { startObservedApi, withFault } from '../support/observed-api.ts';
import { type Person, seedPerson, testPassword } from '../support/people.ts';
import { stalling } from '../support/stalling.ts';

const api = useApi(startObservedApi);
const isTransaction = ({ operation }: AwsCall) => operation.startsWith('TransactWrite');
const numberedTransaction = (number: number) => {
  let transactions = 0;
  return (call: AwsCall) => isTransaction(call) && ++transactions === number;
};

interface Organization {
  id: string;
  slug: string;
}

const createShop = async ({ id }: Organization, { session }: Person): Promise<{ id: string }> =>
  (await createWhenFree(api, `/projects/${id}`, { name: 'Shop', slug: 'shop' }, session)).project;

async function openShop(owner?: Person) {
  const person = owner ?? (await seedPerson());
  const organization = owner === undefined ? person.organization : await createOrganization(owner);
  await createShop(organization, person);
  const project = `/projects/${organization.id}/shop`;
  const dev = `/secrets/${organization.slug}/shop/dev`;
  return { owner: person, organization, session: person.session, project, dev };
}
type Shop = Awaited<ReturnType<typeof openShop>>;

async function createOrganization({ session }: Person): Promise<Organization> {
  const slug = `org-${randomUUID().slice(0, 13)}`;
  return (await createWhenFree(api, '/orgs', { name: 'Acme', slug }, session)).organization;
}

async function remakeShop({ organization, owner, project, session }: Shop): Promise<void> {
  expect((await api.delete(project, session)).status).toBe(200);
  await createShop(organization, owner);
}

async function remakeDev({ project, session }: Shop): Promise<void> {
  expect((await api.delete(`${project}/environments/dev`, session)).status).toBe(200);
  const body = { name: 'Development', slug: 'dev', type: 'staging' };
  await createWhenFree(api, `${project}/environments`, body, session);
}

/** Deletes the organization; `next` gets its slug. */
async function passOn({ id, slug }: Organization, owner: Person, next: Person): Promise<Organization> {
  expect((await api.delete(`/orgs/${id}`, owner.session)).status).toBe(200);
  return (await createWhenFree(api, '/orgs', { name: 'Another tenant', slug }, next.session)).organization;
}

const hook = { url: 'https://hooks.example.com/x', events: ['secret.created'] };
const secrets = numbered(120, 'old');

async function requireEmpty({ dev, session }: Shop): Promise<void> {
  const pulled = await api.get(dev, session);
  expect([pulled.status, pulled.body.secrets]).toEqual([200, []]);
  const set = await api.put(dev, { key: 'K0', value: 'new' }, session);
  expect([set.status, set.body.secret.version]).toEqual([201, 1]);
}

describe('a request that stalls until its environment was deleted and created again', () => {
  it.each([
    ['sets', { K0: 'old' }, 1],
    ['imports', secrets, 2],
  ])('%s nothing in the new one', async (_, secrets, transaction) => {
    const shop = await openShop();

    const answer = await stalling(
      numberedTransaction(transaction),
      headers => api.post(`${shop.dev}/bulk`, { secrets }, shop.session, headers),
      () => remakeDev(shop),
    );

    expect(codeOf(answer)).toBe('404 environment_not_found');
    await requireEmpty(shop);
  });

  it('reads nothing from the new one', async () => {
    const shop = await openShop();
    const { dev, session } = shop;
    await api.put(dev, { key: 'A', value: 'first' }, session);

    const answer = await stalling(
      // Between the state and the versions.
      ({ operation, input }) => operation.startsWith('Query') && JSON.stringify(input).includes('VERSION#A#'),
      headers => api.get(`${dev}/versions/A?values=true`, session, headers),
      async () => {
        await remakeDev(shop);
        await api.put(dev, { key: 'A', value: 'of the new one' }, session);
      },
    );

    expect(codeOf(answer)).toBe('404 environment_not_found');
  });

  it('destroys nothing', async () => {
    const { dev, project, session } = await openShop();
    for (const value of ['first', 'second']) await api.put(dev, { key: 'A', value }, session);

    const answer = await stalling(
      isTransaction,
      headers => api.post(`${dev}/versions/A/destroy`, { versions: [1] }, session, headers),
      () => api.delete(`${project}/environments/dev`, session),
    );

    expect(codeOf(answer)).toBe('404 environment_not_found');
  });

  it.each([
    ['renames', 'PATCH', { name: 'Renamed' }],
    ['retypes', 'PATCH', { type: 'production' }],
    ['deletes', 'DELETE', undefined],
  ] as const)('%s nothing', async (_, method, body) => {
    const shop = await openShop();
    const { project, session } = shop;

    const answer = await stalling(
      isTransaction,
      headers => api.call(method, `${project}/environments/dev`, { body, as: session, headers }),
      () => remakeDev(shop),
    );

    expect(codeOf(answer)).toBe('404 environment_not_found');
    const { environments } = (await api.get(project, session)).body.project;
    const dev = environments.find(({ slug }: { slug: string }) => slug === 'dev');
    expect([dev.name, dev.type]).toEqual(['Development', 'staging']);
  });
});

describe('a request that stalls until its target was deleted and created again', () => {
  it.each([
    ['sets', 1, 'PUT', '', { key: 'A', value: 'meant for the old project' }],
    // In the middle of its steps.
    ['imports', 2, 'POST', '/bulk', { secrets }],
  ] as const)('%s nothing in the new project', async (_, transaction, method, rest, body) => {
    const shop = await openShop();

    const answer = await stalling(
      numberedTransaction(transaction),
      headers => api.call(method, `${shop.dev}${rest}`, { body, as: shop.session, headers }),
      () => remakeShop(shop),
    );

    expect(codeOf(answer)).toBe('404 project_not_found');
    await requireEmpty(shop);
  });

  it('removes nothing from the new template, and adds nothing to it', async () => {
    const shop = await openShop();
    const { organization, session } = shop;
    const path = `/templates/${organization.slug}/shop`;
    await api.post(path, { key: 'A' }, session);
    const remake = async () => {
      await remakeShop(shop);
      await api.post(path, { key: 'A' }, session);
    };

    const removing = await stalling(isTransaction, headers => api.delete(`${path}/A`, session, headers), remake);
    const adding = await stalling(isTransaction, headers => api.post(path, { key: 'B' }, session, headers), remake);

    expect([removing, adding].map(codeOf)).toEqual(['404 project_not_found', '404 project_not_found']);
    expect((await api.get(path, session)).body.keys.map(({ key }: { key: string }) => key)).toEqual(['A']);
  });

  it('adds no environment to a project of the tenant who now has the slug', async () => {
    const other = await seedPerson();
    const { owner, organization, project } = await openShop(await seedPerson());
    let next: Organization | undefined;

    const answer = await stalling(
      ({ operation, input }) => operation.startsWith('Get') && input.Key.sk === 'PROJECT#shop',
      headers => api.post(`${project}/environments`, { name: 'QA' }, owner.session, headers),
      async () => {
        next = await passOn(organization, owner, other);
        await createShop(next, other);
      },
    );

    expect(codeOf(answer)).toBe('404 project_not_found');
    const { environments } = (await api.get(`/projects/${next?.id}/shop`, other.session)).body.project;
    expect(environments).toHaveLength(3);
  });

  it('adds no webhook for the tenant who now has the slug', async () => {
    const [owner, other] = await Promise.all([seedPerson(), seedPerson()]);
    const organization = await createOrganization(owner);
    let next: Organization | undefined;

    const answer = await stalling(
      isTransaction,
      headers => api.post(`/webhooks/${organization.id}`, hook, owner.session, headers),
      async () => {
        next = await passOn(organization, owner, other);
      },
    );

    expect(codeOf(answer)).toBe('404 organization_not_found');
    expect((await api.get(`/webhooks/${next?.id}`, other.session)).body.webhooks).toEqual([]);
    expect((await api.get(`/billing/${next?.id}`, other.session)).body.usage.webhooks).toBe(0);
  });

  it('learns nothing about the members of the tenant who now has the slug', async () => {
    const [owner, other] = await Promise.all([seedPerson(), seedPerson()]);
    const organization = await createOrganization(owner);
    const invitation = { email: other.email, role: 'viewer' };

    const answer = await stalling(
      isTransaction,
      headers => api.post(`/members/${organization.id}/invite`, invitation, owner.session, headers),
      () => passOn(organization, owner, other),
    );

    expect(codeOf(answer)).toBe('404 organization_not_found');
  });
});

describe('a read that stalls until another tenant has the slug', () => {
  const issuer = { url: 'https://issuer.example.com' };
  const passOnAndFurnish = async ({ organization, owner }: Shop) => {
    const next = await seedPerson();
    const { id, slug } = await passOn(organization, owner, next);
    await createShop({ id, slug }, next);
    const template = { key: 'OF_THE_NEXT_TENANT', description: 'of-the-next-tenant' };
    const made = await api.post(`/templates/${slug}/shop`, template, next.session);
    const jwks = { keys: [(await makeSigningKey()).publicJwk] };
    const identity = identityOf(issuer, { name: 'of-the-next-tenant', jwks });
    const added = await api.post(`/identities/${id}`, identity, next.session);
    expect([made.status, added.status]).toEqual([201, 201]);
  };

  it.each([
    ['the identities', 'IDENTITY#', ({ id }: Organization) => `/identities/${id}`],
    ['the template', 'TEMPLATE#', ({ slug }: Organization) => `/templates/${slug}/shop`],
    ['what the template misses', 'TEMPLATE#', ({ slug }: Organization) => `/templates/${slug}/shop/validate/dev`],
    ['the usage', 'INVITATION#', ({ id }: Organization) => `/billing/${id}`],
  ])('shows nothing of %s that the slug then refers to', async (_, prefix, pathOf) => {
    const shop = await openShop(await seedPerson());

    const answer = await stalling(
      ({ operation, input }) => operation.startsWith('Query') && JSON.stringify(input).includes(`"${prefix}`),
      headers => api.get(pathOf(shop.organization), shop.session, headers),
      () => passOnAndFurnish(shop),
    );

    expect([200, 404]).toContain(answer.status);
    expect(JSON.stringify(answer.body).toLowerCase()).not.toMatch(/of.the.next.tenant/);
    if (prefix === 'INVITATION#') expect(codeOf(answer)).toBe('404 organization_not_found');
  });

  it('does not reveal by a matching tag that an environment exists', async () => {
    const shop = await openShop(await seedPerson());

    const answer = await stalling(
      ({ operation, input }) => operation.startsWith('Get') && input.Key.sk === 'HEAD',
      headers => api.get(shop.dev, shop.session, { ...headers, 'if-none-match': '*' }),
      () => passOnAndFurnish(shop),
    );

    expect(answer.status).toBe(404);
  });
});

describe('a request that stalls until others have used the slug', () => {
  it('never completes a key rotation at once if an environment was added in the meantime', async () => {
    const { organization, project, session } = await openShop();
    const qa = `/secrets/${organization.slug}/shop/qa`;

    const answer = await stalling(
      isTransaction,
      headers => api.post(`${project}/rotate-key`, undefined, session, headers),
      async () => {
        expect((await api.delete(`${project}/environments/production`, session)).status).toBe(200);
        await createWhenFree(api, `${project}/environments`, { name: 'QA', slug: 'qa' }, session);
        await api.put(qa, { key: 'A', value: 'acknowledged' }, session);
      },
    );

    expect(answer.status).toBe(202);
    expect((await api.get(qa, session)).body.secrets).toMatchObject([{ value: 'acknowledged' }]);
  });

  it('never creates an environment with revisions below those of one erased in the meantime', async () => {
    const { organization, project, session } = await openShop();
    const path = `${project}/environments`;
    const create = (headers = {}) => api.post(path, { name: 'Dev', slug: 'dev' }, session, headers);
    const erase = async () => {
      expect((await api.delete(`${path}/dev`, session)).status).toBe(200);
      const item = at(environmentRecord, organization.slug, 'shop', 'dev');
      await eventually(async () => expect(await find(item)).toBeUndefined());
    };
    await erase();
    let erasedRevision = 0;

    const answer = await stalling(isTransaction, create, async () => {
      const between = await create();
      expect(between.status).toBe(201);
      erasedRevision = between.body.environment.revision;
      await erase();
    });

    expect(answer.status).toBe(201);
    expect(answer.body.environment.revision).toBeGreaterThan(erasedRevision);
  });
});

describe('a session', () => {
  it('does not come back when its log-in is executed again after it ended', async () => {
    const { email } = await seedPerson();
    let first: (() => Promise<unknown>) | undefined;
    const conductor = {
      attempt: (call: AwsCall, send: () => Promise<unknown>) => {
        if (first !== undefined || !JSON.stringify(call.input).includes('"SESSION#')) return send();
        first = send;
        throw noAnswer();
      },
    };

    const body = { email, password: testPassword };
    const send = (headers: Record<string, string>) => api.post('/auth/login', body, undefined, headers);
    const session = sessionOf(await withFault({ conductor }, send));
    expect((await api.post('/auth/logout', undefined, session)).status).toBe(200);
    await first?.();

    expect(first).toBeDefined();
    expect((await api.get('/auth/me', session)).status).toBe(401);
  });
});

describe('a webhook delivery that is still queued', () => {
  it('is dropped if its organization is gone, even if another one now has the slug', async () => {
    const [owner, other] = await Promise.all([seedPerson(), seedPerson()]);
    const organization = await createOrganization(owner);
    const { webhook } = (await api.post(`/webhooks/${organization.id}`, hook, owner.session)).body;
    const next = await passOn(organization, owner, other);
    await api.post(`/webhooks/${next.id}`, hook, other.session);
    const message = deliveryMessage(organization, webhook.id);

    await deliver(message, 1, openLog({}));

    expect(await find(at(deliveryClaimRecord, message.deliveryId))).toBeUndefined();
  });
});

describe('the entity tag of an erased environment', () => {
  async function tagOf(path: string, { session }: Shop): Promise<string> {
    await api.put(path, { key: 'A', value: 'of the old one' }, session);
    return String((await api.get(path, session)).headers.get('etag'));
  }

  async function expectNoMatch(path: string, tag: string, { session }: Shop): Promise<void> {
    const empty = await api.get(path, session, { 'if-none-match': tag });
    const set = await api.put(path, { key: 'A', value: 'of the new one' }, session);
    const pulled = await api.get(path, session, { 'if-none-match': tag });
    const overwritten = await api.put(path, { key: 'A', value: 'overwritten' }, session, { 'if-match': tag });

    expect([empty.status, set.status, pulled.status]).toEqual([200, 201, 200]);
    expect(pulled.body.secrets[0].value).toBe('of the new one');
    expect(codeOf(overwritten)).toBe('412 revision_mismatch');
    expect(set.body.revision).toBe(empty.body.revision + 1);
  }

  it('matches nothing in a project created again or in an environment added to it', async () => {
    const shop = await openShop();
    const { organization, project, session } = shop;
    const paths = ['dev', 'qa'].map(env => `/secrets/${organization.slug}/shop/${env}`);
    const addQa = () => api.post(`${project}/environments`, { name: 'QA' }, session);
    await addQa();
    for (const path of paths) expect(await tagOf(path, shop)).toBe('"1"');

    await remakeShop(shop);
    await addQa();

    for (const path of paths) await expectNoMatch(path, '"1"', shop);
    const rotated = await api.post(`${project}/rotate-key`, {}, session);
    expect([200, 202]).toContain(rotated.status);
    const other = await api.post(`/projects/${organization.id}`, { name: 'Never used' }, session);
    expect(other.body.project.environments.map(({ revision }: { revision: number }) => revision)).toEqual([0, 0, 0]);
  });

  it('matches nothing in an environment created again', async () => {
    const shop = await openShop();
    const { dev, project, session } = shop;
    const tags = [await tagOf(dev, shop)];
    for (let life = 0; life < 2; life += 1) {
      await remakeDev(shop);
      await expectNoMatch(dev, String(tags.at(-1)), shop);
      tags.push(await tagOf(dev, shop));
    }

    expect(tags[0]).toBe('"1"');
    expect((await api.get(dev, session, { 'if-none-match': '"1"' })).status).toBe(200);
    expect(new Set(tags).size).toBe(tags.length);
    // A slug that the project never used starts at 0.
    const made = await api.post(`${project}/environments`, { name: 'QA' }, session);
    expect(made.body.environment.revision).toBe(0);
  });

  it('matches nothing in an organization created again', async () => {
    const shop = await openShop(await seedPerson());
    const { dev, organization, owner } = shop;
    const tag = await tagOf(dev, shop);

    await createShop(await passOn(organization, owner, owner), owner);

    await expectNoMatch(dev, tag, shop);
  });
});

describe('deleting a project', () => {
  it('works even if its environment count has drifted', async () => {
    const { organization, project, session } = await openShop();
    await transact([update(at(projectRecord, organization.slug, 'shop'), { add: { environmentCount: 2 } })]);

    const deleted = await api.delete(project, session);

    expect(deleted.status).toBe(200);
    expect((await api.get(project, session)).status).toBe(404);
  });

  it('makes all of 120 environments inaccessible, and succeeds even if the background job is faster', async () => {
    const { organization, project: path, session } = await openShop();
    const { slug } = organization;
    const item = at(projectRecord, slug, 'shop');
    const project = await find(item);
    if (project === undefined) throw new Error('The project is not there.');
    const names = Array.from({ length: 117 }, (_, index) => `e${index}`);
    const made = names.map(name =>
      newEnvironment(slug, project, { slug: name, name, type: 'production' }, new Date().toISOString()),
    );
    for (const some of chunksOf(40, made)) await transact(some.flatMap(({ writes }) => writes));
    await transact([update(item, { add: { environmentCount: made.length } })]);
    const pull = (name: string) => api.get(`/secrets/${slug}/shop/${name}`, session, { 'if-none-match': '"0"' });
    const pullAll = async () => new Set((await Promise.all(names.map(pull))).map(({ status }) => status));
    expect(await pullAll()).toEqual(new Set([304]));
    let sawWhileStalling: Set<number> | undefined;

    const deleted = await stalling(
      // The first of those that do not fit in the deleting transaction.
      call => isTransaction(call) && call.input.TransactItems.length === 1,
      headers => api.delete(path, session, headers),
      async () => {
        sawWhileStalling = await pullAll();
        await eventually(async () => expect(await find(item)).toBeUndefined());
      },
    );

    expect(deleted.status).toBe(200);
    expect(sawWhileStalling).toContain(404);
    expect(await pullAll()).toEqual(new Set([404]));
  });
});
