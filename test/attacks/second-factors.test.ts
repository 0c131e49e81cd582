import { createHash, randomUUID } from 'node:crypto';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { newChallenge } from '#lib/accounts/factors/challenge.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { renameOrganization } from '#lib/contracts/organizations/organizations.ts';
import { routes } from '#lib/contracts/routes.ts';
import { createCredential, readCredential } from '#lib/crypto/credentials.ts';
import { totpCode, totpStep } from '#lib/crypto/totp.ts';
import { mailClient } from '#lib/mail/send-mail.ts';
import { tableClient } from '#lib/table/client.ts';
import { at, find } from '#lib/table/read.ts';
import { challengeRecord } from '#lib/table/records/credentials.ts';
import { retiredEnvironmentRecord, retiredProjectRecord } from '#lib/table/records/retired-slug.ts';
import { passkeyOwnerRecord, passkeyRecord, undoLinkRecord, userRecord } from '#lib/table/records/user.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { type Answer, codeOf, createProject, createToken, sessionOf, useApi, useSettings } from '../support/api.ts';
import { atOnce } from '../support/at-once.ts';
import { createAuthenticator } from '../support/authenticator.ts';
import { type Person, seedPerson, testPassword } from '../support/people.ts';
import { expectStatus, join, mailedToken, resetPassword } from '../support/sample-requests.ts';
import { samples, send } from '../support/samples.ts';
import {
  addApp,
  addPasskey,
  ageSession,
  askedAtLogin,
  forgetFactorMails,
  fromBase32,
  logInWithApp,
} from '../support/second-factors.ts';
import { words } from '../support/words.ts';

const api = useApi();
const verify = async (body: object) => codeOf(await api.post('/auth/login/verify', body));
const verifyAs = async (person: Person, proof: object) =>
  verify({ challenge: (await askedAtLogin(person)).challenge, ...proof });
const wrong = '401 invalid_credentials';
const dead = '400 invalid_token';

async function inTurn(count: number, send: () => Promise<Answer>): Promise<string[]> {
  const codes: string[] = [];
  while (codes.length < count) codes.push(codeOf(await send()));
  return codes;
}

async function withApp() {
  const person = await seedPerson();
  const app = await addApp(api, person);
  const { challenge } = await askedAtLogin(person);
  return { person, app, challenge };
}

async function startApp({ session }: Person) {
  const { secret } = await body(api.post('/auth/totp', {}, session));
  return {
    code: (steps = 0) => totpCode(fromBase32(secret), totpStep(Date.now()) + steps),
    confirm: (code: string) => api.post('/auth/totp/confirm', { code }, session),
  };
}

async function withPasskey() {
  const person = await seedPerson();
  const { authenticator, id, recoveryCodes } = await addPasskey(api, person);
  const answerWith = async (lies: Parameters<typeof authenticator.get>[1] = {}) => {
    const { challenge, publicKey } = await askedAtLogin(person);
    return { challenge, passkey: authenticator.get(publicKey, lies) };
  };
  return { person, authenticator, id, recoveryCodes, answerWith };
}

const body = async (answer: Promise<Answer>, status = 200) => (await expectStatus(answer, status)).body;
const askedAlone = () => body(api.post('/auth/login/options', {}));
const sessionsOf = async ({ session }: Person): Promise<number> =>
  (await body(api.get('/auth/sessions', session))).sessions.length;
const factorsOf = async ({ session }: Pick<Person, 'session'>) =>
  (await body(api.get('/auth/me', session))).user.secondFactors;
const stored = ({ user }: Person) => find(at(userRecord, user.id));
const requireFactor = ({ organization, session }: Person) =>
  body(api.patch(`/orgs/${organization.id}`, { requireSecondFactor: true }, session));

describe('a code of an authenticator app', () => {
  it('works once, however often and in parallel it is sent', async () => {
    const { person, app } = await withApp();
    const asked = await atOnce(4, () => askedAtLogin(person));
    const totp = app.code();

    const answers = await Promise.all(asked.map(({ challenge }) => verify({ challenge, totp })));

    expect(answers.toSorted()).toEqual(['200 ok', wrong, wrong, wrong]);
    expect(await verifyAs(person, { totp })).toBe(wrong);
    expect(await sessionsOf(person)).toBe(2);
  });

  it('works once across a step-up and a log-in', async () => {
    const { person, app, challenge } = await withApp();
    const totp = app.code();

    const answers = await Promise.all([
      api.post('/auth/step-up', { password: testPassword, totp }, person.session).then(codeOf),
      verify({ challenge, totp }),
    ]);

    expect(answers.filter(answer => answer === '200 ok')).toHaveLength(1);
  });

  it('that confirmed the app can’t be used to log in', async () => {
    const person = await seedPerson();
    const { code, confirm } = await startApp(person);
    const totp = code();
    await body(confirm(totp));

    expect(await verifyAs(person, { totp })).toBe(wrong);
  });

  it('is exactly six digits', async () => {
    const { app, challenge } = await withApp();
    const code = app.code();
    const spaced = [` ${code}`, `${code} `, `${code.slice(0, 3)} ${code.slice(3)}`, `${code}\n`, `+${code}`];

    for (const totp of [...spaced, Number(code), code.slice(0, 5), `0${code}`, '１２３４５６', '', null, [code]]) {
      expect(await verify({ challenge, totp }), JSON.stringify(totp)).toBe('400 invalid_request');
    }
    expect(await verify({ challenge, totp: code })).toBe('200 ok');
  });

  it('for another time is rejected: one step of 30 seconds either way is accepted', async () => {
    const { app, challenge } = await withApp();

    // Three steps away are still at least two away if the clock advances meanwhile.
    for (const steps of [-3, 3]) expect(await verify({ challenge, totp: app.code(steps) })).toBe(wrong);
    expect(await verify({ challenge, totp: app.code() })).toBe('200 ok');
  });

  it('can be guessed five times in a quarter of an hour, across all challenges and addresses', async () => {
    const { person, app } = await withApp();
    const asked = await atOnce(8, () => askedAtLogin(person));

    const answers = await Promise.all(asked.map(({ challenge }) => verify({ challenge, totp: app.code(100) })));

    expect(answers.toSorted()).toEqual([...Array(5).fill(wrong), ...Array(3).fill('429 rate_limited')]);
    for (const proof of [{ totp: app.code() }, { recoveryCode: app.recoveryCodes[0] }]) {
      expect(await verifyAs(person, proof)).toBe('429 rate_limited');
    }
    const stepUp = await api.post('/auth/step-up', { password: testPassword, totp: app.code() }, person.session);
    expect(codeOf(stepUp)).toBe('429 rate_limited');
  });

  it('is not counted without the password: strangers can’t lock an account', async () => {
    const { person, app, challenge } = await withApp();
    const forged = createCredential(person.user.id).secret;

    for (let count = 0; count < 10; count += 1) {
      expect(await verify({ challenge: forged, totp: app.code(100) })).toBe(dead);
    }
    expect(await verify({ challenge, totp: app.code() })).toBe('200 ok');
  });
});

