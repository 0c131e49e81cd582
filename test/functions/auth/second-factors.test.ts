import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newSession } from '#lib/accounts/sessions.ts';
import { readCredential } from '#lib/crypto/credentials.ts';
import { at, find } from '#lib/table/read.ts';
import { rateRecord } from '#lib/table/records/limits.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { transact } from '#lib/table/write.ts';
import { type Caller, codeOf, createToken, sessionOf, useSettings } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { handOffToken } from '#test/support/hand-off.ts';
import { recordRequest, startObservedApi } from '#test/support/observed-api.ts';
import { type Person, seedPerson, testPassword } from '#test/support/people.ts';
import { countsOf } from '#test/support/record-calls.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import {
  addApp,
  addPasskey,
  ageSession,
  askedAtLogin,
  forgetFactorMails,
  forgetUsedCodes,
  logInWithApp,
} from '#test/support/second-factors.ts';

const api = shared(startObservedApi);
const me = async (as: Caller) => (await expectStatus(api.get('/auth/me', as), 200)).body;
const secondFactorsOf = async ({ session }: Person) => (await me(session)).user.secondFactors;
const mailsTo = async (email: string) =>
  (await api.mails()).filter(({ to, subject }) => to === email && subject.includes('log-in')).map(({ text }) => text);
const logIn = ({ email }: Person, password = testPassword) => api.post('/auth/login', { email, password });
const verify = (answer: object) => api.post('/auth/login/verify', answer);
const stepUp = (body: object, as: Caller) => api.post('/auth/step-up', { password: testPassword, ...body }, as);
const withApp = async () => {
  const person = await seedPerson();
  return { person, app: await addApp(api, person) };
};
const withPasskey = async () => {
  const person = await seedPerson();
  return { person, ...(await addPasskey(api, person)) };
};

describe('an account without a second factor', () => {
  it('logs in with just its password, and says so', async () => {
    const person = await seedPerson();
    const { user, authentication } = await me(sessionOf(await logIn(person)));

    expect(user.secondFactors).toEqual({ passkeys: 0, totp: false, recoveryCodesLeft: 0 });
    expect(authentication).toEqual({ method: 'session', secondFactor: false, freshUntil: expect.any(String) });
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
    expect((await secondFactorsOf(person)).totp).toBe(false);
    expect((await logIn(person)).status).toBe(200);

    const app = await addApp(api, person);

    expect(new Set(app.recoveryCodes).size).toBe(10);
    for (const code of app.recoveryCodes) expect(code).toMatch(/^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/);
    const { user, authentication } = await me(person.session);
    expect(user.secondFactors).toEqual({ passkeys: 0, totp: true, recoveryCodesLeft: 10 });
    expect(authentication.secondFactor).toBe(true);
    const stored = JSON.stringify(await find(at(userRecord, person.user.id)));
    for (const code of [secret, ...app.recoveryCodes]) expect(stored).not.toContain(code);
    expect(await mailsTo(person.email)).toEqual([expect.stringContaining('An authenticator app was added')]);
  });

  it('is required only after a correct password, and its code completes the log-in', async () => {
    const { person, app } = await withApp();

    expect(codeOf(await logIn(person, 'not the password'))).toBe('401 invalid_credentials');
    const asked = await logIn(person);
    expect(codeOf(asked)).toBe('401 second_factor_required');
    expect(asked.headers.getSetCookie()).toEqual([]);
    const { challenge, ...others } = asked.body.error.details;
    expect(others).toEqual({ methods: ['totp', 'recovery_code'] });
    const answer = await expectStatus(verify({ challenge, totp: app.code() }), 200);

    expect(answer.body.user).toMatchObject({ id: person.user.id, email: person.email });
    expect((await me(sessionOf(answer))).authentication).toMatchObject({ method: 'session', secondFactor: true });
  });

  it('can be replaced and removed; removing the last factor deletes the recovery codes', async () => {
    const { person, app: old } = await withApp();
    const app = await addApp(api, person);

    expect(app.recoveryCodes).toBeUndefined();
    const { challenge } = await askedAtLogin(person);
    expect(codeOf(await verify({ challenge, totp: old.code() }))).toBe('401 invalid_credentials');
    expect(codeOf(await verify({ challenge, totp: app.code() }))).toBe('200 ok');
    for (const _ of ['first', 'again'])
      expect((await api.delete('/auth/totp', person.session)).body).toEqual({ success: true });
    expect(await secondFactorsOf(person)).toEqual({ passkeys: 0, totp: false, recoveryCodesLeft: 0 });
    expect((await logIn(person)).status).toBe(200);
    expect(await mailsTo(person.email)).toHaveLength(3);
  });

  it('is not confirmed by a wrong code, or without a pending app', async () => {
    const person = await seedPerson();
    const confirm = (code: string) => api.post('/auth/totp/confirm', { code }, person.session);

    expect(codeOf(await confirm('123456'))).toBe('400 invalid_request');
    await api.post('/auth/totp', {}, person.session);

    expect((await confirm('1234567')).body.error.details).toEqual([{ path: 'code', message: 'must be six digits' }]);
    expect((await secondFactorsOf(person)).totp).toBe(false);
  });
});

