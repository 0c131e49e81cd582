import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { openLog } from '#lib/core/logger.ts';
import { deliver } from '#lib/deliveries/deliver.ts';
import { newEnvironment } from '#lib/secrets/engine/new-environment.ts';
import { at, find } from '#lib/table/read.ts';
import { environmentRecord } from '#lib/table/records/environment.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { deliveryClaimRecord } from '#lib/table/records/webhook.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, sessionOf, useApi } from '../support/api.ts';
import { noAnswer } from '../support/inject-faults.ts';
import { identityOf, makeSigningKey } from '../support/issuer.ts';
import type { AwsCall } from '../support/observe-calls.ts';
import { startObservedApi, withFault } from '../support/observed-api.ts';
import { type Person, seedPerson, testPassword } from '../support/people.ts';
import { stalling } from '../support/stalling.ts';

const api = useApi(startObservedApi);

const isTransaction = ({ operation }: AwsCall) => operation.startsWith('TransactWrite');

interface Organization {
  id: string;
  slug: string;
}

async function createWhenFree(path: string, body: { name: string; slug: string; type?: string }, { session }: Person) {
  return vi.waitFor(
    async () => {
      const made = await api.post(path, body, session);
      expect(made.status).toBe(201);
      return made.body;
    },
    { timeout: 20_000, interval: 50 },
  );
}

const createShop = async ({ id }: Organization, owner: Person): Promise<{ id: string }> =>
  (await createWhenFree(`/projects/${id}`, { name: 'Shop', slug: 'shop' }, owner)).project;

async function remakeShop(organization: Organization, owner: Person): Promise<void> {
  expect((await api.delete(`/projects/${organization.id}/shop`, owner.session)).status).toBe(200);
  await createShop(organization, owner);
}

async function createOrganization(owner: Person): Promise<Organization> {
  const slug = `org-${randomUUID().slice(0, 13)}`;
  return (await createWhenFree('/orgs', { name: 'Acme', slug }, owner)).organization;
}

/** Deletes the organization; `next` gets its slug. */
async function passOn({ id, slug }: Organization, owner: Person, next: Person): Promise<Organization> {
  expect((await api.delete(`/orgs/${id}`, owner.session)).status).toBe(200);
  return (await createWhenFree('/orgs', { name: 'Another tenant', slug }, next)).organization;
}

const codeOf = ({ status, body }: Answer) => [status, body.error?.code];
const hook = { url: 'https://hooks.example.com/x', events: ['secret.created'] };

/** Deletes the environment `dev` of the shop and creates another one under its slug. */
async function remakeDev({ id }: Organization, owner: Person): Promise<void> {
  const path = `/projects/${id}/shop/environments`;
  expect((await api.delete(`${path}/dev`, owner.session)).status).toBe(200);
  await createWhenFree(path, { name: 'Development', slug: 'dev', type: 'staging' }, owner);
}

