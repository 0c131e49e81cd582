import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, list } from '#lib/table/read.ts';
import { emailRecord, passkeyRecord, userRecord } from '#lib/table/records/user.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { startNameServer } from '#test/support/name-server.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { addApp, addPasskey, logInWithApp } from '#test/support/second-factors.ts';
import { openBrowser } from '#test/support/sign-in/browser.ts';
import { startHostileProvider } from '#test/support/sign-in/hostile-provider.ts';
import { logInIn, openCompany, sessionThrough, signIn } from '#test/support/sign-in/sign-in.ts';

const command = join(import.meta.dirname, '../../../infra/commands/grant-admin.ts');

async function grantAdmin(env: Record<string, string>, ...args: string[]) {
  const running = promisify(execFile)(process.execPath, [command, ...args], {
    env: { PATH: process.env.PATH, ...env },
  });
  const { stdout, stderr } = await running.catch(error => error as { stdout: string; stderr: string });
  return { code: running.child.exitCode, stdout, stderr };
}

describe('grant-admin', () => {
  const names = shared(startNameServer);
  const api = shared(() => startApi({ DNS_SERVERS: names.address }));
  const provider = shared(() => startHostileProvider({ sub: 'nobody', email_verified: true }));
  const person = shared(seedPerson);

  it('makes a user of the running local stack a platform administrator, whatever the case of the address', async () => {
    const { port } = new URL(api.url);
    const email = person.email.toUpperCase();
    expect((await api.get('/admin/stats', person.session)).status).toBe(403);
    expect(await grantAdmin({ PORT: port }, email)).toEqual({
      code: 0,
      stdout: `${email} is now a platform administrator of the local stack on port ${port}.\n`,
      stderr: '',
    });
    expect((await api.get('/admin/stats', person.session)).status).toBe(200);
  });

  it('refuses an account with ways in that its own log-in did not make, lists them, and changes nothing', async () => {
    const company = await openCompany(api, names, provider);
    const email = `worker@${company.domain}`;
    const claims = { auth_time: Math.floor(Date.now() / 1000) };
    provider.script = { person: { sub: email, email, email_verified: true }, claims };
    const session = await sessionThrough(api, company.slug);
    await expectStatus(
      api.post('/auth/token', { name: 'planted', organizationId: company.owner.organization.id }, session),
      201,
    );
    const port = new URL(api.url).port;

    const refused = await grantAdmin({ PORT: port }, email);

    expect([refused.code, refused.stdout]).toEqual([1, '']);
    for (const way of ['link to the sign-in provider', 'session of', 'token "planted"']) {
      expect(refused.stderr).toContain(way);
      expect(refused.stderr).toContain(company.slug);
    }
    expect((await api.get('/auth/me', session)).body.user.isAdmin).toBe(false);
  });

  it('refuses a factor of which it is unknown who added it, and takes one of the own log-in', async () => {
    const [own, unknown] = [await seedPerson({ emailVerified: true }), await seedPerson({ emailVerified: true })];
    await Promise.all([addPasskey(api, own), addPasskey(api, unknown)]);
    const [passkey] = await list(passkeyRecord, ranges.passkeys(unknown.user.id));
    const item = at(passkeyRecord, unknown.user.id, passkey?.credentialId ?? '');
    await transact([update(item, { set: { ownAddition: undefined } })]);
    const port = new URL(api.url).port;

    expect((await grantAdmin({ PORT: port }, unknown.email)).stderr).toContain(`the passkey "${passkey?.name}"`);
    expect((await grantAdmin({ PORT: port }, own.email)).code).toBe(0);
  });

  it('ends the links of the new administrator, who can’t be linked again', async () => {
    const company = await openCompany(api, names, provider);
    const administrator = await seedPerson({ emailVerified: true });
    const email = `root@${company.domain}`;
    await transact([
      put(at(emailRecord, email), { userId: administrator.user.id }),
      update(at(userRecord, administrator.user.id), { set: { email } }),
    ]);
    expect((await grantAdmin({ PORT: new URL(api.url).port }, email)).code).toBe(0);
    provider.script = { person: { sub: email, email, email_verified: true } };
    const browser = openBrowser();

    expect((await signIn(api, browser, company.slug)).error).toBe('link_required');
    await expectStatus(logInIn(api, browser, email), 200);
    expect((await signIn(api, openBrowser(), company.slug)).error).toBe('link_required');
  });

  it('leaves the admin routes closed until the administrator has a factor, unless that is switched off', async () => {
    const administrator = await seedPerson({ emailVerified: true });
    expect((await grantAdmin({ PORT: new URL(api.url).port }, administrator.email)).code).toBe(0);
    try {
      vi.stubEnv('ADMIN_FACTOR_REQUIRED', 'true');
      resetProcessMemory('settings');
      const refused = await api.get('/admin/stats', administrator.session);
      expect([refused.status, refused.body.error?.code]).toEqual([403, 'second_factor_required']);
      const app = await addApp(api, administrator);
      const session = await logInWithApp(api, administrator, app);
      expect((await api.get('/admin/stats', session)).status).toBe(200);
    } finally {
      vi.unstubAllEnvs();
      resetProcessMemory('settings');
    }
  });

  it('makes a user of a deployed table an administrator if TABLE_NAME is set and PORT is not', async () => {
    const other = await seedPerson();
    const table = process.env.TABLE_NAME ?? '';
    const env = {
      TABLE_NAME: table,
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_DYNAMODB: process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    };
    const { code, stdout } = await grantAdmin(env, other.email);
    expect([code, stdout]).toEqual([0, `${other.email} is now a platform administrator of the table ${table}.\n`]);
    expect((await api.get('/admin/stats', other.session)).status).toBe(200);
  });

  it('reports in one sentence an unknown account, a missing stack, or the usage', async () => {
    const email = `${randomUUID()}@example.com`;
    expect(await grantAdmin({ PORT: new URL(api.url).port }, email)).toEqual({
      code: 1,
      stdout: '',
      stderr: `No account has the e-mail address ${email}.\n`,
    });
    const none = await grantAdmin({ PORT: '1' }, 'ada@example.com');
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toMatch(/^No local stack answers on port 1: [^\n]*\.\n$/);
    const usage = await grantAdmin({});
    expect(usage).toEqual({ code: 1, stdout: '', stderr: 'Usage: npm run grant-admin -- <e-mail>\n' });
  });
});
