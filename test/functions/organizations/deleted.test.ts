import { describe, expect, it } from 'vitest';
import { openLog } from '#lib/core/logger.ts';
import { eraseOrganization } from '#lib/jobs/erase-organization.ts';
import { eraseProject } from '#lib/jobs/erase-project.ts';
import { equals } from '#lib/table/expressions.ts';
import { at, find } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, createToken, startApi, useApi } from '#test/support/api.ts';
import { createWhenFree } from '#test/support/create-when-free.ts';
import { eventually } from '#test/support/eventually.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { identityOf, startIssuer } from '#test/support/issuer.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { platformCounts } from '#test/support/platform-counts.ts';
import { expectStatus, join, placeWithSecrets } from '#test/support/sample-requests.ts';

const api = useApi(() => startApi({ LOG_LEVEL: 'SILENT' }));
const log = openLog({});

const keep = ({ organization, session }: Person, days = 7) =>
  expectStatus(api.delete(`/orgs/${organization.id}?keepDays=${days}`, session), 200);
const restore = ({ organization }: Person, { session }: Pick<Person, 'session'>) =>
  api.post(`/orgs/deleted/${organization.id}/restore`, undefined, session);
const listedFor = async ({ session }: Person) => (await api.get('/orgs/deleted', session)).body.deleted;
const organizationsOf = async ({ session }: Person) => (await api.get('/auth/me', session)).body.organizations;
const itemOf = ({ organization }: Person) => at(organizationRecord, organization.slug);

async function settle(): Promise<void> {
  await eventually(async () => expect(violationsOf(await scanTable(), { settled: true })).toEqual([]));
}

describe('a deleted organization that is kept', () => {
  it('is out of reach at once, for members, tokens and identities, and comes back as it was', async () => {
    const owner = await placeWithSecrets(api);
    const developer = await seedPerson();
    await join(api, owner, developer, 'developer');
    const token = { token: (await createToken(api, owner, { organizationId: owner.organization.id })).token };
    const issuer = await startIssuer();
    const path = `/identities/${owner.organization.id}`;
    const { identity } = (await expectStatus(api.post(path, identityOf(issuer), owner.session), 201)).body;
    const exchange = async () =>
      api.post('/auth/exchange', {
        identityId: identity.id,
        organizationSlug: owner.organization.slug,
        subjectToken: await issuer.token(identity.id),
      });
    const machine = { token: (await expectStatus(exchange(), 201)).body.token };
    const secrets = `${owner.secrets}/dev`;
    const before = (await api.get(secrets, owner.session)).body;
    const counts = await platformCounts();

    await keep(owner);

    const refused = await Promise.all(
      [owner.session, developer.session, token, machine].map(as => api.get(secrets, as)),
    );
    expect(refused.map(codeOf)).toEqual(refused.map(() => '404 organization_not_found'));
    expect(codeOf(await exchange())).toBe('401 invalid_assertion');
    expect(await organizationsOf(developer)).not.toContainEqual(expect.objectContaining({ id: owner.organization.id }));
    const { id, slug } = owner.organization;
    expect(await listedFor(owner)).toMatchObject([{ id, slug }]);
    expect(await listedFor(developer)).toEqual([]);
    expect(codeOf(await restore(owner, developer))).toBe('404 deleted_not_found');

    await expectStatus(restore(owner, owner), 200);

    const again = await Promise.all([owner.session, developer.session, token, machine].map(as => api.get(secrets, as)));
    expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(again[0]?.body).toEqual(before);
    expect((await exchange()).status).toBe(201);
    expect(await platformCounts()).toEqual(counts);
    const audit = await api.get(`/audit/${id}?action=organization.restored`, owner.session);
    expect(audit.body.entries).toMatchObject([{ details: { deletedBy: owner.email } }]);
    expect(codeOf(await restore(owner, owner))).toBe('404 deleted_not_found');
    await issuer.stop();
    await settle();
  });

  it('keeps its slug, and tells only whoever deleted it until when', async () => {
    const [owner, stranger] = [await seedPerson(), await seedPerson()];
    const { slug } = owner.organization;
    await keep(owner);
    const [{ deletedAt, erasedAt }] = await listedFor(owner);

    const own = await api.post('/orgs', { name: 'Again', slug }, owner.session);
    const others = await api.post('/orgs', { name: 'Again', slug }, stranger.session);

    expect([own, others].map(codeOf)).toEqual(['409 slug_taken', '409 slug_taken']);
    expect([own, others].map(({ body }) => body.error.details)).toEqual([{ deletedAt, erasedAt }, undefined]);
    await expectStatus(restore(owner, owner), 200);
  });

  it('is erased with what is kept in it, when its days have passed', async () => {
    const owner = await placeWithSecrets(api);
    const { id, slug } = owner.organization;
    await expectStatus(api.delete(`/projects/${id}/shop?keepDays=30`, owner.session), 200);
    await keep(owner, 1);
    const erase = () => eraseOrganization({ type: 'erase-organization', orgSlug: slug, organizationId: id }, log);
    await expect(erase()).rejects.toThrow('is kept until');

    const due = new Date(Date.now() - 1000).toISOString();
    await transact([update(itemOf(owner), { set: { 'kept.erasedAt': due } })]);
    expect([await listedFor(owner), codeOf(await restore(owner, owner))]).toEqual([[], '404 deleted_not_found']);
    await erase();

    await eventually(async () => expect(await find(itemOf(owner))).toBeUndefined());
    await createWhenFree(api, '/orgs', { name: 'Again', slug }, owner.session, 20);
    await settle();
  });

  it('loses a project whose own days have passed, also before it comes back', async () => {
    const owner = await placeWithSecrets(api);
    const { id, slug } = owner.organization;
    await expectStatus(api.delete(`/projects/${id}/shop?keepDays=1`, owner.session), 200);
    await keep(owner);
    const project = at(projectRecord, slug, 'shop');
    const due = new Date(Date.now() - 1000).toISOString();
    await transact([update(project, { set: { 'kept.erasedAt': due } }, { if: { status: equals('deleting') } })]);
    const projectId = owner.project.id;
    await eraseProject({ type: 'erase-project', orgSlug: slug, organizationId: id, project: 'shop', projectId }, log);

    await eventually(async () => expect(await find(project)).toBeUndefined());
    await expectStatus(restore(owner, owner), 200);
    expect((await find(itemOf(owner)))?.projectCount).toBe(0);
    await settle();
  });
});