it('a recovery code works once, however parallel it is sent, and only for its own account', async () => {
  const [{ person, app }, { person: other }] = [await withApp(), await withApp()];
  const [recoveryCode] = app.recoveryCodes;

  expect(await verifyAs(other, { recoveryCode })).toBe(wrong);
  const asked = await atOnce(3, () => askedAtLogin(person));
  const answers = await Promise.all(asked.map(({ challenge }) => verify({ challenge, recoveryCode })));

  expect(answers.toSorted()).toEqual(['200 ok', wrong, wrong]);
});

describe('a challenge', () => {
  it('can be answered once', async () => {
    const { person, authenticator } = await withPasskey();
    const { challenge, publicKey } = await askedAtLogin(person);
    const passkey = authenticator.get(publicKey);

    const answers = await Promise.all([verify({ challenge, passkey }), verify({ challenge, passkey })]);

    expect(answers.filter(answer => answer === '200 ok')).toHaveLength(1);
    expect(await verify({ challenge, passkey: authenticator.get(publicKey) })).toBe(dead);
  });

  it('expires after five minutes', async () => {
    const { app, challenge } = await withApp();
    const item = at(challengeRecord, readCredential(challenge)?.hash as string);
    const now = Math.floor(Date.now() / 1000);
    expect((await find(item))?.expiresAt).toBeLessThanOrEqual(now + 300);
    await transact([update(item, { set: { expiresAt: now - 1 } })]);

    expect(await verify({ challenge, totp: app.code() })).toBe(dead);
  });

  it('for another user or purpose, or made up, is worthless', async () => {
    const [{ person: victim, app }, { person: attacker, authenticator }] = [await withApp(), await withPasskey()];
    const stepUpAsked = await api.post('/auth/step-up', { password: testPassword }, victim.session);
    const forStepUp = stepUpAsked.body.error.details.challenge;
    const forEnrolment = await body(api.post('/auth/passkeys/options', {}, victim.session));
    const alone = await askedAlone();

    // The attacker's own challenge with the victim's code, and the victim's challenges for other purposes.
    expect(await verifyAs(attacker, { totp: app.code() })).toBe(wrong);
    for (const challenge of [forStepUp, forEnrolment.challenge, alone.challenge, 'x']) {
      expect(await verify({ challenge, totp: app.code() })).toBe(dead);
    }
    // A log-in's challenge for a step-up and for a new passkey.
    const { challenge, publicKey } = await askedAtLogin(attacker);
    const stepUp = { password: testPassword, challenge, passkey: authenticator.get(publicKey) };
    expect(codeOf(await api.post('/auth/step-up', stepUp, attacker.session))).toBe(dead);
    const fresh = createAuthenticator();
    const creation = { ...forEnrolment.publicKey, challenge: publicKey.challenge };
    const planted = { challenge, name: 'x', passkey: fresh.create(creation) };
    expect(codeOf(await api.post('/auth/passkeys', planted, attacker.session))).toBe(dead);
    // The victim's challenge for a new passkey in the attacker's session.
    const stolen = { challenge: forEnrolment.challenge, name: 'x', passkey: fresh.create(forEnrolment.publicKey) };
    expect(codeOf(await api.post('/auth/passkeys', stolen, attacker.session))).toBe(dead);
    expect(await sessionsOf(victim)).toBe(1);
  });

  it('from one log-in does not accept a passkey’s response to another', async () => {
    const { person, authenticator } = await withPasskey();
    const [one, other] = [await askedAtLogin(person), await askedAtLogin(person)];

    expect(await verify({ challenge: one.challenge, passkey: authenticator.get(other.publicKey) })).toBe(wrong);
  });
});

