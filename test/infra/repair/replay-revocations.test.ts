import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { ensureTable } from '#infra/local/resources.ts';
import { replayRevocations } from '#infra/repair/replay-revocations.ts';
import { openLog } from '#lib/core/logger.ts';
import { requiredSetting } from '#lib/core/settings.ts';
import { queueUnfinishedWork } from '#lib/jobs/queue-unfinished-work.ts';
import type { Key } from '#lib/table/entity.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find, queryItems } from '#lib/table/read.ts';
import {
  memberRecord,
  type OrganizationRecord,
  organizationRecord,
  removedMemberRecord,
} from '#lib/table/records/organization.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { put, putAll, transact } from '#lib/table/write.ts';
import { createProject, createToken, useApi, useSettings } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { type Person, seedPerson, testPassword } from '#test/support/people.ts';
import { runCommand } from '#test/support/run-command.ts';
import {
  expectStatus,
  invite,
  join,
  mailedToken,
  makeIdentity,
  makeWebhook,
  memberIdOf,
} from '#test/support/sample-requests.ts';
import { addPasskey } from '#test/support/second-factors.ts';
import { changesBetween, snapshotOf } from '#test/support/table-diff.ts';
import { allItems, emptyTable } from '#test/support/table-dump.ts';

const api = useApi();
const newPassword = 'another battery horse';

/** A new table with everything that is in the test's table now, as after a restore to this moment. */
async function restorePoint(): Promise<{ table: string; since: Date; oldTable: string; use: () => void }> {
  const [since, table, oldTable] = [new Date(), `restored-${randomUUID()}`, requiredSetting('TABLE_NAME')];
  const items = await allItems();
  const at = (name: string) => useSettings({ TABLE_NAME: name });
  await ensureTable(table);
  at(table);
  await putAll(items.map(item => ({ kind: 'put', key: item as unknown as Key, item })));
  at(oldTable);
  return { table, since, oldTable, use: () => at(table) };
}

interface Scene {
  owner: Person;
  removed: Person;
  lowered: Person;
  stolen: Person;
  tokens: { token: string }[];
}

async function organizationOf({ organization }: Person): Promise<OrganizationRecord> {
  const found = await find(at(organizationRecord, organization.slug));
  if (found === undefined) throw new Error('The organization is gone.');
  return found;
}

let scene: Scene;
beforeEach(async () => {
  await emptyTable();
  const owner = await seedPerson({ emailVerified: true });
  const [removed, lowered, stolen] = [await seedPerson(), await seedPerson(), await seedPerson()];
  for (const colleague of [removed, lowered, stolen]) await join(api, owner, colleague, 'admin');
  const tokens = [await createToken(api, owner), await createToken(api, owner), await createToken(api, stolen)];
  scene = { owner, removed, lowered, stolen, tokens };
});

/** Revokes a token, removes a member, lowers a role, and changes a password together with ending the tokens. */
async function revoke({ owner, removed, lowered, stolen, tokens }: Scene) {
  const members = `/members/${owner.organization.id}`;
  const change = { currentPassword: testPassword, newPassword, revokeTokens: true };
  await expectStatus(api.delete('/auth/tokens/current', tokens[0]), 200);
  await expectStatus(api.delete(`${members}/${await memberIdOf(api, owner, removed)}`, owner.session), 200);
  const member = `${members}/${await memberIdOf(api, owner, lowered)}`;
  await expectStatus(api.patch(member, { role: 'viewer' }, owner.session), 200);
  await expectStatus(api.post('/auth/change-password', change, stolen.session), 200);
}

const roleOf = async ({ owner }: Scene, { user }: Person) =>
  (await find(at(memberRecord, owner.organization.slug, user.id)))?.role;

const works = async (token: { token: string } | undefined) => (await api.get('/auth/me', token)).status === 200;

