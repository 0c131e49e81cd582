import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '#lib/contracts/routes.ts';
import { createToken, startApi } from '#test/support/api.ts';
import { unknownValues } from '#test/support/documented-request.ts';
import { shared } from '#test/support/fixtures.ts';
import { startIssuer } from '#test/support/issuer.ts';
import { expectStatus, issueToPipeline } from '#test/support/sample-requests.ts';
import { ask, buildService, guesses, past, proposeIn, requestsOf, type Service } from '#test/support/two-services.ts';

/*
 * A token for names only can't tell apart two services that differ in all values of all environments: their content,
 * their lengths, and which are equal within an environment, between environments and over time.
 */

const api = shared(() => startApi({ LOG_LEVEL: 'SILENT', REQUESTS_PER_MINUTE: '-1' }));
const issuer = shared(startIssuer);
const environments = ['dev', 'production'];

/** In the first service the environments have equal values, in the second each its own. */
async function build(which: keyof typeof past): Promise<Service> {
  const of = (env: string) =>
    past[which].map(values =>
      Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, which === 'guessed' ? value : `${env}${value}`]),
      ),
    );
  const service = await buildService(api, Object.fromEntries(environments.map(env => [env, of(env)])));
  const { place, callers } = service;
  const { organization } = place.owner;
  // Staging has values that name other keys.
  const named = {
    key: 'NAMES',
    value: which === 'guessed' ? '\u0024{REGION}' : '\u0024{REGION}-\u0024{LOG_LEVEL}',
    expand: true,
  };
  await expectStatus(place.change('staging', { set: [named] }), 200);
  // In the first service all but one of the proposed values are there already, so that the proposal leaves them out.
  const proposed = Object.entries(past.guessed.at(-1) ?? {}).map(([key, value]) => ({ key, value }));
  await proposeIn(api, service, 'production', { set: [...proposed, { key: 'PROPOSED', value: 'x' }] });
  callers['names token'] = await createToken(api, place.owner, { access: 'names', organizationId: organization.id });
  const limits = { projectId: place.project.id, environmentId: place.environmentId('production') };
  const rights = { ...limits, role: 'deployer', access: 'names' };
  callers['names deployer'] = await issueToPipeline(api, issuer, place.owner, rights);
  return service;
}

let services: [Service, Service];

beforeAll(async () => {
  services = [await build('guessed'), await build('unguessed')];
});

const { proposalId: _, ...unknown } = unknownValues();
const paths = {
  ...Object.fromEntries(Object.entries(unknown).map(([name, value]) => [name, [value]])),
  env: ['production', 'staging'],
  key: ['DATABASE_HOST', 'GONE', 'NEVER'],
};
const generate = { length: 8 };
/** What contracts give no example of. */
const bodies: Readonly<Record<string, readonly unknown[]>> = {
  'set-secret': [
    { key: 'NEW', generate },
    { key: 'DATABASE_HOST', generate },
    { key: 'DATABASE_HOST', generate, expectedVersion: 6 },
  ],
  'apply-changes': [
    { set: [{ key: 'DATABASE_HOST', generate }] },
    { set: [{ key: 'DATABASE_HOST', generate }], delete: ['REGION'] },
  ],
  'create-proposal': [
    { set: [{ key: 'DATABASE_HOST', generate }], delete: ['REGION'] },
    { promote: { from: 'dev' } },
    { promote: { from: 'dev', overwrite: false } },
    { promote: { from: 'staging' } },
    { restore: { revision: 1 } },
    { restore: { revision: 4 } },
  ],
};

const asked = routes.filter(({ access }) => access.kind === 'member' || access.kind === 'account');

describe('two services that differ in all values', () => {
  it.each(['names token', 'names deployer'])('look the same to a %s', async caller => {
    const answered = new Set<number>();
    const requests = asked.flatMap(contract => requestsOf(contract, paths, bodies[contract.operationId]));
    // The account's own data differs anyway.
    for (const request of requests.filter(({ path }) => !path.startsWith('/auth/'))) {
      const [guessed, unguessed] = await ask(api, services, caller, request);
      answered.add(JSON.parse(guessed)[0]);
      expect({ request, answer: unguessed }).toEqual({ request, answer: guessed });
    }

    expect([...answered]).toEqual(expect.arrayContaining([200, 201, 403, 404, 412]));
  });

  it('look different to the owner', async () => {
    const request = {
      method: 'GET',
      path: '/secrets/{orgSlug}/{project}/dev',
      query: {},
      headers: {},
      body: undefined,
    };
    const [guessed, unguessed] = await ask(api, services, 'owner', request);

    expect(guessed).toContain(guesses.DATABASE_HOST);
    expect(unguessed).not.toEqual(guessed);
  });
});
