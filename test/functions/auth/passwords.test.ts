import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readCredential } from '#lib/crypto/credentials.ts';
import { mailClient } from '#lib/mail/send-mail.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, queryItems } from '#lib/table/read.ts';
import { resetLinkRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Caller, codeOf, createToken, sessionOf, useApi } from '#test/support/api.ts';
import { atOnce } from '#test/support/at-once.ts';
import { eventually } from '#test/support/eventually.ts';
import { recordRequest, startObservedApi } from '#test/support/observed-api.ts';
import { type Person, registerPerson, seedPerson, seedTokens, testPassword } from '#test/support/people.ts';
import { setScrypt } from '#test/support/quick-scrypt.ts';
import { invite, resetPassword } from '#test/support/sample-requests.ts';

const api = useApi(() => startObservedApi({ LOGIN_FAILURE_LIMIT: '3' }));
const newPassword = 'another battery horse';
const logIn = ({ email }: Person, password: string) => api.post('/auth/login', { email, password });
const change = ({ session }: Person, body: object = {}) =>
  api.post('/auth/change-password', { currentPassword: testPassword, newPassword, ...body }, session);
const ask = (email: string) => api.post('/auth/forgot-password', { email });
const reset = (token: string | undefined, password = newPassword) =>
  api.post('/auth/reset-password', { token, newPassword: password });
const statusOf = async (as: Caller) => (await api.get('/auth/me', as)).status;
const invalid = '400 invalid_token';