describe('a passkey’s response', () => {
  it.each([
    ['made at another origin', { origin: 'https://app.example.com.evil.example' }],
    ['made at another port', { origin: 'http://127.0.0.1:1' }],
    ['made in a frame of another site', { crossOrigin: true }],
    ['made for another site', { rpId: 'evil.example' }],
    ['without verification of the user', { userVerified: false }],
    ['that is a registration', { type: 'webauthn.create' }],
    ['to another challenge', { challenge: Buffer.from('another').toString('base64url') }],
    ['with the handle of another user', { userHandle: Buffer.from(randomUUID()).toString('base64url') }],
    ['with a handle that is no user', { userHandle: 'AAAA' }],
  ])('%s is rejected', async (_, lies) => {
    const { person, authenticator } = await withPasskey();

    for (const { challenge, publicKey } of [await askedAtLogin(person), await askedAlone()]) {
      expect(await verify({ challenge, passkey: authenticator.get(publicKey, lies) })).toBe(wrong);
    }
    const stepUp = (await api.post('/auth/step-up', { password: testPassword }, person.session)).body.error.details;
    const passkey = authenticator.get(stepUp.publicKey, lies);
    const proof = { password: testPassword, challenge: stepUp.challenge, passkey };
    const { details } = (await api.post('/auth/step-up', proof, person.session)).body.error;
    expect(details).toEqual([{ path: 'passkey', message: 'is wrong' }]);
    expect(await sessionsOf(person)).toBe(1);
  });

  it('with a changed byte is rejected', async () => {
    const { answerWith } = await withPasskey();
    const { challenge, passkey } = await answerWith();
    const flipped = (text: string) => {
      const bytes = Buffer.from(text, 'base64url');
      bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
      return bytes.toString('base64url');
    };

    for (const member of ['signature', 'authenticatorData', 'clientDataJSON'] as const) {
      const response = { ...passkey.response, [member]: flipped(passkey.response[member]) };
      expect(await verify({ challenge, passkey: { ...passkey, response } }), member).toBe(wrong);
    }
    expect(await verify({ challenge, passkey })).toBe('200 ok');
  });

  it('with a counter that does not increase is accepted, recorded and mailed', async () => {
    const { person, authenticator, answerWith } = await withPasskey();
    const logIn = async (counter: number) => verify(await answerWith({ counter }));
    const storedPasskey = () => find(at(passkeyRecord, person.user.id, authenticator.credentialId));
    const mailed = async () =>
      (await api.mails()).filter(({ to, text }) => to === person.email && text.includes('counter')).length;

    expect(await logIn(7)).toBe('200 ok');
    expect((await storedPasskey())?.counterWentBackAt).toBeUndefined();
    for (const [index, counter] of [7, 6, 0].entries()) {
      expect(await logIn(counter), String(counter)).toBe('200 ok');
      expect(await mailed()).toBe(index + 1);
      const passkey = await storedPasskey();
      expect(passkey).toMatchObject({ counter, counterWentBackAt: passkey?.lastUsedAt });
    }
    const { passkeys } = await body(api.get('/auth/passkeys', person.session));
    expect(passkeys[0].counterWentBackAt).toBe((await storedPasskey())?.counterWentBackAt);
    expect([await logIn(0), await logIn(8)]).toEqual(['200 ok', '200 ok']);
    expect(await mailed()).toBe(3);
    expect((await storedPasskey())?.counter).toBe(8);
  });

  it.each([8, 7, 3])('with the counter %i after 7 is accepted once if there are two at a time', async counter => {
    const { answerWith } = await withPasskey();
    expect(await verify(await answerWith({ counter: 7 }))).toBe('200 ok');
    const answers = [await answerWith({ counter }), await answerWith({ counter })];

    const outcomes = await Promise.all(answers.map(sent => verify(sent)));

    expect(outcomes.toSorted()).toEqual(['200 ok', wrong]);
    expect(await verify(await answerWith({ counter }))).toBe('200 ok');
  });

  it('from an attacker’s own passkey does not open the account that its handle names', async () => {
    const [{ person: victim }, { authenticator }] = [await withPasskey(), await withPasskey()];
    const { challenge, publicKey } = await askedAlone();

    for (const userHandle of [Buffer.from(victim.user.id).toString('base64url'), undefined]) {
      expect(await verify({ challenge, passkey: authenticator.get(publicKey, { userHandle }) })).toBe(wrong);
    }
    const asked = await askedAtLogin(victim);
    expect(await verify({ challenge: asked.challenge, passkey: authenticator.get(asked.publicKey) })).toBe(wrong);
    expect(await sessionsOf(victim)).toBe(1);
  });

  it('from a removed passkey is rejected', async () => {
    const { person, authenticator, id } = await withPasskey();
    await addApp(api, person);
    await expectStatus(api.delete(`/auth/passkeys/${id}`, person.session), 200);
    const { challenge, publicKey } = await askedAlone();

    expect(await verify({ challenge, passkey: authenticator.get(publicKey) })).toBe(wrong);
  });
});

it.each([
  ['made at another origin', { origin: 'https://evil.example' }],
  ['made in a frame of another site', { crossOrigin: true }],
  ['made for another site', { rpId: 'evil.example' }],
  ['without verification of the user', { userVerified: false }],
  ['to another challenge', { challenge: Buffer.from('another').toString('base64url') }],
  ['that is an assertion', { type: 'webauthn.get' }],
])('a new passkey %s is rejected', async (_, lies) => {
  const person = await seedPerson();
  const { challenge, publicKey } = (await api.post('/auth/passkeys/options', {}, person.session)).body;
  const passkey = createAuthenticator().create(publicKey, lies);
  const answer = await api.post('/auth/passkeys', { challenge, name: 'x', passkey }, person.session);

  expect(answer.body.error.details).toEqual([{ path: 'passkey', message: 'does not answer the challenge' }]);
  expect((await api.get('/auth/passkeys', person.session)).body.passkeys).toEqual([]);
});

