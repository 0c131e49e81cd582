import { describe, expect, it } from 'vitest';
import { Holdfast } from '#clients/sdk/src/index.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { type Answer, type Caller, createToken } from '#test/support/api.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { identityOf, startIssuer } from '#test/support/issuer.ts';
import { numbered } from '#test/support/numbered.ts';
import { recordRequest, startObservedApi } from '#test/support/observed-api.ts';
import { seedOwner } from '#test/support/people.ts';
import { countsOf } from '#test/support/record-calls.ts';
import { expectStatus } from '#test/support/sample-requests.ts';

const api = shared(() => startObservedApi({ REQUESTS_PER_MINUTE: '100000' }));
const owner = shared(seedOwner);
const token = shared(() => createToken(api, owner));
const common = fresh(() => openWorkplace(api, owner));
const shop = fresh(() => openWorkplace(api, owner));

const nameOf = ({ project }: Workplace, env: string) => `${project.slug}/${env}`;
const layersOf = (...names: readonly string[]) => `?layers=${names.join(',')}`;
const valuesIn = ({ body }: Answer) =>
  Object.fromEntries(body.secrets.map(({ key, value, from }: Record<string, string>) => [key, [value, from]]));
const pulls = async () => (await common.entriesOf('secret.pulled')).concat(await shop.entriesOf('secret.pulled'));