describe('recovery codes', () => {
  it('each log in once, however they are typed, and the user is notified', async () => {
    const { person, app } = await withApp();
    const [first = '', second = ''] = app.recoveryCodes;
    const use = async (recoveryCode: string) => {
      const { challenge } = await askedAtLogin(person);
      return codeOf(await verify({ challenge, recoveryCode }));
    };

    expect(await use(first)).toBe('200 ok');
    expect(await use(first)).toBe('401 invalid_credentials');
    expect(await use(second.toLowerCase().replaceAll('-', ' '))).toBe('200 ok');
    expect((await secondFactorsOf(person)).recoveryCodesLeft).toBe(8);
    expect(await mailsTo(person.email)).toHaveLength(3);
  });

  it('are replaced by new ones', async () => {
    const { person, app } = await withApp();
    const { recoveryCodes } = (await expectStatus(api.post('/auth/recovery-codes', {}, person.session), 200)).body;
    const { challenge } = await askedAtLogin(person);

    expect(recoveryCodes).toHaveLength(10);
    const [old] = app.recoveryCodes;
    expect(codeOf(await verify({ challenge, recoveryCode: old }))).toBe('401 invalid_credentials');
    expect(codeOf(await verify({ challenge, recoveryCode: recoveryCodes[0] }))).toBe('200 ok');
  });
});

