import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { newSession } from '#lib/accounts/sessions.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { readCredential } from '#lib/crypto/credentials.ts';
import { at, find } from '#lib/table/read.ts';
import { rateRecord } from '#lib/table/records/limits.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { transact } from '#lib/table/write.ts';
import { createToken, sessionOf } from '#test/support/api.ts';
import { createAuthenticator } from '#test/support/authenticator.ts';
import { shared } from '#test/support/fixtures.ts';
import { recordRequest, startObservedApi } from '#test/support/observed-api.ts';
import { seedPerson, testPassword } from '#test/support/people.ts';
import { countsOf } from '#test/support/record-calls.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import {
  addApp,
  addPasskey,
  ageSession,
  askedAtLogin,
  codeOf,
  forgetFactorMails,
  forgetUsedCodes,
  logInWithApp,
} from '#test/support/second-factors.ts';

const api = shared(startObservedApi);

const me = async (session: { cookie: string } | { token: string }) =>
  (await expectStatus(api.get('/auth/me', session), 200)).body;
const subjectsTo = async (email: string) =>
  (await api.mails()).filter(({ to, subject }) => to === email && subject.includes('log-in')).map(({ text }) => text);

describe('an account without a second factor', () => {
  it('logs in with just its password, and says so', async () => {
    const person = await seedPerson();
    const session = sessionOf(await api.post('/auth/login', { email: person.email, password: testPassword }));

    const { user, authentication } = await me(session);

    expect(user.secondFactors).toEqual({ passkeys: 0, totp: false, recoveryCodesLeft: 0 });
    expect(authentication).toEqual({
      method: 'session',
      secondFactor: false,
      freshUntil: expect.any(String),
    });
    const freshSeconds = (Date.parse(authentication.freshUntil) - Date.now()) / 1000;
    expect(freshSeconds).toBeGreaterThan(540);
    expect(freshSeconds).toBeLessThanOrEqual(600);
  });

  it('can’t have recovery codes', async () => {
    const person = await seedPerson();

    expect(codeOf(await api.post('/auth/recovery-codes', {}, person.session))).toBe('400 invalid_request');
  });
});

