import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type PathParameterName, parameterNames } from '#lib/contracts/path-parameters.ts';
import { type RoutedContract, routes } from '#lib/contracts/routes.ts';
import { codeOf, createProject, startApi, useApi } from '../support/api.ts';
import { documentedRequest, unknownValues } from '../support/documented-request.ts';
import { eventually } from '../support/eventually.ts';
import { identityOf, makeSigningKey, type SigningKey, signToken } from '../support/issuer.ts';
import { type Person, seedOwner } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { allItems } from '../support/table-dump.ts';
import { words } from '../support/words.ts';

/* A deployer in every operation. The lists are the specification's, deliberately not derived from the contracts. */

/** Allowed in its environment, whatever the environment's type. */
const reading = words(`pull-secrets list-keys list-versions list-revisions diff-revisions validate-environment
  list-proposals`);
const writing = ['set-secret', 'import-secrets', 'apply-changes', 'delete-secret', 'create-proposal'];
/** The same, about a proposal. These requests name one that doesn't exist. */
const readingProposals = ['get-proposal'];
const writingProposals = ['apply-proposal', 'rebase-proposal', 'record-progress', 'withdraw-proposal'];
/** Allowed because every viewer may, with a token that is limited to an environment. */
const viewing = ['list-projects', 'list-due', 'get-project', 'list-template-keys'];
/** Operations that need no rights, and the one that ends the token. */
const unwalked = new Set(['revoke-current-token', ...routes.filter(isPublic).map(({ operationId }) => operationId)]);
const types = ['production', 'development'] as const;
const accesses = ['read', 'write'] as const;
const issuer = { url: 'https://issuer.example.com' };
let key: SigningKey;
const api = useApi(() => startApi({ REQUESTS_PER_MINUTE: '100000' }));
let ada: Person;
let grace: Person;

beforeAll(async () => {
  [key, ada, grace] = await Promise.all([makeSigningKey(), seedOwner(), seedOwner()]);
});

interface Place {
  owner: Person;
  project: { id: string; slug: string; environments: { id: string; slug: string }[] };
  env: string;
}

function isPublic({ access }: RoutedContract): boolean {
  return access.kind === 'public';
}

const secretsIn = ({ owner, project, env }: Place) => `/secrets/${owner.organization.slug}/${project.slug}/${env}`;
const environmentIn = ({ owner, project, env }: Place) =>
  `/projects/${owner.organization.id}/${project.slug}/environments/${env}`;
async function furnish(owner: Person): Promise<Place['project']> {
  const project = await createProject(api, owner, `Shop ${randomUUID().slice(0, 8)}`);
  for (const { slug: env } of project.environments) {
    const secrets = { KEY: `of ${env}`, DATABASE_HOST: 'db', LOG_LEVEL: 'info' };
    await expectStatus(api.post(`${secretsIn({ owner, project, env })}/bulk`, { secrets }, owner.session), 200);
  }
  const template = `/templates/${owner.organization.slug}/${project.slug}`;
  await expectStatus(api.post(template, { key: 'KEY' }, owner.session), 201);
  return project;
}

async function makeDeployer({ owner, project, env }: Place, access: 'read' | 'write') {
  const body = identityOf(issuer, {
    role: 'deployer',
    access,
    projectId: project.id,
    environmentId: project.environments.find(({ slug }) => slug === env)?.id,
    jwks: { keys: [key.publicJwk] },
    tokenMinutes: 60,
  });
  const made = await expectStatus(api.post(`/identities/${owner.organization.id}`, body, owner.session), 201);
  return made.body.identity.id as string;
}

async function signIn(identityId: string, { owner }: Place): Promise<{ token: string }> {
  const subjectToken = await signToken(issuer, key, identityId);
  const body = { identityId, organizationSlug: owner.organization.slug, subjectToken };
  return { token: (await expectStatus(api.post('/auth/exchange', body), 201)).body.token };
}

/** A request of the operation, about a place. Everything that it names exists, except members, webhooks and so on. */
function requestOf(contract: RoutedContract, place: Place, other: string) {
  const { owner, project, env } = place;
  const { method, path, body } = documentedRequest(contract, {
    ...unknownValues(),
    orgId: owner.organization.id,
    orgSlug: owner.organization.slug,
    project: project.slug,
    slug: project.slug,
    env,
    key: 'KEY',
  });
  const queries: Record<string, string> = { 'compare-environments': `?with=${other}`, 'diff-revisions': '?from=0' };
  const promotion = { from: env, to: other };
  const bodies: Record<string, unknown> = {
    'promote-secrets': promotion,
    'restore-secrets': { revision: 0 },
    'create-proposal': { set: [{ key: 'KEY', value: 'proposed' }] },
  };
  const { operationId } = contract;
  return { method, path: path + (queries[operationId] ?? ''), body: bodies[operationId] ?? body };
}

async function ask(contract: RoutedContract, place: Place, as: { token: string }, other = 'staging'): Promise<string> {
  const { method, path, body } = requestOf(contract, place, other);
  return codeOf(await api.call(method, path, { as, body }));
}