describe('replay-revocations', () => {
  it('repeats what was taken away since the restore point, also under maintenance, and nothing else', async () => {
    const { owner, lowered, tokens } = scene;
    const { id } = owner.organization;
    const [identity, webhook] = [await makeIdentity(api, owner), await makeWebhook(api, owner)];
    const { invitation } = await invite(api, owner, 'late@example.com');
    const passkey = await addPasskey(api, owner);
    const point = await restorePoint();
    await expectStatus(api.delete(`/auth/passkeys/${passkey.id}`, owner.session), 200);
    useSettings({ MAINTENANCE: 'true' });
    await revoke(scene);
    await expectStatus(api.delete(`/identities/${id}/${identity.id}`, owner.session), 200);
    await expectStatus(api.delete(`/webhooks/${id}/${webhook.id}`, owner.session), 200);
    await expectStatus(api.delete(`/members/${id}/${invitation.id}`, owner.session), 200);
    const ended = await snapshotOf(['rate'], ['accessRevision']);

    point.use();
    const { accessRevision } = await organizationOf(owner);
    const replayed = await replayRevocations(point.oldTable, point.since);

    expect(replayed).toMatchObject({ revocations: 8, repeated: 8, left: [] });
    expect((await organizationOf(owner)).accessRevision).not.toBe(accessRevision);
    const left = changesBetween(ended, await snapshotOf(['rate'], ['accessRevision']));
    expect(left.filter(line => !/ (?:session|revocation|user) /.test(line))).toEqual([]);
    expect(await Promise.all(tokens.map(works))).toEqual([false, true, false]);
    expect(await roleOf(scene, lowered)).toBe('viewer');
    expect(violationsOf(await scanTable())).toEqual([]);
    const again = await replayRevocations(point.oldTable, point.since);
    expect(again).toMatchObject({ revocations: 8, repeated: 0, recounted: [] });
  });

  it('closes accounts again, and gives back addresses whose change was undone', async () => {
    const { owner, removed, stolen } = scene;
    await expectStatus(api.delete(`/orgs/${removed.organization.id}`, removed.session), 200, 202);
    const erased = at(organizationRecord, removed.organization.slug);
    await eventually(async () => expect(await find(erased)).toBeUndefined());
    const email = `${randomUUID()}@example.com`;
    await expectStatus(api.post('/auth/change-email', { email }, stolen.session), 200);
    const link = await mailedToken(api, email, 'Confirm your new');
    await expectStatus(api.post('/auth/change-email/confirm', { token: link }), 200);
    const point = await restorePoint();
    const undo = await mailedToken(api, stolen.email, 'being changed');
    await expectStatus(api.post('/auth/change-email/undo', { token: undo }), 200);
    const closing = { as: removed.session, body: { password: testPassword } };
    await expectStatus(api.call('DELETE', '/auth/me', closing), 200);

    point.use();
    expect(await replayRevocations(point.oldTable, point.since)).toMatchObject({ left: [] });

    const logIn = (address: string) => api.post('/auth/login', { email: address, password: testPassword });
    const answers = await Promise.all([stolen.email, email, removed.email].map(logIn));
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401]);
    expect((await api.get('/auth/me', stolen.session)).status).toBe(401);
    const { members } = (await api.get(`/members/${owner.organization.id}`, owner.session)).body;
    expect(members).toHaveLength(3);
    await queueUnfinishedWork(openLog({}), { nowMs: Date.now() + 600_000 });
    await eventually(async () => expect(violationsOf(await scanTable())).toEqual([]));
    await eventually(async () => expect(await queryItems(ranges.account(removed.user.id))).toEqual([]));
  });

  it('repeats that a member was limited to projects, also under maintenance', async () => {
    const { owner } = scene;
    const { id, slug } = owner.organization;
    const [project, guest] = [await createProject(api, owner), await seedPerson()];
    await join(api, owner, guest, 'developer');
    const path = `/members/${id}/${await memberIdOf(api, owner, guest)}/projects`;
    const point = await restorePoint();
    useSettings({ MAINTENANCE: 'true' });
    const projectRoles = [{ projectId: project.id, role: 'viewer' }];
    await expectStatus(api.put(path, { limited: true, projectRoles }, owner.session), 200);
    await expectStatus(api.put(path, { limited: false, projectRoles: [] }, owner.session), 503);
    const limited = await find(at(memberRecord, slug, guest.user.id));

    point.use();
    expect(await replayRevocations(point.oldTable, point.since)).toMatchObject({ revocations: 1, repeated: 1 });

    expect(limited).toMatchObject({ limited: true, projectRoles: [{ slug: project.slug, role: 'viewer' }] });
    expect(await find(at(memberRecord, slug, guest.user.id))).toEqual(limited);
  });

  it('repeats that a grant was revoked, and leaves the member’s other rights', async () => {
    const { owner } = scene;
    const { id, slug } = owner.organization;
    const [{ environments }, guest] = [await createProject(api, owner), await seedPerson()];
    await join(api, owner, guest, 'viewer');
    const path = `/members/${id}/${await memberIdOf(api, owner, guest)}/grants`;
    const give = async (access: string) => {
      const body = { environmentId: environments[0]?.id, access, minutes: 60, reason: 'An incident' };
      return (await expectStatus(api.post(path, body, owner.session), 201)).body.grant.id as string;
    };
    const [revoked, kept] = [await give('read'), await give('write')];
    const point = await restorePoint();
    await expectStatus(api.delete(`${path}/${revoked}`, owner.session), 200);

    point.use();
    expect(await replayRevocations(point.oldTable, point.since)).toMatchObject({ revocations: 1, repeated: 1 });

    const member = await find(at(memberRecord, slug, guest.user.id));
    expect([member?.role, member?.grants?.map(grant => grant.id)]).toEqual(['viewer', [kept]]);
  });

  it('repeats that a person removed somebody whom rules had removed before, and could bring back', async () => {
    const { owner, removed } = scene;
    const { id: organizationId, slug } = owner.organization;
    const note = at(removedMemberRecord, slug, removed.user.id);
    await transact([put(note, { organizationId, removedAt: new Date().toISOString(), byRules: true })]);
    const point = await restorePoint();
    const path = `/members/${organizationId}/${await memberIdOf(api, owner, removed)}`;
    await expectStatus(api.delete(path, owner.session), 200);
    const byPerson = await find(note);

    point.use();
    expect((await find(note))?.byRules).toBe(true);
    expect(await replayRevocations(point.oldTable, point.since)).toMatchObject({ revocations: 1, repeated: 1 });

    expect(byPerson).toEqual({ organizationId, removedAt: expect.any(String) });
    expect(await find(note)).toEqual(byPerson);
    expect(await replayRevocations(point.oldTable, point.since)).toMatchObject({ revocations: 1, repeated: 0 });
  });

  it('leaves what the restored table has granted or changed since, and names the accounts', async () => {
    const { owner, removed, stolen, tokens } = scene;
    const point = await restorePoint();
    await revoke(scene);

    point.use();
    // The restored table is in use already: the member is removed and invited again, the password is changed.
    await expectStatus(
      api.delete(`/members/${owner.organization.id}/${await memberIdOf(api, owner, removed)}`, owner.session),
      200,
    );
    await join(api, owner, removed, 'developer');
    const change = { currentPassword: testPassword, newPassword: 'a third battery horse', revokeTokens: false };
    await expectStatus(api.post('/auth/change-password', change, stolen.session), 200);
    const { passwordHash } = (await find(at(userRecord, stolen.user.id))) ?? {};
    const env = { ...process.env, TABLE_NAME: point.table, PORT: '' };
    const args = ['--from', point.oldTable, '--since', point.since.toISOString()];
    const { code, stdout } = await runCommand('replay-revocations', args, env);

    expect([code, stdout.split('\n')[0]]).toEqual([
      0,
      `4 revocations in ${point.oldTable} since ${point.since.toISOString()}; 3 repeated on the table ${point.table}.`,
    ]);
    expect(stdout).toContain(`changed since the restore: USER#${stolen.user.id} / USER`);
    expect(await roleOf(scene, removed)).toBe('developer');
    expect((await find(at(userRecord, stolen.user.id)))?.passwordHash).toBe(passwordHash);
    expect(await Promise.all(tokens.map(works))).toEqual([false, true, false]);
    expect(violationsOf(await scanTable())).toEqual([]);
  });
});
