import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ranges } from '#lib/table/keys.ts';
import { at, list } from '#lib/table/read.ts';
import { passkeyRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, createToken, nowSeconds, useSettings } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { runCommand } from '#test/support/run-command.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { addApp, addPasskey, logInWithApp } from '#test/support/second-factors.ts';
import { openBrowser } from '#test/support/sign-in/browser.ts';
import { seedColleague, useSignIn } from '#test/support/sign-in/scene.ts';
import { logInIn, openCompany, sessionThrough, signIn } from '#test/support/sign-in/sign-in.ts';

const grantAdmin = (env: Record<string, string>, ...args: string[]) =>
  runCommand('grant-admin', args, { PATH: process.env.PATH, ...env });

const revokeAdmin = (env: Record<string, string>, ...args: string[]) =>
  runCommand('revoke-admin', args, { PATH: process.env.PATH, ...env });

describe('grant-admin and revoke-admin', () => {
  const { api, names, provider } = useSignIn({ sub: 'nobody', email_verified: true });
  const revokeLocally = (email: string) => revokeAdmin({ PORT: new URL(api.url).port }, email);
  const grantLocally = (email: string) => grantAdmin({ PORT: new URL(api.url).port }, email);
  const person = shared(seedPerson);

  it('makes a user of the running local stack a platform administrator, whatever the case of the address', async () => {
    const { port } = new URL(api.url);
    const email = person.email.toUpperCase();
    expect((await api.get('/admin/stats', person.session)).status).toBe(403);
    const stdout = `${email} is now a platform administrator of the local stack on port ${port}.\n`;
    expect(await grantLocally(email)).toEqual({ code: 0, stdout, stderr: '' });
    expect((await api.get('/admin/stats', person.session)).status).toBe(200);
  });

  it('refuses an account with ways in that its own log-in did not make, lists them, and changes nothing', async () => {
    const company = await openCompany(api, names, provider);
    const email = `worker@${company.domain}`;
    provider.script = { person: { sub: email, email, email_verified: true }, claims: { auth_time: nowSeconds() } };
    const session = await sessionThrough(api, company.slug);
    await createToken(api, { session }, { name: 'planted', organizationId: company.owner.organization.id });

    const refused = await grantLocally(email);

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

    expect((await grantLocally(unknown.email)).stderr).toContain(`the passkey "${passkey?.name}"`);
    expect((await grantLocally(own.email)).code).toBe(0);
  });

  it('ends the links of the new administrator, who can’t be linked again', async () => {
    const company = await openCompany(api, names, provider);
    const { email } = await seedColleague(company);
    expect((await grantLocally(email)).code).toBe(0);
    provider.script = { person: { sub: email, email, email_verified: true } };
    const browser = openBrowser();

    expect((await signIn(api, browser, company.slug)).error).toBe('link_required');
    await expectStatus(logInIn(api, browser, email), 200);
    expect((await signIn(api, openBrowser(), company.slug)).error).toBe('link_required');
  });

  it('leaves the admin routes closed until the administrator has a factor, unless that is switched off', async () => {
    const administrator = await seedPerson({ emailVerified: true });
    expect((await grantLocally(administrator.email)).code).toBe(0);
    useSettings({ ADMIN_FACTOR_REQUIRED: 'true' });
    expect(codeOf(await api.get('/admin/stats', administrator.session))).toBe('403 second_factor_required');
    const session = await logInWithApp(api, administrator, await addApp(api, administrator));
    expect((await api.get('/admin/stats', session)).status).toBe(200);
  });

  it('takes the right from a running session and a token with their next request, and changes nothing twice', async () => {
    const administrator = await seedPerson({ isAdmin: true, emailVerified: true });
    const { email, session } = administrator;
    const token = await createToken(api, administrator, { name: 'script' });
    expect((await api.get('/admin/stats', token)).status).toBe(200);
    const where = `the local stack on port ${new URL(api.url).port}`;

    const stdout = `${email} is no longer a platform administrator of ${where}.\n`;
    expect(await revokeLocally(email)).toEqual({ code: 0, stdout, stderr: '' });

    for (const caller of [session, token]) {
      expect(codeOf(await api.get('/admin/stats', caller))).toBe('403 admin_required');
      expect((await api.get('/auth/me', caller)).body.user.isAdmin).toBe(false);
    }
    const again = `${email} is not a platform administrator of ${where}, so nothing was changed.\n`;
    expect(await revokeLocally(email)).toEqual({ code: 0, stdout: again, stderr: '' });
    expect((await grantLocally(email)).code).toBe(0);
    expect((await api.get('/admin/stats', session)).status).toBe(200);
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
    const revoked = await revokeAdmin(env, other.email);
    expect(revoked.stdout).toBe(`${other.email} is no longer a platform administrator of the table ${table}.\n`);
    expect((await api.get('/admin/stats', other.session)).status).toBe(403);
  });

  it('reports in one sentence an unknown account, a missing stack, or the usage', async () => {
    const email = `${randomUUID()}@example.com`;
    const unknown = `No account has the e-mail address ${email}.\n`;
    expect(await grantLocally(email)).toEqual({ code: 1, stdout: '', stderr: unknown });
    expect(await revokeLocally(email)).toEqual({ code: 1, stdout: '', stderr: unknown });
    const none = await grantAdmin({ PORT: '1' }, 'ada@example.com');
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toMatch(/^No local stack answers on port 1: [^\n]*\.\n$/);
    const usage = await grantAdmin({});
    expect(usage).toEqual({ code: 1, stdout: '', stderr: 'Usage: npm run grant-admin -- <e-mail>\n' });
  });
});