describe('a pull with layers', () => {
  it('lays the environment over them, the later ones over the earlier ones, and says where each value comes from', async () => {
    await common.importAll('dev', { A: 'base', B: 'base', C: 'base', constructor: 'base' });
    await common.importAll('staging', { B: 'shared', C: 'shared' });
    await shop.importAll('dev', { C: 'shop', D: '' });
    const answer = await shop.pull('dev', layersOf(nameOf(common, 'dev'), nameOf(common, 'staging')));

    expect(answer.body.secrets.map(({ key }: { key: string }) => key)).toEqual(['A', 'B', 'C', 'D', 'constructor']);
    expect(valuesIn(answer)).toEqual({
      A: ['base', nameOf(common, 'dev')],
      B: ['shared', nameOf(common, 'staging')],
      C: ['shop', nameOf(shop, 'dev')],
      D: ['', nameOf(shop, 'dev')],
      constructor: ['base', nameOf(common, 'dev')],
    });
    const turned = await shop.pull('dev', layersOf(nameOf(common, 'staging'), nameOf(common, 'dev')));
    expect(valuesIn(turned).B).toEqual(['base', nameOf(common, 'dev')]);
    // The other facts are those of the value's own environment.
    const own = (await common.pull('staging')).body.secrets.find(({ key }: { key: string }) => key === 'B');
    expect(answer.body.secrets[1]).toEqual({ ...own, from: nameOf(common, 'staging') });
  });

  it('has the revision of the environment, and a tag of all revisions for If-None-Match', async () => {
    await common.importAll('dev', { A: '1' });
    await common.set('dev', 'A', '2');
    await shop.importAll('dev', { B: '1' });
    const query = layersOf(nameOf(common, 'dev'), nameOf(common, 'staging'));
    const { status, body, headers } = await shop.pull('dev', query);
    expect([status, body.revision, headers.get('etag')]).toEqual([200, 1, '"2.0.1"']);

    const given = (tag: string) => shop.pull('dev', query, { headers: { 'if-none-match': tag } });
    const entries = (await pulls()).length;
    for (const tag of ['"2.0.1"', 'W/"2.0.1"', '"1", "2.0.1"', '*']) {
      const answer = await given(tag);
      expect([tag, answer.status, answer.body, answer.headers.get('etag')]).toEqual([tag, 304, undefined, '"2.0.1"']);
    }
    expect(await pulls()).toHaveLength(entries);
    for (const tag of ['"1"', '"2"', '"2.0"', '"0.2.1"', '"2.0.1.0"', '"02.0.1"', '"x"']) {
      expect([tag, (await given(tag)).status]).toEqual([tag, 200]);
    }
    await common.set('staging', 'Z', 'new');
    const changed = await given('"2.0.1"');
    expect([changed.status, changed.headers.get('etag'), Object.keys(valuesIn(changed))]).toEqual([
      200,
      '"2.1.1"',
      ['A', 'B', 'Z'],
    ]);
  });

  it('is audited once for each environment, with the revision of each, and by keys with those taken from each', async () => {
    await common.importAll('dev', { A: 'base', B: 'base' });
    await shop.importAll('dev', { B: 'shop' });
    const query = layersOf(nameOf(common, 'dev'), nameOf(common, 'staging'));
    const seen = async () =>
      (await pulls()).map(({ target, environment, revision, keys }) => [
        target.name,
        environment?.slug,
        revision,
        keys ?? 'all',
      ]);
    await expectStatus(shop.pull('dev', query), 200);
    expect(await seen()).toEqual(
      expect.arrayContaining([
        [common.project.slug, 'dev', 1, 'all'],
        [common.project.slug, 'staging', 0, 'all'],
        [shop.project.slug, 'dev', 1, 'all'],
      ]),
    );
    expect(await seen()).toHaveLength(3);

    const named = await shop.pull('dev', `${query}&keys=B,A`);
    expect(valuesIn(named)).toEqual({ A: ['base', nameOf(common, 'dev')], B: ['shop', nameOf(shop, 'dev')] });
    expect(await seen()).toEqual(
      expect.arrayContaining([
        [common.project.slug, 'dev', 1, ['A']],
        [common.project.slug, 'staging', 0, []],
        [shop.project.slug, 'dev', 1, ['B']],
      ]),
    );
    expect(await seen()).toHaveLength(6);
    const missing = await shop.pull('dev', `${query}&keys=A,NOWHERE`);
    expect([missing.status, missing.body.error.code]).toEqual([404, 'secret_not_found']);
    expect(missing.body.error.message).toContain('NOWHERE');
    expect(await seen()).toHaveLength(6);
  });

  it('is rendered in every format that a pull has, of the environment itself', async () => {
    await common.importAll('dev', { A: 'base', B: 'base', NODE_OPTIONS: '--inspect' });
    await shop.importAll('dev', { B: 'shop' });
    const query = layersOf(nameOf(common, 'dev'));
    const json = await shop.pull('dev', `${query}&format=json`);
    expect([json.body, json.headers.get('etag')]).toEqual([
      { A: 'base', B: 'shop', NODE_OPTIONS: '--inspect' },
      '"1.1"',
    ]);
    const entries = (await pulls()).length;
    const text = (more: string) =>
      fetch(`${api.url}${shop.at('dev', query + more)}`, { headers: { authorization: `Bearer ${token.token}` } });
    const refused = await text('&format=sh');
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('"key":"NODE_OPTIONS"')]);
    expect(await pulls()).toHaveLength(entries);
    const allowed = await text('&format=sh&allow=NODE_OPTIONS');
    expect(await allowed.text()).toBe("export A='base'\nexport B='shop'\nexport NODE_OPTIONS='--inspect'\n");
    const named = await text('&format=k8s&keys=A,B');
    expect(await named.text()).toContain(shop.project.slug);
  });

  it('expands each value within its own environment, whichever layer is shown for the keys that it names', async () => {
    const url = 'postgres://\u0024{PASSWORD}@\u0024{HOST}';
    const ofCommon = [
      { key: 'PASSWORD', value: 'common' },
      { key: 'HOST', value: 'db' },
      { key: 'URL', value: url, expand: true },
    ];
    await expectStatus(common.importAll('dev', ofCommon), 200);
    await shop.importAll('dev', { PASSWORD: 'shop', PLAIN: url });
    const query = layersOf(nameOf(common, 'dev'));
    const inCommon = (value: string) => [value, nameOf(common, 'dev')];
    const inShop = (value: string) => [value, nameOf(shop, 'dev')];

    const answer = await shop.pull('dev', query);
    expect(valuesIn(answer)).toEqual({
      HOST: inCommon('db'),
      PASSWORD: inShop('shop'),
      PLAIN: inShop(url),
      URL: inCommon('postgres://common@db'),
    });
    expect(answer.body.secrets.map(({ expand }: { expand?: true }) => expand)).toEqual([
      undefined,
      undefined,
      undefined,
      true,
    ]);
    expect((await shop.pull('dev', `${query}&format=json`)).body.URL).toBe('postgres://common@db');
    expect(valuesIn(await shop.pull('dev', `${query}&raw=true`)).URL).toEqual(inCommon(url));

    const client = new Holdfast({ url: api.url, token: token.token, retries: 0 });
    const names = [nameOf(common, 'dev'), nameOf(shop, 'dev')].map(name => `${owner.organization.slug}/${name}`);
    const snapshot = await client.layers(names);
    expect([snapshot.get('URL'), snapshot.keys().filter(key => snapshot.expands(key))]).toEqual([
      'postgres://common@db',
      ['URL'],
    ]);
    expect((await client.layers(names, { raw: true })).get('URL')).toBe(url);

    // Whoever reads the value knows the keys that it names, and only those.
    const named = async () => (await common.entriesOf('secret.pulled')).map(({ keys }) => keys?.toSorted());
    await expectStatus(shop.pull('dev', `${query}&keys=URL`), 200);
    expect(await named()).toContainEqual(['HOST', 'PASSWORD', 'URL']);
    await expectStatus(shop.pull('dev', `${query}&keys=URL&raw=true`), 200);
    expect(await named()).toContainEqual(['URL']);
  });

  it('of more than fits in one response once expanded is rejected without an audit entry, and fits with raw', async () => {
    const expanding = (prefix: string) => [
      { key: 'LONG', value: 'x'.repeat(60_000) },
      ...Array.from({ length: 40 }, (_, index) => ({ key: `${prefix}_${index}`, value: '\u0024{LONG}', expand: true })),
    ];
    await expectStatus(common.importAll('dev', expanding('A')), 200);
    await expectStatus(shop.importAll('dev', expanding('B')), 200);
    const query = layersOf(nameOf(common, 'dev'));
    const answer = await shop.pull('dev', query);
    expect([answer.status, answer.body.error.code]).toEqual([413, 'payload_too_large']);
    expect(await pulls()).toEqual([]);
    expect((await shop.pull('dev', `${query}&raw=true`)).body.secrets).toHaveLength(81);
  });

  it('is rejected with the environment as its own layer, duplicates, more than five, or what names no environment', async () => {
    const names = ['dev', 'staging', 'production'].flatMap(env => [nameOf(common, env), nameOf(shop, env)]);
    const others = names.filter(name => name !== nameOf(shop, 'dev'));
    expect((await shop.pull('dev', layersOf(...others))).status).toBe(200);
    const problems = async (query: string) => {
      const { status, body } = await shop.pull('dev', query);
      return [status, body.error?.code, body.error?.details?.[0]?.path];
    };
    const invalid = (path: string) => [400, 'invalid_request', path];
    expect(await problems(layersOf(nameOf(common, 'dev'), nameOf(shop, 'dev')))).toEqual(invalid('layers.1'));
    expect(await problems(layersOf(nameOf(common, 'dev'), nameOf(common, 'dev')))).toEqual(invalid('layers.1'));
    expect(await problems(layersOf(...others, `${shop.project.slug}/other`))).toEqual(invalid('layers'));
    expect(await problems(layersOf())).toEqual(invalid('layers'));
    for (const name of ['dev', '/dev', 'shop/', 'a/b/c', 'Shop/dev', 'shop/dev%20', '../dev']) {
      const answer = await problems(`?layers=${name}`);
      expect([name, ...answer]).toEqual([name, 400, 'invalid_request', 'layers.0']);
    }
    for (const more of ['revision=1', 'search=A', 'limit=1', 'offset=1', 'describe=true']) {
      const name = more.split('=')[0] as string;
      expect(await problems(`${layersOf(nameOf(common, 'dev'))}&${more}`)).toEqual(invalid(name));
    }
    expect(await problems(`/keys${layersOf(nameOf(common, 'dev'))}`)).toEqual(invalid('layers'));
  });

  it('of more than fits in one response is rejected without an audit entry, and fits by keys', async () => {
    for (const [place, prefix] of [
      [common, 'A'],
      [shop, 'B'],
    ] as const) {
      await expectStatus(place.importAll('dev', numbered(33, 'x'.repeat(65_000), `${prefix}_`)), 200);
    }
    const query = layersOf(nameOf(common, 'dev'));
    const answer = await shop.pull('dev', query, { as: token });
    expect([answer.status, answer.body.error.code]).toEqual([413, 'payload_too_large']);
    expect(await pulls()).toEqual([]);
    expect((await shop.pull('dev', `${query}&keys=A_0,B_0`, { as: token })).body.secrets).toHaveLength(2);
  });
});