describe('a passkey', () => {
  it('is added, listed and removed', async () => {
    const { person, id, recoveryCodes } = await withPasskey();

    expect(recoveryCodes).toHaveLength(10);
    expect((await api.get('/auth/passkeys', person.session)).body.passkeys).toEqual([
      { id, name: 'laptop', createdAt: expect.any(String), lastUsedAt: null, counterWentBackAt: null },
    ]);
    expect((await addPasskey(api, person)).recoveryCodes).toBeUndefined();
    expect(await secondFactorsOf(person)).toEqual({ passkeys: 2, totp: false, recoveryCodesLeft: 10 });
    const remove = () => api.delete(`/auth/passkeys/${id}`, person.session);
    expect((await remove()).body).toEqual({ success: true });
    expect(codeOf(await remove())).toBe('404 passkey_not_found');
    expect((await secondFactorsOf(person)).passkeys).toBe(1);
    expect(await mailsTo(person.email)).toHaveLength(3);
  });

  it('completes a log-in with a password', async () => {
    const { person, authenticator } = await withPasskey();
    const asked = await logIn(person);
    expect(codeOf(asked)).toBe('401 second_factor_required');
    const { challenge, methods, publicKey } = asked.body.error.details;

    expect(methods).toEqual(['passkey', 'recovery_code']);
    expect(publicKey.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([authenticator.credentialId]);
    expect(publicKey.userVerification).toBe('required');
    const answer = await verify({ challenge, passkey: authenticator.get(publicKey) });

    expect(answer.body.user?.id).toBe(person.user.id);
    const { passkeys } = (await api.get('/auth/passkeys', sessionOf(answer))).body;
    expect(passkeys[0].lastUsedAt).toEqual(expect.any(String));
  });

  it('logs in on its own', async () => {
    const { person, authenticator } = await withPasskey();
    const { challenge, publicKey } = (await expectStatus(api.post('/auth/login/options', {}), 200)).body;

    expect(publicKey.allowCredentials).toEqual([]);
    const answer = await verify({ challenge, passkey: authenticator.get(publicKey) });

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
    expect((await secondFactorsOf(person)).passkeys).toBe(20);
  });
});

describe('a step-up', () => {
  it('makes an old session fresh with the password, and renews its secret', async () => {
    const person = await seedPerson();
    await ageSession(person, 700);
    const sessionsOf = async (as: Caller) => (await api.get('/auth/sessions', as)).body.sessions;
    const [{ createdAt }] = await sessionsOf(person.session);
    const makeToken = async (as: Caller) => codeOf(await api.post('/auth/token', { name: 'x' }, as));
    expect(await makeToken(person.session)).toBe('403 step_up_required');

    const answer = await expectStatus(stepUp({}, person.session), 200);
    const session = sessionOf(answer);
    expect((await api.get('/auth/me', person.session)).status).toBe(401);
    expect((await me(session)).authentication.freshUntil.slice(0, 18)).toBe(answer.body.freshUntil.slice(0, 18));
    expect(await makeToken(session)).toBe('201 ok');
    // The maximum age of the session stays.
    expect(await sessionsOf(session)).toEqual([expect.objectContaining({ createdAt })]);
  });

  it('reports the field of a wrong password or factor', async () => {
    const { person, app } = await withApp();
    const problems = async (body: object) => (await stepUp(body, person.session)).body.error.details;

    const isWrong = (path: string) => [{ path, message: 'is wrong' }];
    expect(await problems({ password: 'not the password', totp: app.code() })).toEqual(isWrong('password'));
    expect(await problems({ totp: app.code(7) })).toEqual(isWrong('totp'));
    expect((await api.get('/auth/me', person.session)).status).toBe(200);
  });

  it('requires the second factor if the account has one', async () => {
    const { person, authenticator } = await withPasskey();
    const app = await addApp(api, person);
    const asked = await stepUp({}, person.session);

    expect(codeOf(asked)).toBe('401 second_factor_required');
    const { challenge, methods, publicKey } = asked.body.error.details;
    expect(methods).toEqual(['passkey', 'totp']);
    const answered = stepUp({ challenge, passkey: authenticator.get(publicKey) }, person.session);
    const session = sessionOf(await expectStatus(answered, 200));
    expect((await me(session)).authentication.secondFactor).toBe(true);
    expect((await stepUp({ totp: app.code() }, session)).status).toBe(200);
  });

  const triesAt = async (limit: string, { user }: Person) =>
    (await find(at(rateRecord, limit, createHash('sha256').update(user.id).digest('base64url'))))?.tries;

  it('takes four round trips with a code where passwords are counted, and does not count successes', async () => {
    const { person, app } = await withApp();
    useSettings({ LOGIN_FAILURE_LIMIT: '5' });
    expect((await stepUp({ totp: app.code(7) }, person.session)).status).toBe(400);

    const { answer, calls } = await recordRequest(headers =>
      api.post('/auth/step-up', { password: testPassword, totp: app.code() }, person.session, headers),
    );

    expect([answer.status, countsOf(calls)]).toEqual([200, expect.objectContaining({ roundTrips: 4, kmsCalls: 1 })]);
    expect([await triesAt('current-password', person), await triesAt('second-factor', person)]).toEqual([undefined, 1]);
    expect((await me(sessionOf(answer))).authentication.secondFactor).toBe(true);
  });

  it('is rejected if another request uses the same code concurrently, which counts as one wrong code at most', async () => {
    const { person, app } = await withApp();
    const other = await logInWithApp(api, person, app);

    const answers = await Promise.all([person.session, other].map(as => stepUp({ totp: app.code() }, as)));

    expect(answers.map(codeOf).toSorted()).toEqual(['200 ok', '400 invalid_request']);
    expect((await triesAt('second-factor', person)) ?? 0).toBeLessThanOrEqual(1);
  });
});

describe('an organization that requires a second factor', () => {
  const require = ({ organization, session }: Person) =>
    api.patch(`/orgs/${organization.id}`, { requireSecondFactor: true }, session);
  const read = async ({ organization }: Person, as: Caller) =>
    codeOf(await api.get(`/projects/${organization.id}`, as));
  const lacking = '403 second_factor_required';

  it('rejects sessions and tokens created without one, and accepts the others', async () => {
    const person = await seedPerson();
    const without = await createToken(api, person);
    expect(codeOf(await require(person))).toBe(lacking);
    const app = await addApp(api, person);
    // No log-in on this account needs a factor, so only the organization's requirement can refuse it.
    const source = { ip: '127.0.0.1', userAgent: 'node' };
    const unproved = await newSession({ id: person.user.id, sessionEpoch: 1 }, source);
    await transact([unproved.write]);
    const earlier = { cookie: unproved.cookie.split(';')[0] as string };

    const answer = await expectStatus(require(person), 200);

    expect(answer.body.organization.requireSecondFactor).toBe(true);
    for (const as of [earlier, without]) expect(await read(person, as)).toBe(lacking);
    for (const as of [person.session, await createToken(api, person), await logInWithApp(api, person, app)]) {
      expect(await read(person, as)).toBe('200 ok');
    }
    const { organization, session } = person;
    expect((await me(earlier)).organizations).toMatchObject([{ id: organization.id, requireSecondFactor: true }]);
    const { entries } = (await api.get(`/audit/${organization.id}?action=organization.updated`, session)).body;
    expect(entries[0].details).toEqual({ requireSecondFactor: { from: false, to: true } });
  });

  it('accepts a handed-off token if its session was verified with one', async () => {
    const { person } = await withApp();
    await expectStatus(require(person), 200);

    expect(await read(person, await handOffToken(api, person.session))).toBe('200 ok');
  });

  it('no longer accepts a session whose account has no factor left', async () => {
    const { person } = await withApp();
    await require(person);
    await api.delete('/auth/totp', person.session);

    expect(await read(person, person.session)).toBe(lacking);
  });

  it('can only be configured by an owner in a fresh session, while owners and admins may rename it', async () => {
    const { person } = await withApp();
    await ageSession(person, 700);
    const rename = (body: object) => api.patch(`/orgs/${person.organization.id}`, body, person.session);

    expect(codeOf(await require(person))).toBe('403 step_up_required');
    expect(codeOf(await rename({ name: 'Renamed' }))).toBe('200 ok');
    expect(codeOf(await rename({}))).toBe('400 invalid_request');
  });
});

it('a challenge is stored only as a hash, and becomes invalid with the password', async () => {
  const { person, app } = await withApp();
  const { challenge } = await askedAtLogin(person);
  expect(readCredential(challenge)?.userId).toBe(person.user.id);

  const change = { currentPassword: testPassword, newPassword: 'another battery horse' };
  await expectStatus(api.post('/auth/change-password', change, person.session), 200);

  await forgetUsedCodes(person.user.id);
  expect(codeOf(await verify({ challenge, totp: app.code() }))).toBe('400 invalid_token');
});