it('an attacker who reads the user’s e-mail resets the password and still needs the factor', async () => {
  const person = await seedPerson({ emailVerified: true });
  const app = await addApp(api, person);

  const answer = await resetAndLogIn(person);

  expect(codeOf(answer)).toBe('401 second_factor_required');
  expect(answer.headers.getSetCookie()).toEqual([]);
  const { challenge } = answer.body.error.details;
  expect(await verify({ challenge, totp: app.code(100) })).toBe(wrong);
  expect(await verify({ challenge, totp: app.code() })).toBe('200 ok');
});

describe('a stolen session', () => {
  it.each([
    ['a passkey', addPasskey],
    ['an authenticator app', addApp],
  ])('from before the first factor ends, while the one that added %s continues', async (_, add) => {
    const person = await seedPerson();
    const stolen = sessionOf(await api.post('/auth/login', { email: person.email, password: testPassword }));
    const handOff = { codeChallenge: 'x'.repeat(43), name: 'cli' };
    const { code } = await body(api.post('/auth/cli-auth', handOff, stolen), 201);
    await add(api, person);

    for (const path of ['/auth/me', `/projects/${person.organization.id}`]) {
      expect(codeOf(await api.get(path, stolen))).toBe('401 unauthenticated');
    }
    expect(codeOf(await api.delete('/auth/totp', stolen))).toBe('401 unauthenticated');
    expect((await api.post('/auth/cli-auth', { code, codeVerifier: 'x'.repeat(43) })).status).toBe(400);
    expect(await sessionsOf(person)).toBe(1);
    const { authentication } = (await api.get('/auth/me', person.session)).body;
    expect(authentication).toMatchObject({ freshUntil: expect.any(String), secondFactor: true });
    await addPasskey(api, person);
    expect(await sessionsOf(person)).toBe(1);
  });

  it('can’t be used to guess the password', async () => {
    const person = await seedPerson();
    useSettings({ LOGIN_FAILURE_LIMIT: '3' });
    const guess = () => api.post('/auth/step-up', { password: 'a guess' }, person.session);

    expect(await inTurn(4, guess)).toEqual([...Array(3).fill('400 invalid_request'), '429 rate_limited']);
  });
});

const subjectsTo = async (email: string) =>
  (await api.mails()).filter(({ to }) => to === email).map(({ subject }) => subject);
const undo = async (token: string) => codeOf(await api.post('/auth/factors/undo', { token }));
const newestUndoToken = async ({ email }: Person) => {
  const mails = (await api.mails()).filter(mail => mail.to === email && mail.text.includes('/undo-factor#'));
  return /#token=(\S+)/.exec(mails.at(-1)?.text ?? '')?.[1] as string;
};

async function resetAndLogIn(person: Person): Promise<Answer> {
  const password = 'another battery horse';
  await resetPassword(api, person, password);
  return api.post('/auth/login', { email: person.email, password });
}