describe('an authenticator app', () => {
  it('becomes a second factor once a code confirms it, and comes with ten recovery codes', async () => {
    const person = await seedPerson();
    const { secret, uri } = (await expectStatus(api.post('/auth/totp', {}, person.session), 200)).body;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toBe(`otpauth://totp/Holdfast:${encodeURIComponent(person.email)}?secret=${secret}&issuer=Holdfast`);
    expect((await me(person.session)).user.secondFactors.totp).toBe(false);
    expect((await api.post('/auth/login', { email: person.email, password: testPassword })).status).toBe(200);

    const app = await addApp(api, person);

    expect(new Set(app.recoveryCodes).size).toBe(10);
    for (const code of app.recoveryCodes) expect(code).toMatch(/^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/);
    const { user, authentication } = await me(person.session);
    expect(user.secondFactors).toEqual({ passkeys: 0, totp: true, recoveryCodesLeft: 10 });
    expect(authentication.secondFactor).toBe(true);
    const stored = JSON.stringify(await find(at(userRecord, person.user.id)));
    for (const code of [secret, ...app.recoveryCodes]) expect(stored).not.toContain(code);
    expect(await subjectsTo(person.email)).toEqual([expect.stringContaining('An authenticator app was added')]);
  });

  it('is required only after a correct password, and its code completes the log-in', async () => {
    const person = await seedPerson();
    const app = await addApp(api, person);

    const wrong = await api.post('/auth/login', { email: person.email, password: 'not the password' });
    expect(codeOf(wrong)).toBe('401 invalid_credentials');
    const asked = await api.post('/auth/login', { email: person.email, password: testPassword });
    expect(codeOf(asked)).toBe('401 second_factor_required');
    expect(asked.headers.getSetCookie()).toEqual([]);
    const { challenge, ...others } = asked.body.error.details;
    expect(others).toEqual({ methods: ['totp', 'recovery_code'] });
    const answer = await expectStatus(api.post('/auth/login/verify', { challenge, totp: app.code() }), 200);

    expect(answer.body.user).toMatchObject({ id: person.user.id, email: person.email });
    expect((await me(sessionOf(answer))).authentication).toMatchObject({ method: 'session', secondFactor: true });
  });

  it('can be replaced and removed; removing the last factor deletes the recovery codes', async () => {
    const person = await seedPerson();
    const old = await addApp(api, person);
    const app = await addApp(api, person);

    expect(app.recoveryCodes).toBeUndefined();
    const { challenge } = await askedAtLogin(person);
    expect(codeOf(await api.post('/auth/login/verify', { challenge, totp: old.code() }))).toBe(
      '401 invalid_credentials',
    );
    expect((await api.post('/auth/login/verify', { challenge, totp: app.code() })).status).toBe(200);
    expect((await api.delete('/auth/totp', person.session)).body).toEqual({ success: true });
    expect((await api.delete('/auth/totp', person.session)).body).toEqual({ success: true });
    expect((await me(person.session)).user.secondFactors).toEqual({ passkeys: 0, totp: false, recoveryCodesLeft: 0 });
    expect((await api.post('/auth/login', { email: person.email, password: testPassword })).status).toBe(200);
    expect(await subjectsTo(person.email)).toHaveLength(3);
  });

  it('is not confirmed by a wrong code, or without a pending app', async () => {
    const person = await seedPerson();

    expect(codeOf(await api.post('/auth/totp/confirm', { code: '123456' }, person.session))).toBe(
      '400 invalid_request',
    );
    await api.post('/auth/totp', {}, person.session);
    const answer = await api.post('/auth/totp/confirm', { code: '1234567' }, person.session);

    expect(answer.body.error.details).toEqual([{ path: 'code', message: 'must be six digits' }]);
    expect((await me(person.session)).user.secondFactors.totp).toBe(false);
  });
});

describe('recovery codes', () => {
  it('each log in once, however they are typed, and the user is notified', async () => {
    const person = await seedPerson();
    const { recoveryCodes } = await addApp(api, person);
    const [first = '', second = ''] = recoveryCodes;
    const verify = async (recoveryCode: string) => {
      const { challenge } = await askedAtLogin(person);
      return api.post('/auth/login/verify', { challenge, recoveryCode });
    };

    expect((await verify(first)).status).toBe(200);
    expect(codeOf(await verify(first))).toBe('401 invalid_credentials');
    expect((await verify(second.toLowerCase().replaceAll('-', ' '))).status).toBe(200);

    expect((await me(person.session)).user.secondFactors.recoveryCodesLeft).toBe(8);
    expect(await subjectsTo(person.email)).toHaveLength(3);
  });

  it('are replaced by new ones', async () => {
    const person = await seedPerson();
    const app = await addApp(api, person);
    const { recoveryCodes } = (await expectStatus(api.post('/auth/recovery-codes', {}, person.session), 200)).body;
    const { challenge } = await askedAtLogin(person);
    const verify = (recoveryCode: string | undefined) => api.post('/auth/login/verify', { challenge, recoveryCode });

    expect(recoveryCodes).toHaveLength(10);
    expect(codeOf(await verify(app.recoveryCodes[0]))).toBe('401 invalid_credentials');
    expect((await verify(recoveryCodes[0])).status).toBe(200);
  });
});

