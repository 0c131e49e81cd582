import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { isAllowed } from '#lib/access/allowed-networks.ts';
import { routes } from '#lib/contracts/routes.ts';
import { at, queryPage } from '#lib/table/read.ts';
import { sessionRecord } from '#lib/table/records/credentials.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Api, type Caller, codeOf, createToken, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { identityOf, startIssuer } from '#test/support/issuer.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus, join } from '#test/support/sample-requests.ts';

const edgeSecret = 'edge-secret';
const api = shared(() => startApi({ EDGE_SECRETS: edgeSecret }));
const issuer = shared(startIssuer);

/** The service, as reached from this address through the edge. */
function from(address: string): Api {
  const edge = { 'x-origin-secret': edgeSecret, 'x-viewer-address': address };
  const call: Api['call'] = (method, path, options) => api.call(method, path, { ...options, headers: edge });
  const withoutBody = (method: string) => (path: string, as?: Caller) => call(method, path, { as });
  const withBody = (method: string) => (path: string, body: unknown, as?: Caller) => call(method, path, { as, body });
  return {
    get url() {
      return api.url;
    },
    mails: () => api.mails(),
    stop: () => api.stop(),
    call,
    get: withoutBody('GET'),
    post: withBody('POST'),
    put: withBody('PUT'),
    patch: withBody('PATCH'),
    delete: withoutBody('DELETE'),
  };
}

const [office, dataCenter, cafe] = [from('198.51.100.7'), from('2001:db8:12::7'), from('203.0.113.9')];
const people = ['198.51.100.0/24'];
const machines = ['2001:db8:12::/48'];
let owner: Person;
beforeEach(async () => {
  owner = await seedPerson();
});

const pathOf = ({ organization }: Person) => `/orgs/${organization.id}/networks`;
const set = (networks: unknown, as: Caller = owner.session) => office.put(pathOf(owner), networks, as);
const restrict = () => expectStatus(set({ people, machines }), 200);
const projects = () => `/projects/${owner.organization.id}`;
const refusal = '403 network_not_allowed';

const entriesOf = async (action: string) =>
  (await expectStatus(office.get(`/audit/${owner.organization.id}?action=${action}`, owner.session), 200)).body.entries;

const formatOf = async () => {
  const { items } = await queryPage({ pk: `ORG#${owner.organization.slug}`, beginsWith: 'ORG' });
  return items.find(({ sk }) => sk === 'ORG')?.v;
};

async function identityToken(through: Api) {
  const made = office.post(`/identities/${owner.organization.id}`, identityOf(issuer), owner.session);
  const identityId = (await expectStatus(made, 201)).body.identity.id;
  const subjectToken = await issuer.token(identityId);
  return through.post('/auth/exchange', { identityId, organizationSlug: owner.organization.slug, subjectToken });
}

