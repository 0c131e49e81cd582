import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { requiredSetting } from '#lib/core/settings.ts';
import { renewAccess } from '#lib/organizations/change-counts.ts';
import { tableClient } from '#lib/table/client.ts';
import { keys } from '#lib/table/keys.ts';
import { at } from '#lib/table/read.ts';
import { identityRecord } from '#lib/table/records/identity.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, codeOf, createProject } from '#test/support/api.ts';
import { atOnce } from '#test/support/at-once.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { identityOf, startIssuer } from '#test/support/issuer.ts';
import type { Conductor } from '#test/support/observe-calls.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { seedOwner, seedPerson } from '#test/support/people.ts';
import { expectStatus, join } from '#test/support/sample-requests.ts';
import { words } from '#test/support/words.ts';

const publicIssuer = { url: 'https://token.actions.githubusercontent.com' };
const api = shared(() => startObservedApi({ WEBHOOK_ALLOW_LOOPBACK: 'false' }));
const issuer = shared(startIssuer);
const ada = shared(seedPerson);
const project = shared(() => createProject(api, ada));
const path = () => `/identities/${ada.organization.id}`;
const create = (changes: Record<string, unknown> = {}) =>
  api.post(path(), identityOf(publicIssuer, changes), ada.session);

const pathTo = ({ id }: { id: string }) => `${path()}/${id}`;
/** A new identity with these differences, which has to be valid. */
const make = async (changes: Record<string, unknown> = {}) => (await expectStatus(create(changes), 201)).body.identity;
const get = async (identity: { id: string }) =>
  (await expectStatus(api.get(pathTo(identity), ada.session), 200)).body.identity;
const patch = (identity: { id: string }, changes: object) => api.patch(pathTo(identity), changes, ada.session);
const remove = (identity: { id: string }) => expectStatus(api.delete(pathTo(identity), ada.session), 200);
const newestEntry = async (action: string) =>
  (await api.get(`/audit/${ada.organization.id}?action=${action}&limit=1`, ada.session)).body.entries[0];

const problemsIn = ({ status, body }: Answer): [number, string[]] => [
  status,
  body.error.details.map((problem: { path: string; message: string }) => `${problem.path}: ${problem.message}`),
];

