import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { requiredSetting } from '#lib/core/settings.ts';
import { tableClient } from '#lib/table/client.ts';
import { keys } from '#lib/table/keys.ts';
import { at } from '#lib/table/read.ts';
import { identityRecord } from '#lib/table/records/identity.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, createProject } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { identityOf, startIssuer } from '#test/support/issuer.ts';
import { startObservedApi } from '#test/support/observed-api.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';

let path: string;

const publicIssuer = { url: 'https://token.actions.githubusercontent.com' };

const api = shared(() => startObservedApi({ WEBHOOK_ALLOW_LOOPBACK: 'false' }));
const issuer = shared(startIssuer);
const ada = shared(seedPerson);
const project = shared(() => createProject(api, ada));
beforeAll(() => {
  path = `/identities/${ada.organization.id}`;
});

const create = (changes: Record<string, unknown> = {}) =>
  api.post(path, identityOf(publicIssuer, changes), ada.session);

async function storedItem(identityId: string) {
  const Key = keys.identity(ada.organization.slug, identityId);
  const { Item } = await tableClient().send(new GetCommand({ TableName: requiredSetting('TABLE_NAME'), Key }));
  return Item as Record<string, unknown>;
}

/** The path and message of each problem. */
const problemsIn = ({ status, body }: Answer): [number, string[]] => [
  status,
  body.error.details.map((one: { path: string; message: string }) => `${one.path}: ${one.message}`),
];