describe('a request that stalls until its environment was deleted and created again', () => {
  it.each([
    ['sets', 1, 1],
    ['imports', 120, 2],
  ])('%s nothing in the new one', async (_, count, transaction) => {
    const owner = await seedPerson();
    const { organization, session } = owner;
    await createShop(organization, owner);
    const path = `/secrets/${organization.slug}/shop/dev`;
    const secrets = Object.fromEntries(Array.from({ length: count }, (__, index) => [`K${index}`, 'old']));
    let transactions = 0;

    const answer = await stalling(
      call => isTransaction(call) && ++transactions === transaction,
      headers => api.post(`${path}/bulk`, { secrets }, session, headers),
      () => remakeDev(organization, owner),
    );

    expect(codeOf(answer)).toEqual([404, 'environment_not_found']);
    const pulled = await api.get(path, session);
    expect([pulled.status, pulled.body.secrets]).toEqual([200, []]);
    expect((await api.put(path, { key: 'K0', value: 'new' }, session)).body).toMatchObject({ secret: { version: 1 } });
  });

  it('reads nothing from the new one', async () => {
    const owner = await seedPerson();
    const { organization, session } = owner;
    await createShop(organization, owner);
    const path = `/secrets/${organization.slug}/shop/dev`;
    await api.put(path, { key: 'A', value: 'first' }, session);

    const answer = await stalling(
      // Between the state and the versions.
      ({ operation, input }) => operation.startsWith('Query') && JSON.stringify(input).includes('VERSION#A#'),
      headers => api.get(`${path}/versions/A?values=true`, session, headers),
      async () => {
        await remakeDev(organization, owner);
        await api.put(path, { key: 'A', value: 'of the new one' }, session);
      },
    );

    expect(codeOf(answer)).toEqual([404, 'environment_not_found']);
  });

  it('destroys nothing', async () => {
    const owner = await seedPerson();
    const { organization, session } = owner;
    await createShop(organization, owner);
    const path = `/secrets/${organization.slug}/shop/dev`;
    for (const value of ['first', 'second']) await api.put(path, { key: 'A', value }, session);

    const answer = await stalling(
      isTransaction,
      headers => api.post(`${path}/versions/A/destroy`, { versions: [1] }, session, headers),
      () => api.delete(`/projects/${organization.id}/shop/environments/dev`, session),
    );

    expect(codeOf(answer)).toEqual([404, 'environment_not_found']);
  });

  it.each([
    ['renames', 'PATCH', { name: 'Renamed' }],
    ['retypes', 'PATCH', { type: 'production' }],
    ['deletes', 'DELETE', undefined],
  ] as const)('%s nothing', async (_, method, body) => {
    const owner = await seedPerson();
    const { organization, session } = owner;
    await createShop(organization, owner);
    const path = `/projects/${organization.id}/shop/environments/dev`;

    const answer = await stalling(
      isTransaction,
      headers => api.call(method, path, { body, as: session, headers }),
      () => remakeDev(organization, owner),
    );

    expect(codeOf(answer)).toEqual([404, 'environment_not_found']);
    const { project } = (await api.get(`/projects/${organization.id}/shop`, session)).body;
    const dev = project.environments.find(({ slug }: { slug: string }) => slug === 'dev');
    expect([dev.name, dev.type]).toEqual(['Development', 'staging']);
  });
});

