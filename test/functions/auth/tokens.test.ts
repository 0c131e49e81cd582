import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readCredential } from '#lib/crypto/credentials.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, queryItems } from '#lib/table/read.ts';
import type { AuditRecord } from '#lib/table/records/audit.ts';
import { tokenRecord } from '#lib/table/records/credentials.ts';
import { transact, update } from '#lib/table/write.ts';
import { createProject, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';

const api = shared(startApi);
const person = shared(seedPerson);

const create = (body: object, as = person.session) => api.post('/auth/token', { name: 'ci', ...body }, as);

describe('a token', () => {
  it('is shown once, works at once, and is listed by its first characters', async () => {
    const answer = await create({ name: 'deploy', access: 'read', expiresInDays: 90 });

    expect(answer.status).toBe(201);
    const { token, cliToken } = answer.body;
    expect(token).toMatch(/^service_tok_[0-9A-Za-z]{60}$/);
    expect(cliToken).toEqual({
      id: expect.any(String),
      name: 'deploy',
      prefix: token.slice(0, 16),
      access: 'read',
      organizationId: null,
      projectId: null,
      environmentId: null,
      createdAt: expect.any(String),
      lastUsedAt: null,
      expiresAt: new Date(Date.parse(cliToken.createdAt) + 90 * 86_400_000).toISOString(),
    });
    const me = await api.get('/auth/me', { token });
    expect(me.body.user).toEqual((await api.get('/auth/me', person.session)).body.user);
    expect(me.body.authentication).toMatchObject({ method: 'token', token: { id: cliToken.id } });
    const listed = await api.get('/auth/tokens', person.session);
    expect(listed.body.tokens.map(({ id }: { id: string }) => id)).toContain(cliToken.id);
    expect(JSON.stringify(await queryItems({ pk: `USER#${person.user.id}` }))).not.toContain(token);
  });

  it('has full access, no limit and no expiry by default', async () => {
    const { cliToken } = (await create({})).body;

    expect(cliToken).toMatchObject({ access: 'full', organizationId: null, expiresAt: null });
  });

  it('shows when it was last used', async () => {
    const { token, cliToken } = (await create({})).body;
    await api.get('/auth/me', { token });

    const listed = (await api.get('/auth/tokens', person.session)).body.tokens;

    expect(listed.find(({ id }: { id: string }) => id === cliToken.id).lastUsedAt).toEqual(expect.any(String));
  });

  it('stops working as soon as it is revoked, and can be revoked once', async () => {
    const { token, cliToken } = (await create({})).body;

    const revoked = await api.delete(`/auth/tokens/${cliToken.id}`, person.session);
    const again = await api.delete(`/auth/tokens/${cliToken.id}`, person.session);

    expect(revoked.body).toEqual({ success: true });
    expect((await api.get('/auth/me', { token })).status).toBe(401);
    expect([again.status, again.body.error.code]).toEqual([404, 'token_not_found']);
  });

  it('can only be revoked by its user', async () => {
    const { token, cliToken } = (await create({})).body;
    const stranger = await seedPerson();

    const answer = await api.delete(`/auth/tokens/${cliToken.id}`, stranger.session);

    expect([answer.status, answer.body.error.code]).toEqual([404, 'token_not_found']);
    expect((await api.get('/auth/me', { token })).status).toBe(200);
  });

  it('is not valid, not listed and can’t be revoked once it has expired', async () => {
    const { token, cliToken } = (await create({ expiresInDays: 1 })).body;
    const { userId, hash } = readCredential(token, 'service_tok_') ?? { userId: '', hash: '' };
    const past = new Date(Date.now() - 1000).toISOString();
    await transact([update(at(tokenRecord, userId, hash), { set: { expiryDate: past } })]);

    expect((await api.get('/auth/me', { token })).status).toBe(401);
    const listed = (await api.get('/auth/tokens', person.session)).body.tokens;
    expect(listed.map(({ id }: { id: string }) => id)).not.toContain(cliToken.id);
    expect((await api.delete(`/auth/tokens/${cliToken.id}`, person.session)).status).toBe(404);
  });

  it('can’t create, list or revoke tokens, even with full access', async () => {
    const { token, cliToken } = (await create({})).body;

    const answers = await Promise.all([
      api.post('/auth/token', { name: 'more' }, { token }),
      api.get('/auth/tokens', { token }),
      api.delete(`/auth/tokens/${cliToken.id}`, { token }),
    ]);

    for (const answer of answers) expect([answer.status, answer.body.error.code]).toEqual([403, 'insufficient_scope']);
  });
});

describe('a limited token', () => {
  it('requires the wider limits for a narrower one, and reports each that is missing', async () => {
    const id = crypto.randomUUID();

    const narrow = await create({ environmentId: id });
    const middle = await create({ projectId: id });

    const paths = ({ body }: typeof narrow) => body.error.details.map(({ path }: { path: string }) => path);
    expect(paths(narrow)).toEqual(['organizationId', 'projectId']);
    expect(paths(middle)).toEqual(['organizationId']);
  });

  it('sees only its own organization', async () => {
    const second = (await api.post('/orgs', { name: 'Second' }, person.session)).body.organization;
    const { token } = (await create({ organizationId: second.id })).body;

    const me = await api.get('/auth/me', { token });

    expect(me.body.organizations).toEqual([{ ...second, role: 'owner' }]);
    expect((await api.get(`/projects/${second.id}`, { token })).status).toBe(200);
    expect((await api.get(`/projects/${person.organization.id}`, { token })).status).toBe(404);
  });

  it('can’t be limited to something that its user can’t see or that does not exist', async () => {
    const stranger = await seedPerson();
    const [own, foreign] = await Promise.all([createProject(api, person), createProject(api, stranger)]);
    const other = await createProject(api, person, 'Other');
    const environmentOf = async (project: { slug: string }) =>
      (await api.get(`/projects/${person.organization.id}/${project.slug}`, person.session)).body.project
        .environments[0];
    const organizationId = person.organization.id;

    const codes = await Promise.all(
      [
        { organizationId: stranger.organization.id },
        { organizationId: crypto.randomUUID() },
        { organizationId, projectId: foreign.id },
        { organizationId: stranger.organization.id, projectId: foreign.id },
        { organizationId, projectId: own.id, environmentId: (await environmentOf(other)).id },
        { organizationId, projectId: own.id, environmentId: crypto.randomUUID() },
      ].map(async scope => (await create(scope)).body.error.code),
    );

    expect(codes).toEqual([
      'organization_not_found',
      'organization_not_found',
      'project_not_found',
      'organization_not_found',
      'environment_not_found',
      'environment_not_found',
    ]);
    const fits = await create({ organizationId, projectId: own.id, environmentId: (await environmentOf(own)).id });
    expect(fits.status).toBe(201);
  });

  it('adds an entry to the organization’s audit log when it is created and when it is revoked; other tokens don’t', async () => {
    const owner = await seedPerson();
    const organizationId = owner.organization.id;
    const { cliToken } = (await create({ name: 'bound', organizationId }, owner.session)).body;
    await create({ name: 'free' }, owner.session);

    await api.delete(`/auth/tokens/${cliToken.id}`, owner.session);

    const entries = (await queryItems(ranges.audit(organizationId))).filter(({ kind }) => kind === 'audit');
    expect(entries.filter(({ action }) => String(action).startsWith('token.'))).toEqual([
      expect.objectContaining({ action: 'token.created', target: { type: 'token', id: cliToken.id, name: 'bound' } }),
      expect.objectContaining({ action: 'token.revoked', target: { type: 'token', id: cliToken.id, name: 'bound' } }),
    ]);
  });

  it('adds an entry that names the session with which it was created, also by the command line', async () => {
    const owner = await seedPerson();
    const organizationId = owner.organization.id;
    await create({ name: 'direct', organizationId }, owner.session);
    const codeVerifier = randomBytes(32).toString('base64url');
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
    const { code } = (
      await api.post('/auth/cli-auth', { codeChallenge, name: 'laptop', organizationId }, owner.session)
    ).body;
    expect((await api.post('/auth/cli-auth', { code, codeVerifier })).status).toBe(201);
    const [session] = (await api.get('/auth/sessions', owner.session)).body.sessions;
    const { entries } = (await api.get(`/audit/${organizationId}?action=token.created`, owner.session)).body;
    expect(entries.map(({ target, actor }: AuditRecord) => [target.name, actor.sessionId])).toEqual([
      ['laptop', session.id],
      ['direct', session.id],
    ]);
  });
});