describe('a layer that the caller may not read', () => {
  /** Pulls with each of the names refused on its own, and then with none of them. */
  async function expectRefused(as: Caller, refused: Record<string, string>, allowed: readonly string[]) {
    for (const [name, expected] of Object.entries(refused)) {
      for (const layers of [[name], [...allowed, name], [name, ...allowed]]) {
        for (const more of ['', '&keys=K', '&format=json']) {
          const { status, body } = await shop.pull('dev', layersOf(...layers) + more, { as });
          expect([name, layers.length, more, `${status} ${body.error?.code}`]).toEqual([
            name,
            layers.length,
            more,
            expected,
          ]);
          expect([body.error.details, body.secrets]).toEqual([{ layer: name }, undefined]);
          expect(body.error.message).toContain(`${owner.organization.slug}/${name}: `);
        }
        // Nothing is said about revisions either.
        const conditional = await shop.pull('dev', layersOf(...layers), { as, headers: { 'if-none-match': '*' } });
        expect(`${conditional.status} ${conditional.body?.error?.code}`).toBe(expected);
      }
    }
    expect(await pulls()).toEqual([]);
    const { status } = await shop.pull('dev', layersOf(...allowed), { as });
    expect(status).toBe(200);
    expect(await pulls()).toHaveLength(1 + allowed.length);
  }

  const missing = () => ({
    [nameOf(common, 'nowhere')]: '404 environment_not_found',
    'nowhere/dev': '404 project_not_found',
  });

  const fill = async () => {
    for (const place of [common, shop]) {
      for (const env of ['dev', 'staging', 'production']) await place.importAll(env, { K: `of ${nameOf(place, env)}` });
    }
  };

  it('by its role refuses all', async () => {
    await fill();
    const developer = await createToken(api, await shop.member('developer'));
    const production = { [nameOf(common, 'production')]: '403 forbidden', ...missing() };
    await expectRefused(developer, production, [nameOf(common, 'dev'), nameOf(common, 'staging')]);
  });

  it('because only some projects exist for it refuses all', async () => {
    await fill();
    const person = await shop.member('developer');
    const projectRoles = [{ projectId: shop.project.id, role: 'developer' }];
    const path = `/members/${owner.organization.id}`;
    const { members } = (await api.get(path, owner.session)).body;
    const { id } = members.find(({ email }: { email: string }) => email === person.email);
    await expectStatus(api.put(`${path}/${id}/projects`, { limited: true, projectRoles }, owner.session), 200);
    const others = Object.fromEntries(['dev', 'nowhere'].map(env => [nameOf(common, env), '404 project_not_found']));
    const forbidden = { [nameOf(shop, 'production')]: '403 forbidden' };
    await expectRefused(person.session, { ...others, ...missing(), ...others, ...forbidden }, [
      nameOf(shop, 'staging'),
    ]);
  });

  it('because of the limits of its token refuses all', async () => {
    await fill();
    const scope = { organizationId: owner.organization.id, projectId: shop.project.id };
    const ofProject = await createToken(api, owner, scope);
    const other = { [nameOf(common, 'dev')]: '404 project_not_found' };
    await expectRefused(ofProject, other, [nameOf(shop, 'production')]);
    const ofEnvironment = await createToken(api, owner, { ...scope, environmentId: shop.environmentId('dev') });
    const { status, body } = await shop.pull('dev', layersOf(nameOf(shop, 'staging')), { as: ofEnvironment });
    expect([status, body.error.code]).toEqual([404, 'environment_not_found']);
  });

  it('because it is being deleted refuses all', async () => {
    await fill();
    const path = `${common.projectPath}/environments/staging`;
    await expectStatus(api.delete(`${path}?keepDays=1`, owner.session), 200);
    const gone = { [nameOf(common, 'staging')]: '404 environment_not_found' };
    await expectRefused(owner.session, gone, [nameOf(common, 'dev')]);
  });

  it('because the environment itself is refused gives no layer either', async () => {
    await fill();
    const viewer = await createToken(api, await shop.member('viewer'));
    const { status, body } = await shop.pull('staging', layersOf(nameOf(common, 'dev')), { as: viewer });
    expect([status, body.error.code, body.error.details]).toEqual([403, 'forbidden', undefined]);
    expect(await pulls()).toEqual([]);
  });

  it('until a grant lets it: the entry of that layer names the grant, and the others don’t', async () => {
    await fill();
    const viewer = await shop.member('viewer');
    const query = layersOf(nameOf(common, 'production'));
    expect((await shop.pull('dev', query, { as: viewer.session })).status).toBe(403);
    const path = `/members/${owner.organization.id}`;
    const { members } = (await api.get(path, owner.session)).body;
    const { id } = members.find(({ email }: { email: string }) => email === viewer.email);
    const grant = { environmentId: common.environmentId('production'), access: 'read', minutes: 5, reason: 'A test' };
    const made = await expectStatus(api.post(`${path}/${id}/grants`, grant, owner.session), 201);
    expect((await shop.pull('dev', query, { as: viewer.session })).status).toBe(200);
    const [ofCommon, ofShop] = [await common.entriesOf('secret.pulled'), await shop.entriesOf('secret.pulled')];
    expect([ofCommon, ofShop].map(entries => entries.map(({ grants }) => grants))).toEqual([
      [[made.body.grant.id]],
      [undefined],
    ]);
  });
});