describe('a passkey', () => {
  it('is added, listed and removed', async () => {
    const person = await seedPerson();
    const { id, recoveryCodes } = await addPasskey(api, person);

    expect(recoveryCodes).toHaveLength(10);
    expect((await api.get('/auth/passkeys', person.session)).body.passkeys).toEqual([
      { id, name: 'laptop', createdAt: expect.any(String), lastUsedAt: null, counterWentBackAt: null },
    ]);
    expect((await addPasskey(api, person)).recoveryCodes).toBeUndefined();
    expect((await me(person.session)).user.secondFactors).toEqual({ passkeys: 2, totp: false, recoveryCodesLeft: 10 });
    expect((await api.delete(`/auth/passkeys/${id}`, person.session)).body).toEqual({ success: true });
    expect(codeOf(await api.delete(`/auth/passkeys/${id}`, person.session))).toBe('404 passkey_not_found');
    expect((await me(person.session)).user.secondFactors.passkeys).toBe(1);
    expect(await subjectsTo(person.email)).toHaveLength(3);
  });

  it('completes a log-in with a password', async () => {
    const person = await seedPerson();
    const { authenticator } = await addPasskey(api, person);
    const asked = await api.post('/auth/login', { email: person.email, password: testPassword });
    expect(codeOf(asked)).toBe('401 second_factor_required');
    const { challenge, methods, publicKey } = asked.body.error.details;

    expect(methods).toEqual(['passkey', 'recovery_code']);
    expect(publicKey.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([authenticator.credentialId]);
    expect(publicKey.userVerification).toBe('required');
    const answer = await api.post('/auth/login/verify', { challenge, passkey: authenticator.get(publicKey) });

    expect(answer.body.user?.id).toBe(person.user.id);
    const { passkeys } = (await api.get('/auth/passkeys', sessionOf(answer))).body;
    expect(passkeys[0].lastUsedAt).toEqual(expect.any(String));
  });

  it('logs in on its own', async () => {
    const person = await seedPerson();
    const { authenticator } = await addPasskey(api, person);
    const { challenge, publicKey } = (await expectStatus(api.post('/auth/login/options', {}), 200)).body;

    expect(publicKey.allowCredentials).toEqual([]);
    const answer = await api.post('/auth/login/verify', { challenge, passkey: authenticator.get(publicKey) });

    expect(answer.body.user?.id).toBe(person.user.id);
    expect((await me(sessionOf(answer))).authentication).toMatchObject({ method: 'session', secondFactor: true });
  });

  it('is rejected as the 21st of an account', async () => {
    const person = await seedPerson();
    for (let count = 0; count < 20; count += 1) {
      await addPasskey(api, person);
      await forgetFactorMails(person.user.id);
    }

    await expect(addPasskey(api, person)).rejects.toThrow('you have 20 passkeys');
    expect((await me(person.session)).user.secondFactors.passkeys).toBe(20);
  });
});

describe('a step-up', () => {
  it('makes an old session fresh with the password, and renews its secret', async () => {
    const person = await seedPerson();
    await ageSession(person, 700);
    const before = (await api.get('/auth/sessions', person.session)).body.sessions;
    expect(codeOf(await api.post('/auth/token', { name: 'x' }, person.session))).toBe('403 step_up_required');

    const answer = await expectStatus(api.post('/auth/step-up', { password: testPassword }, person.session), 200);

    const session = sessionOf(answer);
    expect((await api.get('/auth/me', person.session)).status).toBe(401);
    expect((await me(session)).authentication.freshUntil.slice(0, 18)).toBe(answer.body.freshUntil.slice(0, 18));
    expect((await api.post('/auth/token', { name: 'x' }, session)).status).toBe(201);
    const after = (await api.get('/auth/sessions', session)).body.sessions;
    expect(after).toHaveLength(1);
    expect(after[0].createdAt).toBe(before[0].createdAt);
  });

  it('reports the field of a wrong password or factor', async () => {
    const person = await seedPerson();
    const app = await addApp(api, person);
    const stepUp = (body: object) => api.post('/auth/step-up', body, person.session);

    const wrongPassword = await stepUp({ password: 'not the password', totp: app.code() });
    expect(wrongPassword.body.error.details).toEqual([{ path: 'password', message: 'is wrong' }]);
    const wrongCode = await stepUp({ password: testPassword, totp: app.code(7) });
    expect(wrongCode.body.error.details).toEqual([{ path: 'totp', message: 'is wrong' }]);
    expect((await api.get('/auth/me', person.session)).status).toBe(200);
  });

  it('requires the second factor if the account has one', async () => {
    const person = await seedPerson();
    const { authenticator } = await addPasskey(api, person);
    const app = await addApp(api, person);
    const asked = await api.post('/auth/step-up', { password: testPassword }, person.session);

    expect(codeOf(asked)).toBe('401 second_factor_required');
    const { challenge, methods, publicKey } = asked.body.error.details;
    expect(methods).toEqual(['passkey', 'totp']);
    const body = { password: testPassword, challenge, passkey: authenticator.get(publicKey) };
    const session = sessionOf(await expectStatus(api.post('/auth/step-up', body, person.session), 200));
    expect((await me(session)).authentication.secondFactor).toBe(true);
    const again = await api.post('/auth/step-up', { password: testPassword, totp: app.code() }, session);
    expect(again.status).toBe(200);
  });

  it('takes four round trips with a code where passwords are counted, and does not count successes', async () => {
    const person = await seedPerson();
    const app = await addApp(api, person);
    const digest = createHash('sha256').update(person.user.id).digest('base64url');
    const triesAt = async (limit: string) => (await find(at(rateRecord, limit, digest)))?.tries;
    const stepUp = (code: string, headers = {}) =>
      api.post('/auth/step-up', { password: testPassword, totp: code }, person.session, headers);
    vi.stubEnv('LOGIN_FAILURE_LIMIT', '5');
    resetProcessMemory('settings');
    try {
      expect((await stepUp(app.code(7))).status).toBe(400);
      const { answer, calls } = await recordRequest(headers => stepUp(app.code(), headers));

      expect([answer.status, countsOf(calls)]).toEqual([200, expect.objectContaining({ roundTrips: 4, kmsCalls: 1 })]);
      expect([await triesAt('current-password'), await triesAt('second-factor')]).toEqual([undefined, 1]);
      expect((await me(sessionOf(answer))).authentication.secondFactor).toBe(true);
    } finally {
      vi.unstubAllEnvs();
      resetProcessMemory('settings');
    }
  });

  it('is rejected if another request uses the same code concurrently, which counts as one wrong code at most', async () => {
    const person = await seedPerson();
    const app = await addApp(api, person);
    const digest = createHash('sha256').update(person.user.id).digest('base64url');
    const { challenge } = await askedAtLogin(person);
    const other = sessionOf(await api.post('/auth/login/verify', { challenge, totp: app.code() }));
    await forgetUsedCodes(person.user.id);

    const body = { password: testPassword, totp: app.code() };
    const answers = await Promise.all([person.session, other].map(as => api.post('/auth/step-up', body, as)));

    expect(answers.map(codeOf).toSorted()).toEqual(['400 invalid_request', 'ok']);
    expect((await find(at(rateRecord, 'second-factor', digest)))?.tries ?? 0).toBeLessThanOrEqual(1);
  });

  it('does not extend the maximum age of a session', async () => {
    const person = await seedPerson();
    const createdAt = (await api.get('/auth/sessions', person.session)).body.sessions[0].createdAt;

    const session = sessionOf(await api.post('/auth/step-up', { password: testPassword }, person.session));

    expect((await api.get('/auth/sessions', session)).body.sessions[0].createdAt).toBe(createdAt);
  });
});

describe('an organization that requires a second factor', () => {
  it('rejects sessions and tokens created without one, and accepts the others', async () => {
    const person = await seedPerson();
    const path = `/orgs/${person.organization.id}`;
    const without = await createToken(api, person);
    expect(codeOf(await api.patch(path, { requireSecondFactor: true }, person.session))).toBe(
      '403 second_factor_required',
    );
    const app = await addApp(api, person);
    // No log-in on this account needs a factor, so only the organization's requirement can refuse it.
    const source = { ip: '127.0.0.1', userAgent: 'node' };
    const unproved = await newSession({ id: person.user.id, sessionEpoch: 1 }, source);
    await transact([unproved.write]);
    const earlier = { cookie: unproved.cookie.split(';')[0] as string };

    const answer = await expectStatus(api.patch(path, { requireSecondFactor: true }, person.session), 200);

    expect(answer.body.organization.requireSecondFactor).toBe(true);
    const reading = `/projects/${person.organization.id}`;
    expect(codeOf(await api.get(reading, person.session))).toBe('ok');
    expect(codeOf(await api.get(reading, earlier))).toBe('403 second_factor_required');
    expect(codeOf(await api.get(reading, without))).toBe('403 second_factor_required');
    expect(codeOf(await api.get(reading, await createToken(api, person)))).toBe('ok');
    expect(codeOf(await api.get(reading, await logInWithApp(api, person, app)))).toBe('ok');
    const organizations = (await me(earlier)).organizations;
    expect(organizations[0]).toMatchObject({ id: person.organization.id, requireSecondFactor: true });
    const { entries } = (await api.get(`/audit/${person.organization.id}?action=organization.updated`, person.session))
      .body;
    expect(entries[0].details).toEqual({ requireSecondFactor: { from: false, to: true } });
  });

  it('accepts a handed-off token if its session was verified with one', async () => {
    const person = await seedPerson();
    await addApp(api, person);
    await expectStatus(
      api.patch(`/orgs/${person.organization.id}`, { requireSecondFactor: true }, person.session),
      200,
    );
    const codeVerifier = 'v'.repeat(43);
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
    const { code } = (await api.post('/auth/cli-auth', { codeChallenge, name: 'cli' }, person.session)).body;
    const { token } = (await api.post('/auth/cli-auth', { code, codeVerifier })).body;

    expect(codeOf(await api.get(`/projects/${person.organization.id}`, { token }))).toBe('ok');
  });

  it('no longer accepts a session whose account has no factor left', async () => {
    const person = await seedPerson();
    await addApp(api, person);
    await api.patch(`/orgs/${person.organization.id}`, { requireSecondFactor: true }, person.session);
    await api.delete('/auth/totp', person.session);

    expect(codeOf(await api.get(`/projects/${person.organization.id}`, person.session))).toBe(
      '403 second_factor_required',
    );
  });

  it('can only be configured by an owner in a fresh session, while owners and admins may rename it', async () => {
    const person = await seedPerson();
    await addApp(api, person);
    await ageSession(person, 700);
    const path = `/orgs/${person.organization.id}`;

    expect(codeOf(await api.patch(path, { requireSecondFactor: true }, person.session))).toBe('403 step_up_required');
    expect(codeOf(await api.patch(path, { name: 'Renamed' }, person.session))).toBe('ok');
    expect(codeOf(await api.patch(path, {}, person.session))).toBe('400 invalid_request');
  });
});

it('a new passkey is rejected if its authenticator already has one of the account', async () => {
  const person = await seedPerson();
  const authenticator = createAuthenticator();
  const add = async () => {
    const { challenge, publicKey } = (await api.post('/auth/passkeys/options', {}, person.session)).body;
    return api.post(
      '/auth/passkeys',
      { challenge, name: 'x', passkey: authenticator.create(publicKey) },
      person.session,
    );
  };

  expect((await add()).status).toBe(201);
  expect((await add()).body.error.details).toEqual([{ path: 'passkey', message: 'is already one of yours' }]);
  expect((await me(person.session)).user.secondFactors.passkeys).toBe(1);
});

it('a challenge is stored only as a hash, and becomes invalid with the password', async () => {
  const person = await seedPerson();
  const app = await addApp(api, person);
  const { challenge } = await askedAtLogin(person);
  expect(readCredential(challenge)?.userId).toBe(person.user.id);

  const change = { currentPassword: testPassword, newPassword: 'another battery horse' };
  await expectStatus(api.post('/auth/change-password', change, person.session), 200);

  await forgetUsedCodes(person.user.id);
  expect(codeOf(await api.post('/auth/login/verify', { challenge, totp: app.code() }))).toBe('400 invalid_token');
});