describe('a planted factor', () => {
  it.each([
    ['passkey', addPasskey],
    ['authenticator app', addApp],
  ])('that is a %s is removed with the link in its e-mail, with everything its planter has', async (_, plant) => {
    const person = await seedPerson({ emailVerified: true });
    await plant(api, person);
    const token = await createToken(api, person);
    const link = await newestUndoToken(person);

    expect(await undo(link)).toBe('200 ok');

    expect((await api.get('/auth/me', person.session)).status).toBe(401);
    expect((await api.get('/auth/me', token)).status).toBe(401);
    const { passkeyCount, totp, recoveryCodes } = (await stored(person)) ?? {};
    expect([passkeyCount, totp, recoveryCodes]).toEqual([undefined, undefined, undefined]);
    expect(await undo(link)).toBe(dead);
    expect(codeOf(await resetAndLogIn(person))).toBe('200 ok');
  });

  it('leaves the owner’s own factor and codes, and invalidates the codes generated since', async () => {
    const { person, recoveryCodes = [], answerWith } = await withPasskey();
    const secondFactors = await factorsOf(person);
    await addApp(api, person);
    const ofApp = await newestUndoToken(person);
    await addPasskey(api, person);
    const ofPasskey = await newestUndoToken(person);

    expect(await undo(ofPasskey)).toBe('200 ok');
    const user = await stored(person);
    expect([user?.passkeyCount, user?.totp === undefined, user?.recoveryCodes?.size]).toEqual([1, false, 10]);
    const logIn = async () => ({ session: sessionOf(await api.post('/auth/login/verify', await answerWith())) });
    await expectStatus(api.post('/auth/recovery-codes', {}, (await logIn()).session), 200);
    expect(await undo(ofApp)).toBe('200 ok');

    expect(await factorsOf(await logIn())).toEqual({ ...secondFactors, recoveryCodesLeft: 0 });
    expect(await verifyAs(person, { recoveryCode: recoveryCodes[0] })).toBe(wrong);
  });

  it('that its planter removed leaves no recovery codes behind', async () => {
    const { person } = await withPasskey();
    const planted = await addPasskey(api, person);
    const link = await newestUndoToken(person);
    const { recoveryCodes } = await body(api.post('/auth/recovery-codes', {}, person.session));
    await expectStatus(api.delete(`/auth/passkeys/${planted.id}`, person.session), 200);

    expect(await undo(link)).toBe('200 ok');

    expect(await verifyAs(person, { recoveryCode: recoveryCodes[0] })).toBe(wrong);
    expect((await stored(person))?.passkeyCount).toBe(1);
  });

  it('is removed once by links opened concurrently, and not by other links', async () => {
    const [{ person }, { person: other }] = [await withPasskey(), await withPasskey()];
    const link = await newestUndoToken(person);
    await api.post('/auth/send-verification', undefined, person.session);
    const verification = await mailedToken(api, person.email, 'Verify');

    for (const token of ['x', verification, createCredential(person.user.id).secret]) {
      expect(await undo(token)).toBe(dead);
    }
    const answers = await atOnce(4, () => undo(link));

    expect(answers.toSorted()).toEqual(['200 ok', dead, dead, dead]);
    expect((await factorsOf(other)).passkeys).toBe(1);
  });

  it('can be removed for seven days', async () => {
    const { person } = await withPasskey();
    const link = await newestUndoToken(person);
    const item = at(undoLinkRecord, person.user.id, readCredential(link)?.hash as string);
    const now = Math.floor(Date.now() / 1000);
    const days = ((await find(item))?.expiresAt ?? 0) - now;
    expect(Math.round(days / 86_400)).toBe(7);
    await transact([update(item, { set: { expiresAt: now - 1 } })]);

    expect(await undo(link)).toBe(dead);
    expect((await factorsOf(person)).passkeys).toBe(1);
  });

  it('does not stay on an account with an unverified address once its password is reset', async () => {
    const { person, authenticator } = await withPasskey();
    const app = await addApp(api, person);

    const session = sessionOf(await resetAndLogIn(person));

    expect(await factorsOf({ session })).toEqual({ passkeys: 0, totp: false, recoveryCodesLeft: 0 });
    const alone = await askedAlone();
    expect(await verify({ challenge: alone.challenge, passkey: authenticator.get(alone.publicKey) })).toBe(wrong);
    const { challenge, write } = newChallenge('log-in', { id: person.user.id, sessionEpoch: 2 });
    await transact([write]);
    expect(await verify({ challenge, totp: app.code() })).toBe(wrong);
    expect(await verify({ challenge, recoveryCode: app.recoveryCodes?.[0] ?? 'x' })).toBe(wrong);
  });

  it('is not added if the address is not verified', async () => {
    const stranger = await seedPerson();
    const owner = await seedPerson({ emailVerified: true });
    useSettings({ VERIFIED_EMAIL_REQUIRED: 'true' });
    await expect(addPasskey(api, stranger)).rejects.toThrow('email_not_verified');
    for (const path of ['/auth/passkeys/options', '/auth/totp', '/auth/totp/confirm']) {
      const sent = path.endsWith('confirm') ? { code: '123456' } : {};
      expect(codeOf(await api.post(path, sent, stranger.session))).toBe('403 email_not_verified');
    }
    await addPasskey(api, owner);
  });
});

describe('e-mails about factors', () => {
  it('are limited to five an hour: then no factor is added, but each can be removed', async () => {
    const person = await seedPerson();
    const other = await seedPerson();
    const added = [await addPasskey(api, person), await addPasskey(api, person), await addPasskey(api, person)];
    for (const { id } of added.slice(0, 2)) await expectStatus(api.delete(`/auth/passkeys/${id}`, person.session), 200);

    await expect(addPasskey(api, person)).rejects.toThrow('rate_limited');
    await expect(addApp(api, person)).rejects.toThrow('rate_limited');

    expect(await factorsOf(person)).toEqual({ passkeys: 1, totp: false, recoveryCodesLeft: 10 });
    await expectStatus(api.delete(`/auth/passkeys/${added[2]?.id}`, person.session), 200);
    expect(await factorsOf(person)).toEqual({ passkeys: 0, totp: false, recoveryCodesLeft: 0 });
    expect(await subjectsTo(person.email)).toHaveLength(5);
    await addPasskey(api, other);
  });

  it('are limited to five even in parallel', async () => {
    const { person } = await withPasskey();
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => addPasskey(api, person)));

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    expect(await subjectsTo(person.email)).toHaveLength(5);
    expect((await factorsOf(person)).passkeys).toBe(5);
  });

  it('never prevent an undo, even when used up', async () => {
    const person = await seedPerson();
    for (let count = 0; count < 5; count += 1) await addPasskey(api, person);

    expect(await undo(await newestUndoToken(person))).toBe('200 ok');
    expect(await subjectsTo(person.email)).toHaveLength(5);
    expect((await stored(person))?.passkeyCount).toBe(4);
  });

  it('that SES rejects leave no factor behind', async () => {
    const { person, app } = await withApp();
    for (const add of [addPasskey, addApp]) {
      const sending = vi.spyOn(mailClient(), 'send').mockRejectedValue(new Error('SES is away') as never);
      await expect(add(api, person)).rejects.toThrow('temporarily_unavailable');
      sending.mockRestore();
    }

    expect(await factorsOf(person)).toEqual({ passkeys: 0, totp: true, recoveryCodesLeft: 10 });
    expect(await verifyAs(person, { totp: app.code() })).toBe('200 ok');
  });

  it('notify the owner once of five wrong codes after the correct password', async () => {
    const { person, app, challenge } = await withApp();
    for (let count = 0; count < 3; count += 1) await verify({ challenge, totp: app.code(100) });
    await verify({ challenge, recoveryCode: 'AAAA-AAAA' });
    expect(await subjectsTo(person.email)).toHaveLength(1);
    await api.post('/auth/step-up', { password: testPassword, totp: app.code(100) }, person.session);

    for (let count = 0; count < 3; count += 1) await verify({ challenge, totp: app.code(100) });

    const subjects = ['Your log-in settings were changed', 'Failed attempts to log in to your account'];
    expect(await subjectsTo(person.email)).toEqual(subjects);
  });

  it('notify once of concurrent wrong codes', async () => {
    const { person, app, challenge } = await withApp();
    await atOnce(8, () => verify({ challenge, totp: app.code(100) }));

    expect((await subjectsTo(person.email)).filter(subject => subject.startsWith('Failed'))).toHaveLength(1);
  });
});