describe('a request that stalls until its target was deleted and created again', () => {
  it('sets nothing in the new project', async () => {
    const owner = await seedPerson();
    const { organization, session } = owner;
    await createShop(organization, owner);
    const path = `/secrets/${organization.slug}/shop/dev`;

    const answer = await stalling(
      isTransaction,
      headers => api.put(path, { key: 'A', value: 'meant for the old project' }, session, headers),
      () => remakeShop(organization, owner),
    );

    expect(codeOf(answer)).toEqual([404, 'project_not_found']);
    const pulled = await api.get(path, session);
    expect([pulled.status, pulled.body.secrets]).toEqual([200, []]);
    expect((await api.put(path, { key: 'A', value: 'new' }, session)).status).toBe(201);
  });

  it('imports nothing into the new project', async () => {
    const owner = await seedPerson();
    const { organization, session } = owner;
    await createShop(organization, owner);
    const path = `/secrets/${organization.slug}/shop/dev`;
    const secrets = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`K${index}`, 'old']));
    let transactions = 0;

    const answer = await stalling(
      // In the middle of its steps.
      call => isTransaction(call) && ++transactions === 2,
      headers => api.post(`${path}/bulk`, { secrets }, session, headers),
      () => remakeShop(organization, owner),
    );

    expect(codeOf(answer)).toEqual([404, 'project_not_found']);
    expect((await api.get(path, session)).body.secrets).toEqual([]);
  });

  it('removes nothing from the new template, and adds nothing to it', async () => {
    const owner = await seedPerson();
    const { organization, session } = owner;
    await createShop(organization, owner);
    const path = `/templates/${organization.slug}/shop`;
    await api.post(path, { key: 'A' }, session);

    const removing = await stalling(
      isTransaction,
      headers => api.delete(`${path}/A`, session, headers),
      async () => {
        await remakeShop(organization, owner);
        await api.post(path, { key: 'A' }, session);
      },
    );
    const adding = await stalling(
      isTransaction,
      headers => api.post(path, { key: 'B' }, session, headers),
      async () => {
        await remakeShop(organization, owner);
        await api.post(path, { key: 'A' }, session);
      },
    );

    expect([codeOf(removing), codeOf(adding)]).toEqual([
      [404, 'project_not_found'],
      [404, 'project_not_found'],
    ]);
    expect((await api.get(path, session)).body.keys.map(({ key }: { key: string }) => key)).toEqual(['A']);
  });

  it('adds no environment to a project of the tenant who now has the slug', async () => {
    const [owner, other] = await Promise.all([seedPerson(), seedPerson()]);
    const organization = await createOrganization(owner);
    await createShop(organization, owner);
    let next: Organization | undefined;

    const answer = await stalling(
      ({ operation, input }) => operation.startsWith('Get') && input.Key.sk === 'PROJECT#shop',
      headers => api.post(`/projects/${organization.id}/shop/environments`, { name: 'QA' }, owner.session, headers),
      async () => {
        next = await passOn(organization, owner, other);
        await createShop(next, other);
      },
    );

    expect(codeOf(answer)).toEqual([404, 'project_not_found']);
    const { project } = (await api.get(`/projects/${next?.id}/shop`, other.session)).body;
    expect(project.environments).toHaveLength(3);
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

    expect(codeOf(answer)).toEqual([404, 'organization_not_found']);
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

    expect(codeOf(answer)).toEqual([404, 'organization_not_found']);
  });
});

describe('a read that stalls until another tenant has the slug', () => {
  const issuer = { url: 'https://issuer.example.com' };
  const furnish = async (organization: Organization, owner: Person) => {
    await createShop(organization, owner);
    const template = { key: 'OF_THE_NEXT_TENANT', description: 'of-the-next-tenant' };
    const made = await api.post(`/templates/${organization.slug}/shop`, template, owner.session);
    const jwks = { keys: [(await makeSigningKey()).publicJwk] };
    const identity = identityOf(issuer, { name: 'of-the-next-tenant', jwks });
    const added = await api.post(`/identities/${organization.id}`, identity, owner.session);
    expect([made.status, added.status]).toEqual([201, 201]);
  };

  it.each([
    ['the identities', 'IDENTITY#', ({ id }: Organization) => `/identities/${id}`],
    ['the template', 'TEMPLATE#', ({ slug }: Organization) => `/templates/${slug}/shop`],
    ['what the template misses', 'TEMPLATE#', ({ slug }: Organization) => `/templates/${slug}/shop/validate/dev`],
    ['the usage', 'INVITATION#', ({ id }: Organization) => `/billing/${id}`],
  ])('shows nothing of %s that the slug then refers to', async (_, prefix, pathOf) => {
    const [owner, next] = await Promise.all([seedPerson(), seedPerson()]);
    const organization = await createOrganization(owner);
    await createShop(organization, owner);

    const answer = await stalling(
      ({ operation, input }) => operation.startsWith('Query') && JSON.stringify(input).includes(`"${prefix}`),
      headers => api.get(pathOf(organization), owner.session, headers),
      async () => furnish(await passOn(organization, owner, next), next),
    );

    expect([200, 404]).toContain(answer.status);
    expect(JSON.stringify(answer.body).toLowerCase()).not.toMatch(/of.the.next.tenant/);
    if (prefix === 'INVITATION#') expect(codeOf(answer)).toEqual([404, 'organization_not_found']);
  });

  it('does not reveal by a matching tag that an environment exists', async () => {
    const [owner, next] = await Promise.all([seedPerson(), seedPerson()]);
    const organization = await createOrganization(owner);
    await createShop(organization, owner);

    const answer = await stalling(
      ({ operation, input }) => operation.startsWith('Get') && input.Key.sk === 'HEAD',
      headers => api.get(`/secrets/${organization.slug}/shop/dev`, owner.session, { ...headers, 'if-none-match': '*' }),
      async () => furnish(await passOn(organization, owner, next), next),
    );

    expect(answer.status).toBe(404);
  });
});