describe('an identity', () => {
  it('is returned as it was created, with its own audience', async () => {
    const { status, body } = await create({ projectId: project.id });
    const { identity } = body;

    expect(status).toBe(201);
    expect(identity).toEqual({
      id: identity.id,
      name: 'deploy',
      access: 'read',
      role: 'developer',
      projectId: project.id,
      environmentId: null,
      issuer: publicIssuer.url,
      claims: { repository_id: '74', repository_owner_id: '65' },
      singleUse: true,
      maxAssertionAgeMinutes: 10,
      tokenMinutes: 15,
      jwks: null,
      audience: `holdfast:identity:${identity.id}`,
      createdAt: identity.createdAt,
      createdBy: { id: ada.user.id, email: ada.email },
      lastUsedAt: null,
      tokensEndedAt: null,
    });
    expect((await api.get(`${path}/${identity.id}`, ada.session)).body).toEqual({ identity });
    expect((await api.get(path, ada.session)).body.identities).toContainEqual(identity);
  });

  it('is changed field by field, and the audit log records what changed', async () => {
    const { id } = (await create()).body.identity;
    const one = `${path}/${id}`;
    const claims = { repository_id: '75', environment: ['staging', 'production'] };
    const answer = await api.patch(one, { role: 'viewer', claims, projectId: project.id }, ada.session);
    const { body } = await api.get(`/audit/${ada.organization.id}?action=identity.updated&limit=1`, ada.session);

    expect(answer.body.identity).toMatchObject({ id, role: 'viewer', claims, projectId: project.id, name: 'deploy' });
    expect(body.entries[0]).toMatchObject({
      target: { type: 'identity', id, name: 'deploy' },
      details: {
        role: { from: 'developer', to: 'viewer' },
        claims: {
          from: '{"repository_id":"74","repository_owner_id":"65"}',
          to: '{"environment":["staging","production"],"repository_id":"75"}',
        },
        projectId: { from: null, to: project.id },
      },
    });
    const again = await api.patch(one, { role: 'viewer' }, ada.session);
    const entries = (await api.get(`/audit/${ada.organization.id}?action=identity.updated`, ada.session)).body.entries;
    expect(again.status).toBe(200);
    expect(entries.filter(({ target }: { target: { id: string } }) => target.id === id)).toHaveLength(1);
  });

  it('shows how its assertions may be used, and the audit log records the values and their changes', async () => {
    const created = await create({ singleUse: false, maxAssertionAgeMinutes: 60 });
    const { id } = created.body.identity;
    const one = `${path}/${id}`;
    const changed = await api.patch(one, { singleUse: true, maxAssertionAgeMinutes: 1 }, ada.session);
    const audited = async (action: string) => {
      const { body } = await api.get(`/audit/${ada.organization.id}?action=${action}&limit=1`, ada.session);
      return body.entries[0];
    };

    expect(created.body.identity).toMatchObject({ singleUse: false, maxAssertionAgeMinutes: 60 });
    expect(changed.body.identity).toMatchObject({ singleUse: true, maxAssertionAgeMinutes: 1 });
    expect((await api.get(one, ada.session)).body.identity).toEqual(changed.body.identity);
    expect(await audited('identity.created')).toMatchObject({
      target: { id },
      details: { role: 'developer', singleUse: false, maxAssertionAgeMinutes: '60' },
    });
    expect(await audited('identity.updated')).toMatchObject({
      target: { id },
      details: { singleUse: { from: false, to: true }, maxAssertionAgeMinutes: { from: '60', to: '1' } },
    });
  });

  it('that was stored before these settings existed accepts each assertion once, for ten minutes', async () => {
    const { id } = (await create()).body.identity;
    const one = `${path}/${id}`;
    const { singleUse: _, maxAssertionAgeMinutes: __, createdBy: ___, ...stored } = await storedItem(id);
    await tableClient().send(new PutCommand({ TableName: requiredSetting('TABLE_NAME'), Item: stored }));

    const { body } = await expectStatus(api.get(one, ada.session), 200);
    expect(body.identity).toMatchObject({ singleUse: true, maxAssertionAgeMinutes: 10, createdBy: null });
    expect((await api.get(path, ada.session)).body.identities).toContainEqual(body.identity);
    const changed = await expectStatus(api.patch(one, { singleUse: false }, ada.session), 200);
    expect(changed.body.identity).toEqual({ ...body.identity, singleUse: false });
  });

  it('becomes a deployer only with its environment, and can’t lose that environment', async () => {
    const environmentId = project.environments[0]?.id;
    const one = `${path}/${(await create({ projectId: project.id })).body.identity.id}`;
    const missing = [400, ['environmentId: is required for the role deployer']];

    expect(problemsIn(await api.patch(one, { role: 'deployer' }, ada.session))).toEqual(missing);
    await expectStatus(api.patch(one, { role: 'deployer', environmentId }, ada.session), 200);
    expect(problemsIn(await api.patch(one, { environmentId: null }, ada.session))).toEqual(missing);
    await expectStatus(api.patch(one, { role: 'viewer', environmentId: null }, ada.session), 200);
  });

  it('loses no change when two are made concurrently', async () => {
    const { id } = (await create()).body.identity;
    const one = `${path}/${id}`;
    await Promise.all([
      expectStatus(api.patch(one, { role: 'viewer' }, ada.session), 200),
      expectStatus(api.patch(one, { tokenMinutes: 30 }, ada.session), 200),
      expectStatus(api.patch(one, { name: 'both' }, ada.session), 200),
    ]);

    expect((await api.get(one, ada.session)).body.identity).toMatchObject({
      role: 'viewer',
      tokenMinutes: 30,
      name: 'both',
    });
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['an owner', { role: 'owner' }, ['role: must be one of deployer, developer, viewer']],
    ['an admin', { role: 'admin' }, ['role: must be one of deployer, developer, viewer']],
    ['one with full access', { access: 'full' }, ['access: must be one of read, write']],
    [
      'one that demands nothing but issuer, audience and subject',
      { claims: { sub: 'repo:acme/web-shop', iss: 'x', aud: 'y' } },
      ['claims: must require at least one claim besides iss, aud and sub, such as repository_id'],
    ],
    [
      'one that demands nothing but the subject by a JSON pointer',
      { claims: { '/sub': 'repo:acme/web-shop', '/iss': 'x', '/jti': 'y' } },
      ['claims: must require at least one claim besides iss, aud and sub, such as repository_id'],
    ],
    [
      'one that demands nothing',
      { claims: {} },
      ['claims: must require at least one claim besides iss, aud and sub, such as repository_id'],
    ],
    [
      'one whose claim is a number',
      { claims: { repository_id: 74 } },
      ['claims.repository_id: must be text or a list of texts'],
    ],
    ['one that is called like a person', { name: 'boss@example.com' }, ['name: must not contain @']],
    ['tokens for a day', { tokenMinutes: 1440 }, ['tokenMinutes: must be at most 60']],
    ['a deployer without its environment', { role: 'deployer' }, ['environmentId: is required for the role deployer']],
    [
      'one that accepts assertions of no age',
      { maxAssertionAgeMinutes: 0 },
      ['maxAssertionAgeMinutes: must be at least 1'],
    ],
    [
      'one that accepts assertions older than an hour',
      { maxAssertionAgeMinutes: 61 },
      ['maxAssertionAgeMinutes: must be at most 60'],
    ],
    ['an environment without its project', { environmentId: crypto.randomUUID() }, ['projectId: is required with']],
    ['an issuer with a query', { issuer: 'https://issuer.example.com/?a=b' }, ['issuer: must not have a query']],
    [
      'an issuer with a password',
      { issuer: 'https://a:b@issuer.example.com' },
      ['issuer: must not contain a user name'],
    ],
  ])('is never %s', async (_, changes, problems) => {
    const [status, found] = problemsIn(await create(changes));

    expect([status, found]).toEqual([400, problems.map(problem => expect.stringContaining(problem))]);
  });

  const anyone = 'because anyone can get tokens from this issuer';
  const shared: readonly (readonly [issuer: string, bound: Record<string, string>, loose: Record<string, string>])[] = [
    [publicIssuer.url, { '/repository_id': '74' }, { ref: 'refs/heads/main' }],
    [publicIssuer.url, { enterprise_id: '7' }, { '/iss': publicIssuer.url, '/environment': 'production' }],
    ['https://Token.Actions.GitHubUserContent.com', { repository_owner: 'acme' }, { job_workflow_ref: 'x' }],
    [publicIssuer.url, { sub: 'repo:acme/web-shop', ref: 'main' }, { '/nested/repository_id': '74' }],
    [`${publicIssuer.url}/`, { repository: 'acme/web-shop' }, { '/repository~1owner': 'acme' }],
    ['https://gitlab.com', { project_path: 'acme/shop' }, { ref_protected: 'true', ref: 'main' }],
    ['https://gitlab.com', { '/namespace_id': '7' }, { repository_id: '74', pipeline_source: 'push' }],
    ['https://app.terraform.io', { terraform_organization_name: 'acme' }, { sub: 'x', terraform_run_phase: 'apply' }],
    ['https://accounts.google.com', { sub: '1134' }, { email_verified: 'true', hd: 'acme.example' }],
    ['https://oidc.vercel.com', { owner_id: 'team_7' }, { environment: 'production' }],
    ['https://agent.buildkite.com', { organization_slug: 'acme' }, { pipeline_slug: 'deploy' }],
    [
      'https://oidc.circleci.com',
      { 'oidc.circleci.com/org-id': '7c5f' },
      { 'oidc.circleci.com/vcs-origin': 'github.com/acme/shop', 'oidc.circleci.com/vcs-ref': 'refs/heads/main' },
    ],
    ['https://oidc.codefresh.io', { account_id: '5f30' }, { scm_repo_url: 'https://github.com/acme/shop' }],
    ['https://oidc.cirrus-ci.com', { owner: 'acme' }, { repository_visibility: 'private', sub: 'x' }],
    ['https://identity.depot.dev', { org_id: '4q2c' }, { ref: 'refs/heads/main' }],
    ['https://federation.namespaceapis.com', { tenant_id: 'tenant_7' }, { instance_id: 'x' }],
    ['https://oidc.modal.com', { workspace_id: 'ac-12345' }, { app_name: 'deploy', environment_name: 'main' }],
    ['https://api.pulumi.com/oidc', { sub: 'pulumi:deploy:org:acme:project:shop' }, { scope: 'write' }],
    ['https://api.pulumi.com/oidc/', { '/sub': 'pulumi:deploy:org:acme:project:shop' }, { scope: 'write' }],
    ['https://scalr.io', { sub: 'account:acme:environment:prod:workspace:shop' }, { workspace: 'shop' }],
  ];
  it.each(shared)('for a shared issuer (%s) must identify the owner: %o, not %o', async (issuer, bound, loose) => {
    const made = await expectStatus(create({ issuer, claims: bound }), 201);
    const one = `${path}/${made.body.identity.id}`;
    const [status, problems] = problemsIn(await create({ issuer, claims: loose }));
    const [updated, found] = problemsIn(await api.patch(one, { claims: loose }, ada.session));

    expect([status, updated]).toEqual([400, 400]);
    expect([problems, found]).toEqual(Array(2).fill([expect.stringContaining(anyone)]));
    await expectStatus(api.delete(one, ada.session), 200);
  });

  it('can’t be moved to a shared issuer with claims that identify no owner there', async () => {
    const own = { url: 'https://oidc.circleci.com/org/7c5f' };
    const made = await expectStatus(
      api.post(path, identityOf(own, { claims: { ref: 'refs/heads/main' } }), ada.session),
      201,
    );
    const one = `${path}/${made.body.identity.id}`;

    const [status, problems] = problemsIn(await api.patch(one, { issuer: publicIssuer.url }, ada.session));

    expect([status, problems]).toEqual([400, [expect.stringMatching(/repository_id.*enterprise_id/)]]);
    await expectStatus(api.delete(one, ada.session), 200);
  });

  it.each([
    'https://oidc.circleci.com/org/7c5f',
    'https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc',
    'https://oidc.vercel.com/acme',
    'https://oidc.eks.eu-west-1.amazonaws.com/id/7C5F',
  ])('may require any claim if its issuer’s URL names the owner (%s)', async issuer => {
    const made = await expectStatus(create({ issuer, claims: { ref: 'refs/heads/main' } }), 201);
    await expectStatus(api.delete(`${path}/${made.body.identity.id}`, ada.session), 200);
  });

  it('rejects a claim named __proto__, which would be dropped silently', async () => {
    const text = JSON.stringify(identityOf(publicIssuer)).replace('"repository_id"', '"__proto__"');

    expect(problemsIn(await api.post(path, text, ada.session))).toEqual([
      400,
      ['claims: has a name that is not allowed'],
    ]);
  });

  it.each([
    'http://issuer.example.com',
    'https://127.0.0.1',
    'https://localhost',
    'https://169.254.169.254',
    'https://[::1]',
    'https://issuer.internal',
    'ftp://issuer.example.com',
  ])('can’t have an issuer that is not public: %s', async url => {
    const [status, [problem]] = problemsIn(await create({ issuer: url }));

    expect([status, problem]).toEqual([400, expect.stringMatching(/^issuer: /)]);
  });

  it('may have an issuer that is only known in its own network, if its keys are given', async () => {
    const jwks = { keys: [{ ...issuer.keys[0]?.publicJwk, x5t: 'ignored' }] };
    const given = { issuer: 'https://kubernetes.default.svc.cluster.local', jwks };
    const { status, body } = await create(given);
    const { use: _, x5t: __, ...kept } = jwks.keys[0] ?? {};

    expect([status, body.identity.jwks]).toEqual([201, { keys: [kept] }]);
    expect(problemsIn(await create({ ...given, issuer: 'http://kubernetes.default.svc' }))[0]).toBe(400);
    const cleared = await api.patch(`${path}/${body.identity.id}`, { jwks: null }, ada.session);
    expect(problemsIn(cleared)).toEqual([400, ['issuer: the host kubernetes.default.svc.cluster.local is not public']]);
  });

  it('rejects private keys, and sets without a usable key', async () => {
    const { d: _, ...publicJwk } = { ...issuer.keys[0]?.publicJwk, d: '' };
    const secret = await create({ jwks: { keys: [{ ...publicJwk, d: 'c2VjcmV0' }] } });
    const weak = await create({ jwks: { keys: [{ kty: 'RSA', n: 'A'.repeat(171), e: 'AQAB' }] } });

    expect(problemsIn(secret)).toEqual([400, ['jwks.keys.0.d: is not a known field']]);
    expect(JSON.stringify(secret.body)).not.toContain('c2VjcmV0');
    expect(problemsIn(weak)).toEqual([400, [expect.stringContaining('jwks.keys: must have a signing key')]]);
  });

  it('can only be limited to something that exists', async () => {
    const none = crypto.randomUUID();
    const { id } = (await create({ projectId: project.id })).body.identity;
    const codes = [
      await create({ projectId: none }),
      await create({ projectId: project.id, environmentId: none }),
      await api.patch(`${path}/${id}`, { environmentId: none }, ada.session),
      await api.get(`${path}/${none}`, ada.session),
    ].map(({ status, body }) => `${status} ${body.error.code}`);

    expect(codes).toEqual([
      '404 project_not_found',
      '404 environment_not_found',
      '404 environment_not_found',
      '404 identity_not_found',
    ]);
    const widened = await api.patch(`${path}/${id}`, { environmentId: none, projectId: null }, ada.session);
    expect(problemsIn(widened)).toEqual([400, ['projectId: is required with environmentId']]);
  });
});