describe('an identity that is limited to an environment and its layers', () => {
  const issuer = shared(startIssuer);

  it('pulls them, as a deployer whatever their type, and nothing else', async () => {
    for (const place of [common, shop]) await place.importAll('production', { K: 'value' });
    const body = identityOf(issuer, {
      role: 'deployer',
      access: 'write',
      environmentIds: [shop.environmentId('production'), common.environmentId('production')],
    });
    const path = `/identities/${owner.organization.id}`;
    const { identity } = (await expectStatus(api.post(path, body, owner.session), 201)).body;
    const subjectToken = await issuer.token(identity.id);
    const exchange = { identityId: identity.id, organizationSlug: owner.organization.slug, subjectToken };
    const as = { token: (await expectStatus(api.post('/auth/exchange', exchange), 201)).body.token };

    expect((await shop.pull('production', layersOf(nameOf(common, 'production')), { as })).status).toBe(200);
    const refused = await shop.pull('production', layersOf(nameOf(common, 'production'), nameOf(shop, 'dev')), { as });
    expect([refused.status, refused.body.error.code]).toEqual([404, 'environment_not_found']);
  });
});

describe('the cost of a pull with layers', () => {
  const count = async (query: string, headers: Record<string, string> = {}) => {
    resetProcessMemory('kept-access');
    const { answer, calls } = await recordRequest(more =>
      shop.pull('dev', query, { as: token, headers: { ...headers, ...more } }),
    );
    return { answer, ...countsOf(calls) };
  };
  const fill = async () => {
    for (const place of [common, shop]) {
      for (const env of ['dev', 'staging', 'production']) {
        await place.importAll(env, numbered(20, 'x'.repeat(200), `${env}_`));
        await expectStatus(place.pull(env), 200);
      }
    }
  };

  it('is one read unit and one write unit for each layer, two read units in another project, and no round trip', async () => {
    await fill();
    const alone = await count('');
    const cases: [readonly string[], number][] = [
      [[nameOf(shop, 'staging')], 1],
      [[nameOf(shop, 'staging'), nameOf(shop, 'production')], 2],
      [[nameOf(common, 'dev')], 2],
      [[nameOf(common, 'dev'), nameOf(shop, 'staging')], 3],
      // Two of one other project read it once.
      [[nameOf(common, 'dev'), nameOf(common, 'staging'), nameOf(common, 'production')], 4],
    ];
    for (const [layers, readUnits] of cases) {
      const counts = await count(layersOf(...layers));
      expect(counts.answer.status).toBe(200);
      expect(
        [layers.length, counts.roundTrips, counts.readUnits - alone.readUnits, counts.writeUnits, counts.kmsCalls],
        layers.join(),
      ).toEqual([layers.length, alone.roundTrips, readUnits, 1 + layers.length, 0]);
      const tag = counts.answer.headers.get('etag') as string;
      const unchanged = await count(layersOf(...layers), { 'if-none-match': tag });
      expect([unchanged.answer.status, unchanged.roundTrips, unchanged.writeUnits]).toEqual([304, 1, 0]);
    }
    const named = await count(`${layersOf(nameOf(common, 'dev'))}&keys=dev_0`);
    expect([named.roundTrips, named.writeUnits]).toEqual([alone.roundTrips, 2]);
  });
});