describe('an organization with allowed networks', () => {
  it('refuses sessions and people’s tokens from elsewhere, on each of its routes', async () => {
    const token = await createToken(office, owner);
    await restrict();
    const values: Record<string, string> = {
      orgId: owner.organization.id,
      orgSlug: owner.organization.slug,
      project: 'shop',
      slug: 'shop',
      env: 'dev',
      key: 'KEY',
    };
    const ofOrganization = routes.filter(({ access }) => access.kind === 'member');
    const answers = await Promise.all(
      ofOrganization.map(async ({ operationId, method, path }) => {
        const filled = path.replace('/v1', '').replace(/\{(\w+)\}/g, (_, name) => values[name] ?? randomUUID());
        return [operationId, codeOf(await cafe.call(method, filled, { as: owner.session, body: undefined }))];
      }),
    );

    const expected = ofOrganization.map(({ operationId }) => [
      operationId,
      // Nobody needs the network to leave or to stop a recovery. This is the last owner, and there is no recovery.
      { 'leave-organization': '409 last_owner', 'stop-recovery': '404 recovery_not_found' }[operationId] ?? refusal,
    ]);
    expect(answers).toEqual(expected);
    expect(codeOf(await cafe.get(projects(), token))).toBe(refusal);
    expect(codeOf(await dataCenter.get(projects(), token))).toBe(refusal);
    expect(codeOf(await office.get(projects(), token))).toBe('200 ok');
  });

  it('accepts identities and their exchanges only from the networks of machines, and records refused exchanges', async () => {
    await restrict();

    expect(codeOf(await identityToken(office))).toBe(refusal);
    const { token } = (await expectStatus(identityToken(dataCenter), 201)).body;
    expect(codeOf(await dataCenter.get(projects(), { token }))).toBe('200 ok');
    expect(codeOf(await office.get(projects(), { token }))).toBe(refusal);
    const [refused, ...others] = await entriesOf('identity.refused');
    expect(others).toEqual([]);
    expect(refused).toMatchObject({ ip: '198.51.100.7', details: { reason: 'network_not_allowed' } });
  });

  it('remains unknown to strangers, wherever they are', async () => {
    await restrict();
    const stranger = await seedPerson();

    for (const place of [office, cafe]) {
      expect(codeOf(await place.get(projects(), stranger.session))).toBe('404 organization_not_found');
    }
  });

  it('limits each of the two only if it has a list, and neither without one', async () => {
    await expectStatus(set({ people: null, machines }), 200);
    expect(codeOf(await cafe.get(projects(), owner.session))).toBe('200 ok');
    expect(codeOf(await identityToken(cafe))).toBe(refusal);
    await expectStatus(set({ people: null, machines: null }), 200);
    expect(codeOf(await identityToken(cafe))).toBe('201 ok');
  });

  it('is rejected by code that doesn’t know networks', async () => {
    expect(await formatOf()).toBe(1);
    await restrict();
    expect(await formatOf()).toBeGreaterThanOrEqual(3);
  });

  it('lets a platform administrator remove the lists, and nothing else, and records it', async () => {
    const admin = await seedPerson({ isAdmin: true });
    const path = `/admin/orgs/${owner.organization.id}`;
    await restrict();

    expect((await cafe.get(path, admin.session)).body.networks).toEqual({ people, machines });
    expect(codeOf(await cafe.patch(path, { networks: { people: null, machines } }, admin.session))).toBe(
      '400 invalid_request',
    );
    await expectStatus(cafe.patch(path, { plan: 'pro' }, admin.session), 200);
    expect(codeOf(await cafe.get(projects(), owner.session))).toBe(refusal);
    await expectStatus(cafe.patch(path, { networks: null }, admin.session), 200);
    await expectStatus(cafe.patch(path, { networks: null }, admin.session), 200);

    expect(codeOf(await cafe.get(projects(), owner.session))).toBe('200 ok');
    const [lifted, , ...others] = await entriesOf('organization.networks_changed');
    expect(others).toEqual([]);
    expect(lifted).toMatchObject({
      actor: { id: admin.user.id },
      details: { from: { people: people[0], machines: machines[0] }, to: { people: null, machines: null } },
    });
  });
});