/** The tokens in the links mailed to an address with this subject, oldest first. Waits for the given number. */
async function linksTo(email: string, subject: string, count = 1): Promise<string[]> {
  return eventually(async () => {
    const mails = (await api.mails()).filter(mail => mail.to === email && mail.subject.includes(subject));
    expect(mails.length).toBeGreaterThanOrEqual(count);
    return mails.map(({ text }) => /#token=(\w+)/.exec(text)?.[1] as string);
  });
}

async function withResetLink() {
  const person = await seedPerson();
  await ask(person.email);
  const [token = ''] = await linksTo(person.email, 'Reset');
  return { person, token };
}

describe('changing the password', () => {
  it('ends every other session, and the tokens only if requested', async () => {
    const person = await seedPerson();
    const other = sessionOf(await logIn(person, testPassword));
    const token = await createToken(api, person);

    expect((await change(person)).body).toEqual({ success: true });
    expect(await Promise.all([person.session, other, token].map(statusOf))).toEqual([200, 401, 200]);
    expect((await logIn(person, testPassword)).status).toBe(401);
    expect((await logIn(person, newPassword)).status).toBe(200);
    const back = { currentPassword: newPassword, newPassword: testPassword, revokeTokens: true };
    expect((await change(person, back)).status).toBe(200);
    expect(await Promise.all([person.session, token].map(statusOf))).toEqual([200, 401]);
  });

  it('reports a wrong currentPassword, and stops checking after as many failures as log-in allows', async () => {
    const person = await seedPerson();
    for (let index = 0; index < 3; index += 1) {
      const wrong = await change(person, { currentPassword: 'not the right one' });
      expect(codeOf(wrong)).toBe('400 invalid_request');
      expect(wrong.body.error.details).toEqual([{ path: 'currentPassword', message: 'is wrong' }]);
    }

    const right = await change(person);

    expect([right.status, Number(right.headers.get('retry-after')) > 0]).toEqual([429, true]);
  });

  it.each(['administrator', 'short'])('rejects the common or short password %s', async password => {
    const { body } = await change(await seedPerson(), { newPassword: password });
    expect(body.error.details).toEqual([{ path: 'newPassword', message: expect.any(String) }]);
  });

  it('invalidates an open reset link', async () => {
    const { person, token } = await withResetLink();
    await change(person);

    expect(codeOf(await reset(token, 'yet another battery'))).toBe(invalid);
  });
});

describe('a forgotten password', () => {
  it('is reset with a mailed link, which works once and ends every session', async () => {
    const person = await seedPerson();
    expect((await ask(person.email.toUpperCase())).body).toEqual({ success: true });
    const [token] = await linksTo(person.email, 'Reset');

    expect((await reset(token)).body).toEqual({ success: true });
    expect(codeOf(await reset(token, 'yet another battery'))).toBe(invalid);
    expect(await statusOf(person.session)).toBe(401);
    expect((await logIn(person, newPassword)).status).toBe(200);
  });

  it('that is reset leaves no token, limited or not, and the organization’s log records it', async () => {
    const { organization, ...person } = await seedPerson();
    const endless = await createToken(api, person);
    const limited = await createToken(api, person, { organizationId: organization.id });

    await resetPassword(api, person, newPassword);

    expect(await Promise.all([endless, limited, person.session].map(statusOf))).toEqual([401, 401, 401]);
    const session = sessionOf(await api.post('/auth/login', { email: person.email, password: newPassword }));
    expect((await api.get(`/audit/${organization.id}?action=token.revoked`, session)).body.entries).toHaveLength(1);
    expect((await api.get('/auth/tokens', session)).body.tokens).toEqual([]);
  });

  it('that is reset leaves no token, even if there were more than fit in one transaction', async () => {
    const person = await seedPerson();
    const tokens = await seedTokens(person, 230);

    await resetPassword(api, person);

    expect(await queryItems(ranges.tokens(person.user.id))).toEqual([]);
    expect(await Promise.all(tokens.slice(0, 10).map(statusOf))).toEqual(Array(10).fill(401));
  });

  it('that is reset leaves no token created at the same moment', async () => {
    // Hashing the new password gives an attacker time.
    setScrypt('real');
    onTestFinished(() => setScrypt('quick'));
    const minted: { token: string }[] = [];
    // On a busy machine, the reset may be faster than every attempt.
    for (let round = 0; round < 5 || minted.length === 0; round += 1) {
      const { person, token } = await withResetLink();
      const resetting = reset(token);
      let isDone = false;
      void resetting.finally(() => {
        isDone = true;
      });
      while (!isDone) {
        const answer = await api.post('/auth/token', { name: 'x' }, person.session);
        if (answer.status === 201) minted.push(answer.body);
      }

      expect((await resetting).status).toBe(200);
      expect((await Promise.all(minted.map(statusOf))).filter(status => status !== 401)).toEqual([]);
    }
  });

  it('keeps earlier links valid when another is requested, and invalidates them all when one is used', async () => {
    const { person } = await withResetLink();
    await ask(person.email);
    const [older, newer] = await linksTo(person.email, 'Reset', 2);

    expect((await reset(older)).status).toBe(200);
    expect((await reset(newer)).status).toBe(400);
    expect((await reset(older)).status).toBe(400);
  });

  it('has a link that is valid for only an hour', async () => {
    const { person, token } = await withResetLink();
    const past = Math.floor(Date.now() / 1000) - 1;
    const { hash } = readCredential(token) ?? { hash: '' };
    await transact([update(at(resetLinkRecord, person.user.id, hash), { set: { expiresAt: past } })]);

    expect(codeOf(await reset(token))).toBe(invalid);
  });

  it('keeps its link when the new password is rejected', async () => {
    const { token } = await withResetLink();

    expect((await reset(token, 'administrator')).status).toBe(400);
    expect((await reset(token)).status).toBe(200);
  });

  it('returns 429 with Retry-After for the sixth e-mail within an hour, without affecting other users', async () => {
    const [person, next] = await Promise.all([seedPerson(), seedPerson()]);
    const answers = await atOnce(6, () => ask(person.email));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.error.code).toBe('rate_limited');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(59 * 60);
    expect(await linksTo(person.email, 'Reset', 5)).toHaveLength(5);
    expect((await ask(next.email)).status).toBe(200);
    expect(await linksTo(next.email, 'Reset')).toHaveLength(1);
  });

  it('gets the same response, limit and calls for an address without an account', async () => {
    const { email } = await seedPerson();
    const unknown = `${randomUUID()}@example.com`;
    const observe = async (address: string) => {
      const { answer, calls } = await recordRequest(headers =>
        api.post('/auth/forgot-password', { email: address }, undefined, headers),
      );
      const sent = calls.map(call => [call.operation, call.roundTrip, JSON.stringify(call.input).length] as const);
      const inOrder = sent.toSorted(([one], [other]) => one.localeCompare(other));
      return { status: answer.status, body: answer.body.error?.code ?? answer.body, calls: inOrder };
    };
    const observeFiveTimes = async (address: string) => {
      const observed = [];
      for (let times = 0; times < 5; times += 1) observed.push(await observe(address));
      return observed;
    };

    const ofAccount = await observeFiveTimes(email);
    const called = ofAccount[0]?.calls.map(([operation, roundTrip]) => `${operation} ${roundTrip}`);
    expect(called).toEqual(['GetItem 1', 'SendMessage 2', 'TransactWriteItems 1']);
    expect(await observeFiveTimes(unknown)).toEqual(ofAccount);
    expect(await observe(unknown)).toEqual(await observe(email));
    expect(await linksTo(email, 'Reset', 5)).toHaveLength(5);
    expect((await api.mails()).filter(({ to }) => to === unknown)).toEqual([]);
  });

  it('passes through the queue without the address or the token', async () => {
    const { email, user } = await seedPerson();
    const { calls } = await recordRequest(headers => api.post('/auth/forgot-password', { email }, undefined, headers));
    const message = calls.find(({ service }) => service === 'SQS');

    expect(JSON.parse(message?.input.MessageBody)).toEqual({ type: 'mail-reset-link', userId: user.id });
  });

  it('has a link that can’t be used to verify an address, and vice versa', async () => {
    const { email } = await registerPerson(api);
    await ask(email);
    const [resetToken] = await linksTo(email, 'Reset');
    const [verification] = await linksTo(email, 'Verify');

    expect((await api.post('/auth/verify-email', { token: resetToken })).status).toBe(400);
    expect((await reset(verification)).status).toBe(400);
  });
});