describe('recovery codes', () => {
  it('can be renewed five times an hour', async () => {
    const { person } = await withPasskey();
    const renew = () => api.post('/auth/recovery-codes', {}, person.session);

    expect(await inTurn(6, renew)).toEqual([...Array(5).fill('200 ok'), '429 rate_limited']);
    expect(await subjectsTo(person.email)).toHaveLength(5);
  });

  it('whose response was lost are returned once more for the code that confirmed the app', async () => {
    const person = await seedPerson();
    const { code, confirm } = await startApp(person);
    const sent = code(1);
    const { recoveryCodes: lost } = await body(confirm(sent));

    const { recoveryCodes } = await body(confirm(sent));

    expect(codeOf(await confirm(sent))).toBe('400 invalid_request');
    expect(recoveryCodes).toHaveLength(10);
    expect(await verifyAs(person, { recoveryCode: lost[0] })).toBe(wrong);
    expect(await verifyAs(person, { recoveryCode: recoveryCodes[0] })).toBe('200 ok');
  });

  it('are not returned again once the app was used, for another code, or for a second factor', async () => {
    const person = await seedPerson();
    const { code, confirm } = await startApp(person);
    const first = code();
    expect(codeOf(await confirm(first))).toBe('200 ok');
    expect(codeOf(await confirm(code(-1)))).toBe('400 invalid_request');
    expect(await verifyAs(person, { totp: code(1) })).toBe('200 ok');
    expect(codeOf(await confirm(first))).toBe('400 invalid_request');

    const second = await startApp((await withPasskey()).person);
    const sent = second.code();
    expect(await body(second.confirm(sent))).toEqual({});
    expect(codeOf(await second.confirm(sent))).toBe('400 invalid_request');
  });

  it.each([
    ['a passkey', addPasskey],
    ['an authenticator app', addApp],
  ])('of %s that was added although the transaction seemed to fail are returned', async (_, add) => {
    const person = await seedPerson();
    const send = tableClient().send.bind(tableClient());
    let isLate = true;
    const sending = vi.spyOn(tableClient(), 'send').mockImplementation((async (command: unknown) => {
      const writes = command instanceof TransactWriteCommand ? (command.input.TransactItems ?? []) : [];
      const adds = writes.some(({ Put }) => Put?.Item?.kind === 'undoLink');
      const answer = await send(command as never);
      if (!adds || !isLate) return answer;
      isLate = false;
      const CancellationReasons = writes.map(() => ({ Code: 'ConditionalCheckFailed' }));
      throw new TransactionCanceledException({ message: 'conflict', $metadata: {}, CancellationReasons });
    }) as never);
    const { recoveryCodes = [] } = await add(api, person).finally(() => sending.mockRestore());

    expect(isLate).toBe(false);
    expect(recoveryCodes).toHaveLength(10);
    expect(await verifyAs(person, { recoveryCode: recoveryCodes[0] })).toBe('200 ok');
  });
});

describe('a credential of an authenticator', () => {
  it('belongs to one account until that account removes it', async () => {
    const [person, other] = [await seedPerson(), await seedPerson()];
    const authenticator = createAuthenticator();
    const add = async ({ session }: Person) => {
      const { challenge, publicKey } = await body(api.post('/auth/passkeys/options', {}, session));
      return api.post('/auth/passkeys', { challenge, name: 'x', passkey: authenticator.create(publicKey) }, session);
    };
    const first = await expectStatus(add(person), 201);

    expect(codeOf(await add(other))).toBe('409 passkey_taken');
    const again = await add(person);
    expect([again.status, again.body.error.details]).toEqual([
      400,
      [{ path: 'passkey', message: 'is already one of yours' }],
    ]);
    expect([(await factorsOf(person)).passkeys, (await factorsOf(other)).passkeys]).toEqual([1, 0]);
    expect(await subjectsTo(other.email)).toEqual([]);
    await expectStatus(api.delete(`/auth/passkeys/${first.body.passkey.id}`, person.session), 200);
    const answers = await Promise.all([add(person), add(other)]);
    expect(answers.map(codeOf).toSorted()).toEqual(['201 ok', '409 passkey_taken']);
  });

  it('can be used again after its factor was undone, or removed by a reset', async () => {
    for (const drop of [async (person: Person) => undo(await newestUndoToken(person)), resetAndLogIn]) {
      const { person, authenticator } = await withPasskey();
      await drop(person);
      expect(await find(at(passkeyOwnerRecord, authenticator.credentialId))).toBeUndefined();
    }
  });
});