describe('a request that stalls until others have used the slug', () => {
  it('never completes a key rotation at once if an environment was added in the meantime', async () => {
    const owner = await seedPerson();
    const { organization, session } = owner;
    await createShop(organization, owner);
    const path = `/projects/${organization.id}/shop`;

    const answer = await stalling(
      isTransaction,
      headers => api.post(`${path}/rotate-key`, undefined, session, headers),
      async () => {
        expect((await api.delete(`${path}/environments/production`, session)).status).toBe(200);
        await createWhenFree(`${path}/environments`, { name: 'QA', slug: 'qa' }, owner);
        await api.put(`/secrets/${organization.slug}/shop/qa`, { key: 'A', value: 'acknowledged' }, session);
      },
    );

    expect(answer.status).toBe(202);
    const pulled = await api.get(`/secrets/${organization.slug}/shop/qa`, session);
    expect(pulled.body.secrets).toMatchObject([{ value: 'acknowledged' }]);
  });

  it('never creates an environment with revisions below those of one erased in the meantime', async () => {
    const owner = await seedPerson();
    const { organization, session } = owner;
    await createShop(organization, owner);
    const path = `/projects/${organization.id}/shop/environments`;
    const erase = async () => {
      expect((await api.delete(`${path}/dev`, session)).status).toBe(200);
      const item = at(environmentRecord, organization.slug, 'shop', 'dev');
      await vi.waitFor(async () => expect(await find(item)).toBeUndefined(), { timeout: 20_000, interval: 20 });
    };
    await erase();
    let erasedRevision = 0;

    const answer = await stalling(
      isTransaction,
      headers => api.post(path, { name: 'Dev', slug: 'dev' }, session, headers),
      async () => {
        const between = await api.post(path, { name: 'Dev', slug: 'dev' }, session);
        expect(between.status).toBe(201);
        erasedRevision = between.body.environment.revision;
        await erase();
      },
    );

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

    const session = sessionOf(
      await withFault({ conductor }, headers =>
        api.post('/auth/login', { email, password: testPassword }, undefined, headers),
      ),
    );
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
    const deliveryId = randomUUID();
    const createdAt = new Date().toISOString();
    const place = { id: randomUUID(), slug: 'shop' };

    await deliver(
      {
        deliveryId,
        event: 'secret.created',
        createdAt,
        orgSlug: organization.slug,
        webhookId: webhook.id,
        payload: {
          kind: 'whole',
          content: {
            event: 'secret.created',
            timestamp: createdAt,
            org: { id: organization.id },
            project: place,
            environment: place,
            key: 'A',
            actor: { id: owner.user.id, email: owner.email },
            metadata: { version: 1, revision: 1 },
          },
        },
      },
      1,
      openLog({}),
    );

    expect(await find(at(deliveryClaimRecord, deliveryId))).toBeUndefined();
  });
});