const walked = routes.filter(({ operationId }) => !unwalked.has(operationId));
const named = (operationIds: readonly string[]) =>
  walked.filter(({ operationId }) => operationIds.includes(operationId));
const others = (operationIds: readonly string[]) =>
  walked.filter(({ operationId }) => !operationIds.includes(operationId));
const naming = (...names: PathParameterName[]) =>
  walked.filter(({ path }) => parameterNames(path).some(name => names.includes(name)));

async function askAll(contracts: readonly RoutedContract[], ...rest: [Place, { token: string }, string?]) {
  const answers: Record<string, string> = {};
  for (const contract of contracts) answers[contract.operationId] = await ask(contract, ...rest);
  return answers;
}

const unlike = (answers: Record<string, string>, pattern: RegExp) =>
  Object.entries(answers).filter(([, answer]) => !pattern.test(answer));

/** What tenants and accounts have. The rest counts requests. */
const stored = async () =>
  (await allItems())
    .filter(({ pk }) => /^(ORG|ENV|AUDIT|USER|DELIVERIES)#/.test(String(pk)))
    .map(item => JSON.stringify(item))
    .toSorted();

describe.each(types.flatMap(type => accesses.map(access => [type, access] as const)))(
  'a deployer of a %s environment with %s access',
  (type, access) => {
    let place: Place;
    let as: { token: string };
    const allowed = [...viewing, ...reading, ...(access === 'write' ? writing : [])];
    const admitted = [...readingProposals, ...(access === 'write' ? writingProposals : [])];

    beforeAll(async () => {
      place = { owner: ada, project: await furnish(ada), env: type === 'production' ? 'production' : 'dev' };
      as = await signIn(await makeDeployer(place, access), place);
    });

    it('may do there what its access says, and no other operation of the service', async () => {
      const before = await stored();
      const refused = await askAll(others([...allowed, ...admitted]), place, as);

      // An identity has no account, and what a whole organization shares is out of its scope.
      const ofNoMember = /^(401 unauthenticated|403 (admin_required|insufficient_scope))$/;
      const ofMembers = /^(403 (forbidden|insufficient_scope)|404 environment_not_found)$/;
      for (const { operationId, access: rule } of others([...allowed, ...admitted])) {
        expect([operationId, refused[operationId]]).toEqual([
          operationId,
          expect.stringMatching(rule.kind === 'member' ? ofMembers : ofNoMember),
        ]);
      }
      expect(refused).toMatchObject({
        'restore-secrets': expect.stringMatching(/^403 /),
        'destroy-versions': '403 insufficient_scope',
        'bulk-delete-secrets': expect.stringMatching(/^403 /),
        'promote-secrets': expect.stringMatching(/^403 /),
        'create-token': '401 unauthenticated',
      });
      if (access === 'read')
        for (const name of [...writing, ...writingProposals])
          expect([name, refused[name]]).toEqual([name, '403 insufficient_scope']);
      expect(await stored()).toEqual(before);

      const missing = await askAll(named(admitted), place, as);
      expect(unlike(missing, /^404 proposal_not_found$/)).toEqual([]);
      const answers = await askAll(named(allowed), place, as);
      expect(Object.keys(answers).toSorted()).toEqual(allowed.toSorted());
      expect(unlike(answers, /^20[01] ok$/)).toEqual([]);
    });

    it('may do nothing in another environment, another project or another organization', async () => {
      const elsewhere = (env: string): Place => ({ ...place, env });
      const own = place.env;
      const [otherEnv] = ['staging', 'production', 'dev'].filter(env => env !== own) as [string];
      const otherProject: Place = { owner: ada, project: await furnish(ada), env: own };
      const foreign: Place = { owner: grace, project: await furnish(grace), env: own };
      const before = await stored();

      const inOtherEnvironments = [
        await askAll(naming('env'), elsewhere('staging'), as, own),
        await askAll(naming('env'), elsewhere(otherEnv), as, own),
        await askAll(named(['promote-secrets']), elsewhere(otherEnv), as, own),
      ];
      const inOtherProject = await askAll(naming('project', 'slug'), otherProject, as);
      const inOtherOrganization = await askAll(naming('orgId', 'orgSlug'), foreign, as);

      for (const answers of inOtherEnvironments) {
        expect(unlike(answers, /^(403 (forbidden|insufficient_scope)|404 environment_not_found)$/)).toEqual([]);
      }
      expect(inOtherEnvironments[0]).toMatchObject({ 'pull-secrets': '404 environment_not_found' });
      expect(
        unlike(inOtherProject, /^(403 (forbidden|insufficient_scope)|404 (project|environment)_not_found)$/),
      ).toEqual([]);
      const missing = '404 project_not_found';
      expect(inOtherProject).toMatchObject({ 'pull-secrets': missing, 'get-project': missing });
      // Browsers start and complete a sign-in there; no token may.
      const {
        'start-provider-sign-in': starting,
        'complete-provider-sign-in': completing,
        'restore-organization': restoring,
        ...asMember
      } = inOtherOrganization;
      expect([starting, completing]).toEqual(['403 insufficient_scope', '403 insufficient_scope']);
      // A route of accounts: no identity had the organization.
      expect(restoring).toBe('401 unauthenticated');
      expect(unlike(asMember, /^(404 organization_not_found|403 admin_required)$/)).toEqual([]);
      expect(await stored()).toEqual(before);
    });

    it('sees only that environment in lists', async () => {
      const { body } = await expectStatus(api.get(`/projects/${ada.organization.id}`, as), 200);

      expect(body.projects.map(({ slug }: { slug: string }) => slug)).toEqual([place.project.slug]);
      expect(body.projects[0].environments.map(({ slug }: { slug: string }) => slug)).toEqual([place.env]);
    });

    it('can’t delete several secrets in one change', async () => {
      const body = { delete: ['KEY', 'DATABASE_HOST'] };
      const answer = await api.post(`${secretsIn(place)}/changes`, body, as);

      expect(codeOf(answer)).toBe(access === 'write' ? '403 forbidden' : '403 insufficient_scope');
      if (access === 'write')
        expect(answer.body.error.message).toBe('The role deployer may delete one secret at a time.');
    });
  },
);

describe('a deployer', () => {
  /** A deployer of production that may write there. */
  async function ofProduction() {
    const place: Place = { owner: ada, project: await furnish(ada), env: 'production' };
    const id = await makeDeployer(place, 'write');
    return { place, id, as: await signIn(id, place) };
  }

  it('keeps its rights when its environment’s type changes, and gets none elsewhere', async () => {
    const { place, as } = await ofProduction();

    for (const type of ['development', 'staging', 'production']) {
      await expectStatus(api.patch(environmentIn(place), { type }, ada.session), 200);
      const other = { ...place, env: 'dev' };
      await expectStatus(api.patch(environmentIn(other), { type }, ada.session), 200);

      expect([type, codeOf(await api.get(secretsIn(place), as))]).toEqual([type, '200 ok']);
      const set = await api.put(secretsIn(place), { key: 'KEY', value: type }, as);
      expect([type, codeOf(set)]).toEqual([type, '200 ok']);
      expect(codeOf(await api.get(secretsIn(other), as))).toBe('404 environment_not_found');
      expect(codeOf(await api.post(`${secretsIn(place)}/restore`, { revision: 1 }, as))).toBe('403 forbidden');
    }
  });

  it('learns from validation which keys are undeclared, and from a write which values are unchanged', async () => {
    const { place, as } = await ofProduction();
    const { organization } = ada;

    const validated = await api.get(`/templates/${organization.slug}/${place.project.slug}/validate/production`, as);
    const set = await api.put(secretsIn(place), { key: 'KEY', value: 'of production' }, as);

    expect(validated.body).toMatchObject({ valid: true, undeclared: ['DATABASE_HOST', 'LOG_LEVEL'] });
    expect(set.body).toMatchObject({ changed: false });
  });

  it('doesn’t reach an environment that was created again under the same slug, with an old or a new token', async () => {
    const { place, id, as } = await ofProduction();
    expect(codeOf(await api.get(secretsIn(place), as))).toBe('200 ok');

    await expectStatus(api.delete(environmentIn(place), ada.session), 200);
    const environments = `/projects/${ada.organization.id}/${place.project.slug}/environments`;
    const again = { name: 'Production', slug: 'production', type: 'production' };
    await eventually(() => expectStatus(api.post(environments, again, ada.session), 201));
    await expectStatus(api.put(secretsIn(place), { key: 'KEY', value: 'new' }, ada.session), 201);

    for (const token of [as, await signIn(id, place)]) {
      const answers = await askAll(naming('env'), place, token);
      expect(unlike(answers, /^(403 (forbidden|insufficient_scope)|404 environment_not_found)$/)).toEqual([]);
      for (const name of [...reading, ...writing])
        expect([name, answers[name]]).toEqual([name, '404 environment_not_found']);
      expect((await api.get(`/projects/${ada.organization.id}`, token)).body.projects[0].environments).toEqual([]);
    }
  });

  it('loses its rights with its role, from the next request on', async () => {
    const { place, id, as } = await ofProduction();

    const identity = `/identities/${ada.organization.id}/${id}`;
    const set = async (value: string) => codeOf(await api.put(secretsIn(place), { key: 'KEY', value }, as));

    await expectStatus(api.patch(identity, { role: 'developer' }, ada.session), 200);
    expect(codeOf(await api.get(secretsIn(place), as))).toBe('403 forbidden');
    expect(await set('x')).toBe('200 ok');
    await expectStatus(api.patch(identity, { role: 'viewer' }, ada.session), 200);
    expect(await set('y')).toBe('403 forbidden');
  });

  it('is admitted by exactly these operations, so a new one refuses it until its contract admits it', () => {
    const admitting = routes.filter(({ access }) => access.kind === 'member' && access.deployers === true);

    const listed = [...reading, ...writing, ...readingProposals, ...writingProposals];
    expect(admitting.map(({ operationId }) => operationId).toSorted()).toEqual(listed.toSorted());
    for (const { access } of admitting) expect(access).toMatchObject({ narrowestToken: 'environment' });
  });
});