it('never contacts a loopback issuer unless the setting allows it, even if an item names one', async () => {
  const { id } = (await create({ jwks: { keys: [issuer.keys[0]?.publicJwk] } })).body.identity;
  const set = { issuer: issuer.url, jwks: null };
  await transact([update(at(identityRecord, ada.organization.slug, id), { set })]);

  const answer = await api.post('/auth/exchange', {
    identityId: id,
    organizationSlug: ada.organization.slug,
    subjectToken: await issuer.token(id),
  });

  expect(answer.body.error).toMatchObject({
    code: 'issuer_unavailable',
    message: 'The keys of the issuer can’t be read: must be an https URL.',
  });
  expect(issuer.fetches('discovery')).toBe(0);
});

it('are limited to 50 per organization, even when created concurrently', async () => {
  const grace = await seedPerson();
  const own = `/identities/${grace.organization.id}`;
  const answers = await Promise.all(
    Array.from({ length: 53 }, () => api.post(own, identityOf(publicIssuer), grace.session)),
  );
  const refused = answers.filter(({ status }) => status !== 201);

  expect(refused.map(({ body }) => body.error.code)).toEqual(Array(3).fill('identity_limit_reached'));
  const { identities } = (await api.get(own, grace.session)).body;
  expect(identities).toHaveLength(50);
  await expectStatus(api.delete(`${own}/${identities[0].id}`, grace.session), 200);
  await expectStatus(api.post(own, identityOf(publicIssuer), grace.session), 201);
});

it('are deleted with their organization', async () => {
  const grace = await seedPerson();
  const made = await api.post(`/identities/${grace.organization.id}`, identityOf(publicIssuer), grace.session);
  const { id } = made.body.identity;
  await expectStatus(api.delete(`/orgs/${grace.organization.id}`, grace.session), 200);

  await eventually(async () => {
    const text = (await scanTable()).map(({ pk, sk }) => `${pk} ${sk}`).join('\n');
    expect(text).not.toContain(id);
  });
  expect(violationsOf(await scanTable())).toEqual([]);
});
