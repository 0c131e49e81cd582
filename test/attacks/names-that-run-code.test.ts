import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServedFormat } from '#lib/contracts/secrets/secrets.ts';
import { type Answer, type Caller, codeOf, createProject, createToken, useApi } from '../support/api.ts';
import { openWorkplace, type Workplace } from '../support/environments.ts';
import { shared } from '../support/fixtures.ts';
import { identityOf } from '../support/issuer.ts';
import { type Person, seedOwner } from '../support/people.ts';
import { assertionOf, expectStatus, sampleIssuer, sampleKeys } from '../support/sample-requests.ts';

/* A variable such as LD_PRELOAD runs code, and a developer may write production without reading it. */

const asData = ['json', 'yaml', 'tfvars'];
const api = useApi();
const owner = shared(seedOwner);
let developer: Person;
let place: Workplace;

beforeAll(async () => {
  developer = await (await openWorkplace(api, owner)).member('developer');
});
beforeEach(async () => {
  place = await openWorkplace(api, owner);
});

const promote = (body: Record<string, unknown>, as: Caller, query = '') =>
  api.post(`/secrets/${owner.organization.slug}/${place.project.slug}/promote${query}`, body, as);
const post = (path: string, body: object, as: Caller) => api.post(place.at('production', path), body, as);

/** Every way to write the key, as a change or as a dry run of it. */
const ways: readonly [string, (key: string, as: Caller, query: string) => Promise<Answer>][] = [
  ['set', (key, as, query) => api.put(place.at('production', query), { key, value: 'x' }, as)],
  ['import', (key, as, query) => post(`/bulk${query}`, { secrets: { [key]: 'x' } }, as)],
  ['import of text', (key, as, query) => post(`/bulk${query}`, { dotenv: `${key}=x` }, as)],
  ['changes', (key, as, query) => post(`/changes${query}`, { set: [{ key, value: 'x' }] }, as)],
  [
    'promotion',
    async (key, as, query) => {
      await place.set('dev', key, 'x');
      return promote({ from: 'dev', to: 'production', keys: [key] }, as, query);
    },
  ],
];

async function identityToken(changes: Record<string, unknown>): Promise<{ token: string }> {
  const settings = { access: 'write', projectId: place.project.id, ...changes, ...(await sampleKeys()) };
  const path = `/identities/${owner.organization.id}`;
  const { body } = await expectStatus(api.post(path, identityOf(sampleIssuer, settings), owner.session), 201);
  return (await expectStatus(api.post('/auth/exchange', await assertionOf(owner, body.identity.id)), 201)).body;
}

async function pullText(path: string): Promise<{ status: number; text: string }> {
  const { token } = await createToken(api, owner);
  const response = await fetch(api.url + path, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, text: await response.text() };
}

describe.each(ways)('a %s of a name that runs code', (_, write) => {
  it.each(['', '?dryRun=true'])('is refused to a developer in production, and says why (%s)', async query => {
    const answer = await write('LD_PRELOAD', developer.session, query);
    expect(codeOf(answer)).toBe('403 forbidden');
    const { message, details } = answer.body.error;
    expect(message).toBe(
      'The role developer may not set LD_PRELOAD in production environments: such a name can control which code runs ' +
        'or whom it trusts, so it takes the right to read the environment.',
    );
    expect(details).toEqual({ keys: [{ key: 'LD_PRELOAD', reason: 'decides which program or library is loaded' }] });
    expect(await place.values('production')).toEqual({});
  });

  it('is refused in the same way whether the key exists, and with which value', async () => {
    const refusalIn = async () => {
      const { requestId: _id, ...error } = (await write('BASH_ENV', developer.session, '')).body.error;
      return error;
    };
    const absent = await refusalIn();
    await place.set('production', 'BASH_ENV', 'x');
    const same = await refusalIn();
    await place.set('production', 'BASH_ENV', 'another');
    expect([same, await refusalIn()]).toEqual([absent, absent]);
  });

  it('is refused to a developer’s token', async () => {
    const { token } = await createToken(api, developer, { access: 'write' });
    expect((await write('NODE_OPTIONS', { token }, '')).status).toBe(403);
  });

  it('is accepted from somebody who may read production, as are ordinary names from a developer', async () => {
    expect((await write('LD_PRELOAD', owner.session, '')).status).toBeLessThan(300);
    expect((await write('START_COMMAND', developer.session, '')).status).toBeLessThan(300);
    expect(Object.keys(await place.values('production')).sort()).toEqual(['LD_PRELOAD', 'START_COMMAND']);
  });
});