describe('verifying the e-mail address', () => {
  it('can be requested again, which replaces the older link', async () => {
    const person = await registerPerson(api);
    expect((await api.post('/auth/send-verification', {}, person.session)).body).toEqual({ success: true });
    const [older, newer] = await linksTo(person.email, 'Verify');

    expect((await api.post('/auth/verify-email', { token: older })).body.error.code).toBe('invalid_token');
    expect((await api.post('/auth/verify-email', { token: newer })).body.user.emailVerified).toBe(true);
    expect((await api.get('/auth/me', person.session)).body.user.emailVerified).toBe(true);
  });

  it('sends no e-mail if the address is already verified', async () => {
    const person = await registerPerson(api);
    const [token] = await linksTo(person.email, 'Verify');
    await api.post('/auth/verify-email', { token });

    expect((await api.post('/auth/send-verification', {}, person.session)).body).toEqual({ success: true });
    expect(await linksTo(person.email, 'Verify')).toHaveLength(1);
  });
});

describe('while no e-mail can be sent', () => {
  const name = 'mail-outage';
  beforeEach(() => {
    const fail = () => () => Promise.reject(Object.assign(new Error('no mail today'), { name: 'ServiceUnavailable' }));
    mailClient().middlewareStack.add(fail, { step: 'initialize', name, override: true });
  });
  const endOutage = () => mailClient().middlewareStack.remove(name);
  afterEach(endOutage);

  it('users can still register, and request their link later', async () => {
    const person = await seedPerson();
    const request = () => api.post('/auth/send-verification', {}, person.session);
    const failed = await request();
    endOutage();
    const sent = await request();

    expect(codeOf(failed)).toBe('503 temporarily_unavailable');
    expect(failed.headers.get('retry-after')).not.toBeNull();
    expect(sent.status).toBe(200);
    expect((await api.mails()).filter(({ to }) => to === person.email)).toHaveLength(1);
  });

  it('a password reset gets the same response as for an unknown account, and its link arrives later', async () => {
    const { email } = await seedPerson();
    const answers = [await ask(email), await ask(`${randomUUID()}@example.com`)];

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    endOutage();
    expect(await linksTo(email, 'Reset')).toHaveLength(1);
  });

  it('members can still send invitations, because the response contains the token', async () => {
    const [owner, guest] = [await seedPerson(), await seedPerson()];
    const { token } = await invite(api, owner, `${randomUUID()}@example.com`);
    const accepted = await api.post(`/members/invite/${token}/accept`, {}, guest.session);
    expect(accepted.status).toBe(200);
    expect((await logIn(owner, testPassword)).status).toBe(200);
  });
});