describe('a token', () => {
  it.each([
    ['a passkey', async (person: Person) => `/auth/passkeys/${(await addPasskey(api, person)).id}`],
    ['an authenticator app', async (person: Person) => addApp(api, person).then(() => '/auth/totp')],
  ])('no longer counts as verified once the account’s last factor, %s, is gone', async (_, add) => {
    const person = await seedPerson();
    const path = await add(person);
    const tokens = await atOnce(3, () => createToken(api, person));
    const handOff = { codeChallenge: createHash('sha256').update('x'.repeat(43)).digest('base64url'), name: 'cli' };
    const { code } = await body(api.post('/auth/cli-auth', handOff, person.session), 201);
    await requireFactor(person);
    const reading = `/projects/${person.organization.id}`;
    const [token] = tokens;
    expect(codeOf(await api.get(reading, token))).toBe('200 ok');

    await expectStatus(api.delete(path, person.session), 200);

    for (const ended of tokens) expect(codeOf(await api.get(reading, ended))).toBe('403 second_factor_required');
    const made = await api.post('/auth/cli-auth', { code, codeVerifier: 'x'.repeat(43) });
    expect(codeOf(await api.get(reading, { token: made.body.token }))).toBe('403 second_factor_required');
    await forgetFactorMails(person.user.id);
    await addPasskey(api, person);
    expect(codeOf(await api.get(reading, token))).toBe('403 second_factor_required');
    expect(codeOf(await api.get(reading, await createToken(api, person)))).toBe('200 ok');
  });

  it('keeps the mark while another factor remains', async () => {
    const { person, id } = await withPasskey();
    await addApp(api, person);
    const token = await createToken(api, person);
    await requireFactor(person);
    await expectStatus(api.delete(`/auth/passkeys/${id}`, person.session), 200);

    expect(codeOf(await api.get(`/projects/${person.organization.id}`, token))).toBe('200 ok');
  });
});

it('an unauthenticated caller can create a limited number of challenges and reset requests', async () => {
  const requests = [
    () => api.post('/auth/login/options', {}),
    () => api.post('/auth/forgot-password', { email: `${randomUUID()}@example.com` }),
  ];
  useSettings({ LOGIN_FAILURE_LIMIT: '1', PASSWORD_RESET_LIMIT_PER_HOUR: '1' });
  for (const request of requests) {
    const answers = (await atOnce(14, request)).map(codeOf);
    expect(answers.filter(answer => answer === '200 ok').length).toBeLessThanOrEqual(10);
    expect(answers).toContain('429 rate_limited');
    expect(codeOf(await request())).toBe('429 rate_limited');
  }
});

const fresh = routes.filter(({ access }) => 'fresh' in access && access.fresh !== undefined);
/** What `by-content` routes need a fresh session for: a path and a body. An `always` route needs one for any request. */
const needing: Readonly<Record<string, (person: Person) => Promise<[path: string, body?: object]>>> = {
  'hand-off-token': async () => ['/auth/cli-auth', { codeChallenge: 'x'.repeat(43), name: 'cli' }],
  'invite-member': async ({ organization: { id } }) => [
    `/members/${id}/invite`,
    { email: 'a@b.example', role: 'owner' },
  ],
  'change-role': async person => [await memberPath(person), { role: 'viewer' }],
  'remove-member': async person => [`${await memberPath(person)}?endIdentities=true`],
  'create-environment': async person => {
    const { slug } = await createProject(api, person);
    const retired = at(retiredEnvironmentRecord, person.organization.slug, slug, 'eu');
    await transact([put(retired, { retiredAt: new Date().toISOString(), type: 'production' })]);
    const environment = { name: 'EU', slug: 'eu', type: 'development' };
    return [`/projects/${person.organization.id}/${slug}/environments`, environment];
  },
  'create-project': async ({ organization }) => {
    const retiredAt = new Date().toISOString();
    await transact([
      put(at(retiredProjectRecord, organization.slug, 'gone'), { retiredAt }),
      put(at(retiredEnvironmentRecord, organization.slug, 'gone', 'staging'), { retiredAt, type: 'production' }),
    ]);
    return [`/projects/${organization.id}`, { name: 'Gone' }];
  },
  'update-environment': async person => {
    const { slug } = await createProject(api, person);
    return [`/projects/${person.organization.id}/${slug}/environments/production`, { type: 'development' }];
  },
  'rename-organization': async ({ organization: { id } }) => [`/orgs/${id}`, { requireSecondFactor: false }],
  'set-secret': person => bypassing(person, '', { key: 'A', value: '1' }),
  'import-secrets': person => bypassing(person, '/bulk', { secrets: { A: '1' } }),
  'apply-changes': person => bypassing(person, '/changes', { set: [{ key: 'A', value: '1' }] }),
  'bulk-delete-secrets': person => bypassing(person, '/bulk-delete', { keys: ['A'] }),
  'delete-secret': person => bypassing(person, '/A'),
  'restore-secrets': person => bypassing(person, '/restore', { revision: 0 }),
  'promote-secrets': async person => {
    const [path] = await bypassing(person, '');
    return [path.replace('/dev?', '/promote?'), { from: 'staging', to: 'dev' }];
  },
  'approve-proposal': async person => {
    const { slug } = await createProject(api, person);
    const author = await seedPerson();
    await join(api, person, author, 'developer');
    const path = `/secrets/${person.organization.slug}/${slug}/dev/proposals`;
    const { body } = await api.post(path, { set: [{ key: 'A', value: '1' }] }, author.session);
    return [`${path}/${body.proposal.id}/approve`, { digest: body.proposal.digest }];
  },
};

/** A change without the approvals that its environment needs. */
async function bypassing(person: Person, rest: string, body?: object): Promise<[path: string, body?: object]> {
  const { slug } = await createProject(api, person);
  const { organization, session } = person;
  await api.patch(`/projects/${organization.id}/${slug}/environments/dev`, { approvals: 1 }, session);
  const path = `/secrets/${organization.slug}/${slug}/dev${rest}?bypass=down`;
  return body === undefined ? [path] : [path, body];
}

async function memberPath({ organization: { id }, session }: Person): Promise<string> {
  return `/members/${id}/${(await api.get(`/members/${id}`, session)).body.members[0].id}`;
}