describe('the entity tag of an erased environment', () => {
  async function tagOf(path: string, { session }: Person): Promise<string> {
    await api.put(path, { key: 'A', value: 'of the old one' }, session);
    return String((await api.get(path, session)).headers.get('etag'));
  }

  async function expectNoMatch(path: string, tag: string, { session }: Person): Promise<void> {
    const empty = await api.get(path, session, { 'if-none-match': tag });
    const set = await api.put(path, { key: 'A', value: 'of the new one' }, session);
    const pulled = await api.get(path, session, { 'if-none-match': tag });
    const overwritten = await api.put(path, { key: 'A', value: 'overwritten' }, session, { 'if-match': tag });

    expect([empty.status, set.status, pulled.status]).toEqual([200, 201, 200]);
    expect(pulled.body.secrets[0].value).toBe('of the new one');
    expect(codeOf(overwritten)).toEqual([412, 'revision_mismatch']);
    expect(set.body.revision).toBe(empty.body.revision + 1);
  }

  it('matches nothing in a project created again or in an environment added to it', async () => {
    const owner = await seedPerson();
    const { organization, session } = owner;
    const { id, slug } = organization;
    await createShop(organization, owner);
    const addQa = () => api.post(`/projects/${id}/shop/environments`, { name: 'QA' }, session);
    await addQa();
    const tags = [await tagOf(`/secrets/${slug}/shop/dev`, owner), await tagOf(`/secrets/${slug}/shop/qa`, owner)];
    expect(tags).toEqual(['"1"', '"1"']);

    await remakeShop(organization, owner);
    await addQa();

    await expectNoMatch(`/secrets/${slug}/shop/dev`, '"1"', owner);
    await expectNoMatch(`/secrets/${slug}/shop/qa`, '"1"', owner);
    const rotated = await api.post(`/projects/${id}/shop/rotate-key`, {}, session);
    expect([200, 202]).toContain(rotated.status);
    const other = await api.post(`/projects/${id}`, { name: 'Never used' }, session);
    expect(other.body.project.environments.map(({ revision }: { revision: number }) => revision)).toEqual([0, 0, 0]);
  });

  it('matches nothing in an environment created again', async () => {
    const owner = await seedPerson();
    const { organization } = owner;
    await createShop(organization, owner);
    const path = `/secrets/${organization.slug}/shop/dev`;
    const tags = [await tagOf(path, owner)];
    for (let life = 0; life < 2; life += 1) {
      await remakeDev(organization, owner);

      await expectNoMatch(path, String(tags.at(-1)), owner);
      tags.push(await tagOf(path, owner));
    }

    expect(tags[0]).toBe('"1"');
    expect((await api.get(path, owner.session, { 'if-none-match': '"1"' })).status).toBe(200);
    expect(new Set(tags).size).toBe(tags.length);
    // A slug that the project never used starts at 0.
    const other = { name: 'QA' };
    const made = await api.post(`/projects/${organization.id}/shop/environments`, other, owner.session);
    expect(made.body.environment.revision).toBe(0);
  });

  it('matches nothing in an organization created again', async () => {
    const owner = await seedPerson();
    const organization = await createOrganization(owner);
    await createShop(organization, owner);
    const path = `/secrets/${organization.slug}/shop/dev`;
    const tag = await tagOf(path, owner);

    await createShop(await passOn(organization, owner, owner), owner);

    await expectNoMatch(path, tag, owner);
  });
});

describe('deleting a project', () => {
  it('works even if its environment count has drifted', async () => {
    const { organization, session } = await seedPerson();
    await createShop(organization, { session } as Person);
    const read = at(projectRecord, organization.slug, 'shop');
    await transact([update(read, { add: { environmentCount: 2 } })]);

    const deleted = await api.delete(`/projects/${organization.id}/shop`, session);

    expect(deleted.status).toBe(200);
    expect((await api.get(`/projects/${organization.id}/shop`, session)).status).toBe(404);
  });

  it('makes all of 120 environments inaccessible, and succeeds even if the background job is faster', async () => {
    const owner = await seedPerson();
    const { organization, session } = owner;
    const { id, slug } = organization;
    await createShop(organization, owner);
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
      headers => api.delete(`/projects/${id}/shop`, session, headers),
      async () => {
        sawWhileStalling = await pullAll();
        await vi.waitFor(async () => expect(await find(item)).toBeUndefined(), { timeout: 30_000, interval: 50 });
      },
    );

    expect(deleted.status).toBe(200);
    expect(sawWhileStalling).toContain(404);
    expect(await pullAll()).toEqual(new Set([404]));
  });
});