describe('an identity', () => {
  it('is returned as it was created, with its own audience', async () => {
    const identity = await make({ projectId: project.id });

    expect(identity).toEqual({
      id: identity.id,
      name: 'deploy',
      access: 'read',
      role: 'developer',
      projectId: project.id,
      environmentId: null,
      environmentIds: null,
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
    expect(await get(identity)).toEqual(identity);
    expect((await api.get(path(), ada.session)).body.identities).toContainEqual(identity);
  });

  it('is changed field by field, and the audit log records what changed', async () => {
    const identity = await make();
    const { id } = identity;
    const claims = { repository_id: '75', environment: ['staging', 'production'] };
    const changes = { role: 'viewer', claims, projectId: project.id };
    const answer = await patch(identity, changes);

    expect(answer.body.identity).toMatchObject({ id, name: 'deploy', ...changes });
    expect(await newestEntry('identity.updated')).toMatchObject({
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
    await expectStatus(patch(identity, { role: 'viewer' }), 200);
    const { entries } = (await api.get(`/audit/${ada.organization.id}?action=identity.updated`, ada.session)).body;
    expect(entries.filter(({ target }: { target: { id: string } }) => target.id === id)).toHaveLength(1);
  });

  it('shows how its assertions may be used, and the audit log records the values and their changes', async () => {
    const settings = { singleUse: false, maxAssertionAgeMinutes: 60 };
    const identity = await make(settings);
    const changed = (await patch(identity, { singleUse: true, maxAssertionAgeMinutes: 1 })).body.identity;

    expect(identity).toMatchObject(settings);
    expect(changed).toMatchObject({ singleUse: true, maxAssertionAgeMinutes: 1 });
    expect(await get(identity)).toEqual(changed);
    expect(await newestEntry('identity.created')).toMatchObject({
      target: { id: identity.id },
      details: { role: 'developer', singleUse: false, maxAssertionAgeMinutes: '60' },
    });
    expect(await newestEntry('identity.updated')).toMatchObject({
      target: { id: identity.id },
      details: { singleUse: { from: false, to: true }, maxAssertionAgeMinutes: { from: '60', to: '1' } },
    });
  });

  it('that was stored before these settings existed accepts each assertion once, for ten minutes', async () => {
    const { id } = await make();
    const TableName = requiredSetting('TABLE_NAME');
    const Key = keys.identity(ada.organization.slug, id);
    const { Item } = await tableClient().send(new GetCommand({ TableName, Key }));
    const { singleUse: _, maxAssertionAgeMinutes: __, createdBy: ___, ...stored } = Item ?? {};
    await tableClient().send(new PutCommand({ TableName, Item: stored }));

    const identity = await get({ id });
    expect(identity).toMatchObject({ singleUse: true, maxAssertionAgeMinutes: 10, createdBy: null });
    expect((await api.get(path(), ada.session)).body.identities).toContainEqual(identity);
    const changed = await expectStatus(patch({ id }, { singleUse: false }), 200);
    expect(changed.body.identity).toEqual({ ...identity, singleUse: false });
  });

  it('becomes a deployer only with its environment, and can’t lose that environment', async () => {
    const environmentId = project.environments[0]?.id;
    const identity = await make({ projectId: project.id });
    const missing = [400, ['environmentId: is required for the role deployer']];

    expect(problemsIn(await patch(identity, { role: 'deployer' }))).toEqual(missing);
    await expectStatus(patch(identity, { role: 'deployer', environmentId }), 200);
    expect(problemsIn(await patch(identity, { environmentId: null }))).toEqual(missing);
    await expectStatus(patch(identity, { role: 'viewer', environmentId: null }), 200);
  });

  it('loses no change when two are made concurrently', async () => {
    const identity = await make();
    const changes = [{ role: 'viewer' }, { tokenMinutes: 30 }, { name: 'both' }];
    await Promise.all(changes.map(change => expectStatus(patch(identity, change), 200)));

    expect(await get(identity)).toMatchObject(Object.assign({}, ...changes));
  });

  const roles = 'role: must be one of deployer, developer, viewer';
  const needsClaim = 'claims: must require at least one claim besides iss, aud and sub, such as repository_id';
  it.each<[string, Record<string, unknown>, string]>([
    ['an owner', { role: 'owner' }, roles],
    ['an admin', { role: 'admin' }, roles],
    ['given full access', { access: 'full' }, 'access: must be one of names, read, write'],
    ['demanding only issuer, audience and subject', { claims: { sub: 'repo:a/b', iss: 'x', aud: 'y' } }, needsClaim],
    ['demanding only the subject by a pointer', { claims: { '/sub': 'a', '/iss': 'x', '/jti': 'y' } }, needsClaim],
    ['demanding nothing', { claims: {} }, needsClaim],
    ['demanding a number', { claims: { repository_id: 74 } }, 'claims.repository_id: must be text or a list of texts'],
    ['called like a person', { name: 'boss@example.com' }, 'name: must not contain @'],
    ['given tokens for a day', { tokenMinutes: 1440 }, 'tokenMinutes: must be at most 60'],
    ['a deployer without its environment', { role: 'deployer' }, 'environmentId: is required for the role deployer'],
    ['for assertions of no age', { maxAssertionAgeMinutes: 0 }, 'maxAssertionAgeMinutes: must be at least 1'],
    ['for assertions over an hour old', { maxAssertionAgeMinutes: 61 }, 'maxAssertionAgeMinutes: must be at most 60'],
    ['limited only to an environment', { environmentId: crypto.randomUUID() }, 'projectId: is required with'],
    ['for an issuer with a query', { issuer: 'https://issuer.example.com/?a=b' }, 'issuer: must not have a query'],
    ['for a URL with a password', { issuer: 'https://a:b@issuer.example.com' }, 'issuer: must not contain a user name'],
  ])('is never %s', async (_, changes, problem) => {
    expect(problemsIn(await create(changes))).toEqual([400, [expect.stringContaining(problem)]]);
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
    const identity = await make({ issuer, claims: bound });
    const refusal = [400, [expect.stringContaining(anyone)]];

    expect(problemsIn(await create({ issuer, claims: loose }))).toEqual(refusal);
    expect(problemsIn(await patch(identity, { claims: loose }))).toEqual(refusal);
    await remove(identity);
  });

  it('can’t be moved to a shared issuer with claims that identify no owner there', async () => {
    const own = 'https://oidc.circleci.com/org/7c5f';
    const identity = await make({ issuer: own, claims: { ref: 'refs/heads/main' } });

    const refusal = [400, [expect.stringMatching(/repository_id.*enterprise_id/)]];
    expect(problemsIn(await patch(identity, { issuer: publicIssuer.url }))).toEqual(refusal);
    await remove(identity);
  });

  it.each([
    'https://oidc.circleci.com/org/7c5f',
    'https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc',
    'https://oidc.vercel.com/acme',
    'https://oidc.eks.eu-west-1.amazonaws.com/id/7C5F',
  ])('may require any claim if its issuer’s URL names the owner (%s)', async issuer => {
    await remove(await make({ issuer, claims: { ref: 'refs/heads/main' } }));
  });

  it('rejects a claim named __proto__, which would be dropped silently', async () => {
    const text = JSON.stringify(identityOf(publicIssuer)).replace('"repository_id"', '"__proto__"');
    const refused = await api.post(path(), text, ada.session);
    expect(problemsIn(refused)).toEqual([400, ['claims: has a name that is not allowed']]);
  });

  const unreachable = `http://issuer.example.com https://127.0.0.1 https://localhost https://169.254.169.254
    https://[::1] https://issuer.internal ftp://issuer.example.com`;
  it.each(words(unreachable))('can’t have an issuer that is not public: %s', async url => {
    expect(problemsIn(await create({ issuer: url }))).toEqual([400, [expect.stringMatching(/^issuer: /)]]);
  });

  it('may have an issuer that is only known in its own network, if its keys are given', async () => {
    const jwks = { keys: [{ ...issuer.keys[0]?.publicJwk, x5t: 'ignored' }] };
    const given = { issuer: 'https://kubernetes.default.svc.cluster.local', jwks };
    const identity = await make(given);
    const { use: _, x5t: __, ...kept } = jwks.keys[0] ?? {};

    expect(identity.jwks).toEqual({ keys: [kept] });
    expect(problemsIn(await create({ ...given, issuer: 'http://kubernetes.default.svc' }))[0]).toBe(400);
    const notPublic = 'issuer: the host kubernetes.default.svc.cluster.local is not public';
    expect(problemsIn(await patch(identity, { jwks: null }))).toEqual([400, [notPublic]]);
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
    const identity = await make({ projectId: project.id });
    const answers = [
      await create({ projectId: none }),
      await create({ projectId: project.id, environmentId: none }),
      await patch(identity, { environmentId: none }),
      await api.get(pathTo({ id: none }), ada.session),
    ];

    const missing = ['project', 'environment', 'environment', 'identity'];
    expect(answers.map(codeOf)).toEqual(missing.map(what => `404 ${what}_not_found`));
    const widened = await patch(identity, { environmentId: none, projectId: null });
    expect(problemsIn(widened)).toEqual([400, ['projectId: is required with environmentId']]);
  });
});

it('never contacts a loopback issuer unless the setting allows it, even if an item names one', async () => {
  const { id } = await make({ jwks: { keys: [issuer.keys[0]?.publicJwk] } });
  const set = { issuer: issuer.url, jwks: null };
  await transact([update(at(identityRecord, ada.organization.slug, id), { set }), renewAccess(ada.organization)]);

  const assertion = { organizationSlug: ada.organization.slug, subjectToken: await issuer.token(id) };
  const answer = await api.post('/auth/exchange', { identityId: id, ...assertion });
  const message = 'The keys of the issuer can’t be read: must be an https URL.';
  expect(answer.body.error).toMatchObject({ code: 'issuer_unavailable', message });
  expect(issuer.fetches('discovery')).toBe(0);
});

it('is not created with rights that its creator has lost while the request was waiting', async () => {
  const owner = await seedOwner();
  const shop = await createProject(api, owner);
  const path = `/identities/${owner.organization.id}`;
  const outcomeOf = async (meanwhile: (admin: string) => Promise<unknown>) => {
    const admin = await seedPerson();
    const { id } = await join(api, owner, admin, 'admin');
    let hasWaited = false;
    const conductor: Conductor = {
      call: async (call, send) => {
        if (!call.operation.startsWith('TransactWrite') || hasWaited) return send();
        hasWaited = true;
        await meanwhile(id);
        return send();
      },
    };
    const send = (headers: Record<string, string>) =>
      api.post(path, identityOf(publicIssuer, { name: 'kept' }), admin.session, headers);
    return codeOf(await withFault({ conductor }, send));
  };
  const member = (id: string) => `/members/${owner.organization.id}/${id}`;

  expect([
    await outcomeOf(id => expectStatus(api.patch(member(id), { role: 'viewer' }, owner.session), 200)),
    await outcomeOf(id =>
      expectStatus(
        api.put(
          `${member(id)}/projects`,
          { limited: false, projectRoles: [{ projectId: shop.id, role: 'viewer' }] },
          owner.session,
        ),
        200,
      ),
    ),
    await outcomeOf(id => expectStatus(api.delete(member(id), owner.session), 200)),
    await outcomeOf(async () => undefined),
  ]).toEqual(['403 forbidden', '403 forbidden', '404 organization_not_found', '201 ok']);
  expect((await api.get(path, owner.session)).body.identities).toHaveLength(1);
});

it('are limited to 50 per organization, even when created concurrently', async () => {
  const grace = await seedPerson();
  const own = `/identities/${grace.organization.id}`;
  const createOne = () => api.post(own, identityOf(publicIssuer), grace.session);
  const refused = (await atOnce(53, createOne)).filter(({ status }) => status !== 201);

  expect(refused.map(({ body }) => body.error.code)).toEqual(Array(3).fill('identity_limit_reached'));
  const { identities } = (await api.get(own, grace.session)).body;
  expect(identities).toHaveLength(50);
  await expectStatus(api.delete(`${own}/${identities[0].id}`, grace.session), 200);
  await expectStatus(createOne(), 201);
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