describe('every fresh route', () => {
  it('is listed in the contracts, and every listed one is tested here', () => {
    const listed = `add-passkey advance-recovery apply-changes approve-proposal bulk-delete-secrets change-email
      change-role close-account confirm-totp create-environment create-grant create-identity create-project
      create-token delete-environment delete-identity delete-organization delete-project delete-secret
      delete-sign-in destroy-versions end-provider-link erase-deleted export-organization get-sign-in
      grant-request hand-off-token import-secrets invite-member promote-secrets remove-member remove-passkey
      remove-totp rename-organization renew-recovery-codes restore-deleted restore-organization restore-secrets
      revoke-grant rotate-key set-allowed-networks set-project-roles set-secret set-sign-in start-passkey
      start-recovery start-totp update-environment update-identity update-organization update-plan verify-domain`;
    expect(fresh.map(({ operationId }) => operationId).toSorted()).toEqual(words(listed));
    const byContent = fresh.filter(({ access }) => 'fresh' in access && access.fresh === 'by-content');
    expect(byContent.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(needing).toSorted());
  });

  it.each(fresh.map(({ operationId, method }) => [operationId, method] as const))(
    '%s rejects an old session, and changes nothing',
    async (operationId, method) => {
      const sample = samples.find(one => one.operationId === operationId);
      if (sample === undefined) throw new Error(`There is no sample of ${operationId}.`);
      const needs = needing[operationId];
      if (needs !== undefined) {
        const person = await seedPerson();
        const [path, sent] = await needs(person);
        const answer = async () => codeOf(await api.call(method, path, { as: person.session, body: sent }));
        await ageSession(person, 601);
        expect(await answer()).toBe('403 step_up_required');
        await ageSession(person, 540);
        expect(await answer()).not.toBe('403 step_up_required');
        return;
      }
      const { request, isDone } = await sample.prepare(api);
      const { as } = request;
      if (as === undefined || !('cookie' in as)) throw new Error(`The sample of ${operationId} has no session.`);
      const userId = readCredential(as.cookie.split('=')[1] as string)?.userId as string;
      const person = { session: as, user: { id: userId } } as Person;
      await ageSession(person, 540);
      const isYoung = codeOf(await send(api, request.method === 'GET' ? request : { ...request, body: { zz: 1 } }));
      expect(isYoung, 'a fresh session').not.toBe('403 step_up_required');
      await ageSession(person, 0);
      const wasDone = await isDone();
      await ageSession(person, 601);
      expect(codeOf(await send(api, request))).toBe('403 step_up_required');
      await ageSession(person, 0);
      expect(await isDone()).toBe(wasDone);
    },
  );

  it('accepts a full token without stepping up, if tokens may use it at all', async () => {
    const person = await seedPerson();
    const token = await createToken(api, person);
    await ageSession(person, 601);
    const { id } = person.organization;
    await expectStatus(api.post(`/projects/${id}`, { name: 'Shop', slug: 'shop' }, token), 201);

    expect(codeOf(await api.post(`/projects/${id}/shop/rotate-key`, {}, token))).toBe('200 ok');
    expect(codeOf(await api.delete(`/projects/${id}/shop`, token))).toBe('200 ok');
    expect(codeOf(await api.post('/auth/token', { name: 'x' }, token))).toBe('403 insufficient_scope');
  });

  it('whose handler forgets to check returns nothing', async () => {
    const person = await seedPerson();
    const forgetful = endpoint(renameOrganization, {
      run: async ({ context }) => ({ status: 200, body: { organization: context.organization } }),
    });
    const event = {
      headers: { 'x-requested-with': 'service', 'content-type': 'application/json' },
      cookies: [person.session.cookie],
      body: JSON.stringify({ requireSecondFactor: false }),
      pathParameters: { orgId: person.organization.id },
      requestContext: { requestId: 'x', http: { method: 'PATCH', sourceIp: '127.0.0.1', userAgent: 'test' } },
    };

    const answer = (await forgetful(event as never, {} as never)) as { statusCode: number };

    expect(answer.statusCode).toBe(500);
  });
});

describe('an organization that requires a second factor', () => {
  it('rejects sessions and tokens without one on all of its routes but leaving', async () => {
    const { person, app } = await withApp();
    const guest = await seedPerson();
    const { id, slug } = person.organization;
    await join(api, person, guest, 'admin');
    const token = await createToken(api, guest, { organizationId: id });
    await requireFactor(person);
    const inOrganization = routes.filter(({ access }) => access.kind === 'member' && access.leaves !== true);

    for (const { method, path: template } of inOrganization) {
      const named = template
        .slice('/v1'.length)
        .replace('{orgId}', id)
        .replace('{orgSlug}', slug)
        .replace(/\{(webhookId|id|identityId)\}/, () => randomUUID())
        .replace(/\{\w+\}/g, 'KEY'.toLowerCase());
      const answer = await api.call(method, named, { as: guest.session, ...(method === 'GET' ? {} : { body: {} }) });
      expect(codeOf(answer), `${method} ${template}`).toBe('403 second_factor_required');
    }
    expect(codeOf(await api.get(`/projects/${id}`, token))).toBe('403 second_factor_required');
    expect(codeOf(await api.get(`/projects/${id}`, await logInWithApp(api, person, app)))).toBe('200 ok');
    // Only a session authenticated with a factor can remove the requirement.
    const removing = await api.patch(`/orgs/${id}`, { requireSecondFactor: false }, guest.session);
    expect(codeOf(removing)).toBe('403 second_factor_required');
  });
});
