import { describe, expect, it } from 'vitest';
import { readCredential } from '#lib/crypto/credentials.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, ofKind, queryItems } from '#lib/table/read.ts';
import type { AuditRecord } from '#lib/table/records/audit.ts';
import { auditRecord } from '#lib/table/records/audit.ts';
import { tokenRecord } from '#lib/table/records/credentials.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Caller, codeOf, createProject, createToken, useApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { handOffToken } from '#test/support/hand-off.ts';
import { seedPerson, seedTokens } from '#test/support/people.ts';

const api = useApi();
const person = shared(seedPerson);
const create = (body: object, as = person.session) => api.post('/auth/token', { name: 'ci', ...body }, as);
const revoke = async ({ id }: { id: string }, as = person.session) =>
  codeOf(await api.delete(`/auth/tokens/${id}`, as));
const statusOf = async (as: Caller) => (await api.get('/auth/me', as)).status;
const listed = async (id: string) =>
  (await api.get('/auth/tokens', person.session)).body.tokens.find((one: { id: string }) => one.id === id);

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
    expect(await listed(cliToken.id)).toMatchObject({ lastUsedAt: expect.any(String) });
    expect(JSON.stringify(await queryItems({ pk: `USER#${person.user.id}` }))).not.toContain(token);
  });

  it('has full access, no limit and no expiry by default', async () => {
    const { cliToken } = (await create({})).body;
    expect(cliToken).toMatchObject({ access: 'full', organizationId: null, expiresAt: null });
  });

  it('stops working as soon as it is revoked, and can be revoked once', async () => {
    const { token, cliToken } = (await create({})).body;

    expect(await revoke(cliToken)).toBe('200 ok');
    expect(await statusOf({ token })).toBe(401);
    expect(await revoke(cliToken)).toBe('404 token_not_found');
  });

  it('can only be revoked by its user', async () => {
    const { token, cliToken } = (await create({})).body;

    expect(await revoke(cliToken, (await seedPerson()).session)).toBe('404 token_not_found');
    expect(await statusOf({ token })).toBe(200);
  });

  it('can revoke itself, even if it may only read, which is an error for a session', async () => {
    const { organization, session } = await seedPerson();
    const limited = await createToken(api, { session }, { organizationId: organization.id, access: 'read' });

    expect((await api.delete('/auth/tokens/current', limited)).body).toEqual({ success: true });
    expect(await statusOf(limited)).toBe(401);
    expect((await api.get(`/audit/${organization.id}?action=token.revoked`, session)).body.entries).toHaveLength(1);
    expect(codeOf(await api.delete('/auth/tokens/current', session))).toBe('404 token_not_found');
  });

  it('is one of at most 100 of its user, even under many parallel requests', async () => {
    const owner = await seedPerson();
    await seedTokens(owner, 97);

    const answers = await Promise.all(Array.from({ length: 8 }, () => create({}, owner.session)));

    const rejected = Array(5).fill('409 token_limit_reached');
    expect(answers.map(codeOf).toSorted()).toEqual(['201 ok', '201 ok', '201 ok', ...rejected]);
    expect((await api.get('/auth/tokens', owner.session)).body.tokens).toHaveLength(100);
  });

  it('is not valid, not listed and can’t be revoked once it has expired', async () => {
    const { token, cliToken } = (await create({ expiresInDays: 1 })).body;
    const { userId, hash } = readCredential(token, 'service_tok_') ?? { userId: '', hash: '' };
    const past = new Date(Date.now() - 1000).toISOString();
    await transact([update(at(tokenRecord, userId, hash), { set: { expiryDate: past } })]);

    expect(await statusOf({ token })).toBe(401);
    expect(await listed(cliToken.id)).toBeUndefined();
    expect(await revoke(cliToken)).toMatch(/^404/);
  });
});

describe('a limited token', () => {
  it('requires the wider limits for a narrower one, and reports each that is missing', async () => {
    const id = crypto.randomUUID();
    const missing = async (limit: object) =>
      (await create(limit)).body.error.details.map(({ path }: { path: string }) => path);

    expect(await missing({ environmentId: id })).toEqual(['organizationId', 'projectId']);
    expect(await missing({ projectId: id })).toEqual(['organizationId']);
  });

  it('sees only its own organization', async () => {
    const second = (await api.post('/orgs', { name: 'Second' }, person.session)).body.organization;
    const { token } = (await create({ organizationId: second.id })).body;

    const { organizations } = (await api.get('/auth/me', { token })).body;
    expect(organizations).toEqual([
      { ...second, memberId: expect.any(String), role: 'owner', limited: false, projectRoles: [] },
    ]);
    expect((await api.get(`/projects/${second.id}`, { token })).status).toBe(200);
    expect((await api.get(`/projects/${person.organization.id}`, { token })).status).toBe(404);
  });

  it('can’t be limited to something that its user can’t see or that does not exist', async () => {
    const stranger = await seedPerson();
    const own = await createProject(api, person);
    const [foreign, other] = [await createProject(api, stranger), await createProject(api, person, 'Other')];
    const organizationId = person.organization.id;
    const environmentIn = ({ environments }: typeof own) => environments[0]?.id;
    const limits: [object, string][] = [
      [{ organizationId: stranger.organization.id }, '404 organization_not_found'],
      [{ organizationId: crypto.randomUUID() }, '404 organization_not_found'],
      [{ organizationId, projectId: foreign.id }, '404 project_not_found'],
      [{ organizationId: stranger.organization.id, projectId: foreign.id }, '404 organization_not_found'],
      [{ organizationId, projectId: own.id, environmentId: environmentIn(other) }, '404 environment_not_found'],
      [{ organizationId, projectId: own.id, environmentId: crypto.randomUUID() }, '404 environment_not_found'],
      [{ organizationId, projectId: own.id, environmentId: environmentIn(own) }, '201 ok'],
    ];

    for (const [limit, expected] of limits) {
      expect(codeOf(await create(limit)), JSON.stringify(limit)).toBe(expected);
    }
  });

  it('adds an entry to the organization’s audit log when it is created and when it is revoked; other tokens don’t', async () => {
    const owner = await seedPerson();
    const organizationId = owner.organization.id;
    const { cliToken } = (await create({ name: 'bound', organizationId }, owner.session)).body;
    await create({ name: 'free' }, owner.session);

    await revoke(cliToken, owner.session);

    const entries = ofKind(auditRecord, await queryItems(ranges.audit(organizationId)));
    const target = { type: 'token', id: cliToken.id, name: 'bound' };
    expect(entries.filter(({ action }) => String(action).startsWith('token.'))).toEqual(
      ['created', 'revoked'].map(change => expect.objectContaining({ action: `token.${change}`, target })),
    );
  });

  it('adds an entry that names the session with which it was created, also by the command line', async () => {
    const { organization, session } = await seedPerson();
    const organizationId = organization.id;
    await create({ name: 'direct', organizationId }, session);
    await handOffToken(api, session, { organizationId });
    const [{ id }] = (await api.get('/auth/sessions', session)).body.sessions;
    const { entries } = (await api.get(`/audit/${organizationId}?action=token.created`, session)).body;
    const sessions = entries.map(({ target, actor }: AuditRecord) => [target.name, actor.sessionId]);
    expect(sessions).toEqual(['laptop', 'direct'].map(name => [name, id]));
  });
});
