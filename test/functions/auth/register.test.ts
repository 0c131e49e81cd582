import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { settings } from '#lib/core/settings.ts';
import { queryItems } from '#lib/table/read.ts';
import { codeOf, sessionOf, useApi, useSettings } from '#test/support/api.ts';
import { atOnce } from '#test/support/at-once.ts';
import { registerPerson, seedPerson, testPassword } from '#test/support/people.ts';
import { platformCounts } from '#test/support/platform-counts.ts';
import { membersOf } from '#test/support/sample-requests.ts';
import { words } from '#test/support/words.ts';

const api = useApi();
const newEmail = () => `${randomUUID()}@example.com`;
const register = (fields: object = {}) =>
  api.post('/auth/register', { email: newEmail(), password: testPassword, ...fields });

describe('registering', () => {
  it('creates an account with a personal organization and logs the user in', async () => {
    const email = `Ada.${newEmail()}`;
    const before = await platformCounts();

    const answer = await register({ email, name: 'Ada' });

    expect(answer.status).toBe(201);
    expect(answer.body.user).toEqual({
      id: expect.any(String),
      email,
      name: 'Ada',
      emailVerified: false,
      isAdmin: false,
      createdAt: expect.any(String),
    });
    expect(answer.body.organization).toMatchObject({ name: "Ada's organization", plan: 'free', limitOverrides: {} });
    const me = await api.get('/auth/me', sessionOf(answer));
    expect(me.body).toEqual({
      user: { ...answer.body.user, secondFactors: { passkeys: 0, totp: false, recoveryCodesLeft: 0 } },
      organizations: [
        { ...answer.body.organization, memberId: expect.any(String), role: 'owner', limited: false, projectRoles: [] },
      ],
      confinedTo: null,
      authentication: { method: 'session', freshUntil: expect.any(String), secondFactor: false },
    });
    expect(await platformCounts()).toMatchObject({ users: before.users + 1, organizations: before.organizations + 1 });
  });

  it('sets an HttpOnly cookie for 14 days, without Secure on a local http address', async () => {
    const answer = await register();
    const cookie = /^__service_session=\w{60}; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax$/;
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(cookie)]);
  });

  it('derives a missing name from the e-mail address, and uses the given organization name', async () => {
    const answer = await register({ email: `grace.${newEmail()}`, organizationName: 'Compiler Works' });

    expect(answer.body.user.name).toMatch(/^grace\./);
    expect(answer.body.organization).toMatchObject({ name: 'Compiler Works' });
    expect(answer.body.organization.slug).toMatch(/^compiler-works/);
  });

  it('rejects an e-mail address that already has an account, case-insensitively', async () => {
    const { email } = await registerPerson(api);

    expect(codeOf(await register({ email: email.toUpperCase() }))).toBe('409 email_taken');
  });

  it('creates one account for five concurrent registrations of one address', async () => {
    const email = newEmail();
    const before = await platformCounts();

    const answers = await atOnce(5, () => register({ email }));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
    expect(await platformCounts()).toMatchObject({ users: before.users + 1, organizations: before.organizations + 1 });
  });

  it('reports all problems of its fields at once', async () => {
    const { status, body } = await register({ email: 'nobody', password: 'short', nickname: 'x', name: '' });

    expect(status).toBe(400);
    const paths = body.error.details.map(({ path }: { path: string }) => path);
    expect(paths.toSorted()).toEqual(['email', 'name', 'nickname', 'password']);
  });

  it.each(words('administrator QwertyUIOP123 password1234'))('rejects the common password %s', async password => {
    const { status, body } = await register({ password });
    const details = [{ path: 'password', message: expect.stringContaining('common') }];
    expect([status, body.error.details]).toEqual([400, details]);
  });

  it('mails a verification link that works once', async () => {
    const { email } = await registerPerson(api);
    const mail = (await api.mails()).find(({ to }) => to === email);
    const token = /#token=(\w+)/.exec(mail?.text ?? '')?.[1];
    expect(mail?.text).toContain(`${settings().DASHBOARD_ORIGIN}/verify-email#token=`);

    const first = await api.post('/auth/verify-email', { token });
    const second = await api.post('/auth/verify-email', { token });

    expect([first.status, first.body.user]).toEqual([200, expect.objectContaining({ email, emailVerified: true })]);
    expect(codeOf(second)).toBe('400 invalid_token');
  });

  it('stores no password or credential in plain text', async () => {
    const email = newEmail();
    const answer = await register({ email });
    const cookie = sessionOf(answer).cookie.split('=')[1] as string;
    const link = /#token=(\w+)/.exec((await api.mails()).find(({ to }) => to === email)?.text ?? '')?.[1] as string;
    const items = JSON.stringify(await queryItems({ pk: `USER#${answer.body.user.id}` }));

    expect(items).toContain('scrypt$17$8$1$');
    for (const secret of [testPassword, cookie, link]) expect(items).not.toContain(secret);
  });

  it('is limited per address, even in parallel, and malformed requests do not count', async () => {
    useSettings({ REGISTER_LIMIT_PER_HOUR: '3' });
    for (let index = 0; index < 5; index += 1) expect((await register({ password: 'short' })).status).toBe(400);

    const answers = await atOnce(6, () => register());

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(59 * 60);
  });
});

it('a name can be changed, also in the member lists', async () => {
  const person = await seedPerson();
  const answer = await api.patch('/auth/me', { name: 'Countess' }, person.session);

  expect(answer.body.user).toMatchObject({ id: person.user.id, name: 'Countess' });
  expect((await api.get('/auth/me', person.session)).body.user.name).toBe('Countess');
  expect(await membersOf(api, person)).toMatchObject([{ name: 'Countess' }]);
});