describe('setting the networks', () => {
  it('returns them with the caller’s address, and records each change once', async () => {
    expect((await restrict()).body.networks).toEqual({ people, machines });
    await restrict();

    const { body } = await expectStatus(office.get(pathOf(owner), owner.session), 200);
    expect(body).toEqual({ networks: { people, machines }, ownAddress: '198.51.100.7' });
    const [changed, ...others] = await entriesOf('organization.networks_changed');
    expect(others).toEqual([]);
    expect(changed).toMatchObject({
      target: { type: 'organization', id: owner.organization.id },
      details: { from: { people: null, machines: null }, to: { people: people[0], machines: machines[0] } },
    });
  });

  it('is refused if the caller’s own address would be locked out', async () => {
    const { body } = await expectStatus(set({ people: ['203.0.113.0/24'], machines: null }), 400);

    expect(body.error.details).toEqual([{ path: 'people', message: 'must contain your own address, 198.51.100.7' }]);
    expect(codeOf(await cafe.get(projects(), owner.session))).toBe('200 ok');
  });

  it('requires an owner with a fresh session; admins and their tokens may read the list', async () => {
    const [admin, developer] = await Promise.all([seedPerson(), seedPerson()]);
    await join(office, owner, admin, 'admin');
    await join(office, owner, developer, 'developer');
    await restrict();
    const token = await createToken(office, owner);
    const open = { people: null, machines: null };

    expect(codeOf(await set(open, admin.session))).toBe('403 forbidden');
    expect(codeOf(await set(open, token))).toBe('403 insufficient_scope');
    expect(codeOf(await office.get(pathOf(owner), token))).toBe('200 ok');
    expect(codeOf(await office.get(pathOf(owner), admin.session))).toBe('200 ok');
    expect(codeOf(await office.get(pathOf(owner), developer.session))).toBe('403 forbidden');
    const { items } = await queryPage({ pk: `USER#${owner.user.id}`, beginsWith: 'SESSION#' });
    const hash = String(items[0]?.sk).slice('SESSION#'.length);
    const provedAt = new Date(Date.now() - 86_400_000).toISOString();
    await transact([update(at(sessionRecord, owner.user.id, hash), { set: { provedAt } })]);
    expect(codeOf(await set(open))).toBe('403 step_up_required');
  });

  it.each([
    ['198.51.100.7', 'must be a network such as 198.51.100.0/24 or 2001:db8:12::/48'],
    ['198.51.100.0/33', 'must be a network such as 198.51.100.0/24 or 2001:db8:12::/48'],
    ['0306.063.0144.0/24', 'must be a network such as 198.51.100.0/24 or 2001:db8:12::/48'],
    ['fe80::%eth0/64', 'must be a network such as 198.51.100.0/24 or 2001:db8:12::/48'],
    ['198.51.100.7/24', 'must begin with its first address: 198.51.100.0/24'],
    ['2001:DB8:12::7/48', 'must begin with its first address: 2001:db8:12::/48'],
    ['::ffff:198.51.100.0/120', 'must be written as an IPv4 network'],
    ['::ffff:c633:6400/120', 'must be written as an IPv4 network'],
  ])('rejects %s', async (network, message) => {
    const { body } = await expectStatus(set({ people: null, machines: [network] }), 400);

    expect(body.error.details).toEqual([{ path: 'machines.0', message }]);
  });

  it('accepts 1 to 50 networks without duplicates, and requires both lists', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `10.${n}.0.0/16`);
    await expectStatus(set({ people: null, machines: many(50) }), 200);
    for (const body of [{ people: null, machines: many(51) }, { people: [], machines: null }, { people }]) {
      expect(codeOf(await set(body))).toBe('400 invalid_request');
    }
    expect(codeOf(await set({ people: null, machines: ['10.0.0.0/8', '10.0.0.0/8'] }))).toBe('400 invalid_request');
  });
});

it.each([
  ['198.51.100.255', true],
  ['198.51.101.0', false],
  ['::ffff:198.51.100.7', true],
  ['2001:db8:12:ffff::1', true],
  ['2001:db8:13::1', false],
  ['::1', false],
  ['', false],
  ['localhost', false],
])('the address %s is in the networks: %s', (address, expected) => {
  expect(isAllowed([...people, ...machines], address)).toBe(expected);
});

it('every address is in 0.0.0.0/0 or ::/0, by its family', () => {
  expect(isAllowed(['0.0.0.0/0'], '203.0.113.9')).toBe(true);
  expect(isAllowed(['0.0.0.0/0'], '2001:db8::1')).toBe(false);
  expect(isAllowed(['::/0'], '2001:db8::1')).toBe(true);
});