describe('names that run code', () => {
  it('are accepted where a developer may read, and can’t be promoted on with the rest', async () => {
    const { session: as } = developer;
    await expectStatus(place.importAll('staging', { ENV: 'x', A: '1', MAKE: 'y' }, { as }), 200);
    const whole = await promote({ from: 'staging', to: 'production' }, as);
    expect(whole.status).toBe(403);
    expect(whole.body.error.details.keys).toMatchObject([{ key: 'ENV' }, { key: 'MAKE' }]);
    await expectStatus(promote({ from: 'staging', to: 'production', keys: ['A'] }, as), 200);
    expect(await place.values('production')).toEqual({ A: '1' });
  });

  it('leave nothing of an import behind, and the message names one of many', async () => {
    const secrets = { A: '1', GIT_SSH: 'x', PATH: 'y', FLASK_APP: 'z' };
    const { body } = await place.importAll('production', secrets, { as: developer.session });
    expect(body.error.message).toContain('may not set GIT_SSH (and 2 more)');
    expect(await place.values('production')).toEqual({});
  });

  it('can be deleted by a developer', async () => {
    await place.set('production', 'LD_PRELOAD', 'x');
    expect((await api.delete(place.at('production', '/LD_PRELOAD'), developer.session)).status).toBe(200);
  });

  it('are refused to an identity that is a developer, and accepted from a deployer, who may read', async () => {
    await place.set('dev', 'ENV', 'x');
    const { body } = await api.get(`/projects/${owner.organization.id}/${place.project.slug}`, owner.session);
    const { id } = body.project.environments.find(({ slug }: { slug: string }) => slug === 'production');
    const asDeveloper = await identityToken({ role: 'developer' });
    const asDeployer = await identityToken({ role: 'deployer', environmentId: id });
    const refused = await place.set('production', 'ENV', 'x', { as: asDeveloper });
    expect(refused.body.error?.message).toMatch(/^The role dev/);
    expect((await promote({ from: 'dev', to: 'production' }, asDeveloper)).status).toBe(403);
    expect((await place.set('production', 'ENV', 'x', { as: asDeployer })).status).toBe(201);
  });
});

describe.each(ServedFormat.options)('?format=%s', format => {
  const pull = (query = '') => pullText(place.at('dev', `?format=${format}${query}`));
  const isData = asData.includes(format);

  it(isData ? 'hands on every name, as data' : 'refuses names that run code, unless they are allowed', async () => {
    await place.importAll('dev', { LD_PRELOAD: '/never-shown', FINE: '1', BASH_ENV: '/never-shown', MAKE: '/x' });
    const { status, text } = await pull();
    expect(status).toBe(isData ? 200 : 422);
    const allowed = await pull('&allow=LD_PRELOAD,BASH_ENV,MAKE,NOT_THERE');
    expect([allowed.status, allowed.text.includes('LD_PRELOAD')]).toEqual([200, true]);
    if (isData) return;
    const { code, details } = JSON.parse(text).error;
    expect(code).toBe('not_representable');
    expect(details.keys.map(({ key, reason }: Record<string, string>) => `${key} ${reason}`)).toEqual([
      'BASH_ENV makes a shell run code; to pass it anyway: allow=BASH_ENV',
      'LD_PRELOAD decides which program or library is loaded; to pass it anyway: allow=LD_PRELOAD',
      'MAKE decides what a compiler or a build runs; to pass it anyway: allow=MAKE',
    ]);
    expect(text).not.toContain('never-shown');
    expect(JSON.parse((await pull('&allow=LD_PRELOAD,BASH_ENV')).text).error.details.keys).toHaveLength(1);
    expect((await pull('&keys=FINE')).status).toBe(200);
    const audit = await api.get(`/audit/${owner.organization.id}?action=secret.pulled`, owner.session);
    const pulls = audit.body.entries.filter(({ target }: { target: { id: string } }) => target.id === place.project.id);
    expect(pulls).toHaveLength(2);
  });

  it('compares names exactly, except for Windows', async () => {
    await place.set('dev', 'Node_Options', 'x');
    expect((await pull()).status).toBe(format === 'powershell' ? 422 : 200);
  });
});

it('?allow= needs a format, and names of keys', async () => {
  const detailsOf = async (query: string) => (await place.pull('dev', query)).body.error.details[0];
  expect(await detailsOf('?allow=ENV')).toEqual({ path: 'allow', message: 'must be combined with format' });
  expect(await detailsOf('?format=sh&allow=')).toMatchObject({ path: 'allow' });
  expect(await detailsOf('?format=sh&allow=A%20B')).toMatchObject({ path: 'allow.0' });
});

it('the manifest of a Kubernetes Secret has another name for each environment, wherever the hyphens are', async () => {
  const path = `/projects/${owner.organization.id}`;
  const nameIn = async ({ slug }: { slug: string }, env: string) => {
    const { text } = await pullText(`/secrets/${owner.organization.slug}/${slug}/${env}?format=k8s`);
    return /name: "(.*)"/.exec(text)?.[1];
  };
  const [inEurope, everywhere] = [await createProject(api, owner, 'Shop EU'), await createProject(api, owner, 'Shop')];
  const environment = { name: 'EU Production' };
  await expectStatus(api.post(`${path}/${everywhere.slug}/environments`, environment, owner.session), 201);

  expect(await nameIn(inEurope, 'production')).toBe('shop-eu.production');
  expect(await nameIn(everywhere, 'eu-production')).toBe('shop.eu-production');
});
