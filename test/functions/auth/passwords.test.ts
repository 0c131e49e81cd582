import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readCredential } from '#lib/crypto/credentials.ts';
import { at } from '#lib/table/read.ts';
import { resetLinkRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { createToken, sessionOf } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { recordRequest, startObservedApi } from '#test/support/observed-api.ts';
import { registerPerson, seedPerson, testPassword } from '#test/support/people.ts';

const api = shared(() => startObservedApi({ LOGIN_FAILURE_LIMIT: '3' }));

const newPassword = 'another battery horse';
const logIn = (email: string, password: string) => api.post('/auth/login', { email, password });

/** The tokens in the links mailed to an address with this subject, oldest first. Waits for the given number. */
async function linksTo(email: string, subject: string, count = 1): Promise<string[]> {
  return eventually(async () => {
    const mails = (await api.mails()).filter(mail => mail.to === email && mail.subject.includes(subject));
    expect(mails.length).toBeGreaterThanOrEqual(count);
    return mails.map(({ text }) => /#token=(\w+)/.exec(text)?.[1] as string);
  });
}

describe('changing the password', () => {
  it('ends every other session but no token', async () => {
    const person = await seedPerson();
    const other = sessionOf(await logIn(person.email, testPassword));
    const token = await createToken(api, person);

    const answer = await api.post(
      '/auth/change-password',
      { currentPassword: testPassword, newPassword },
      person.session,
    );

    expect(answer.body).toEqual({ success: true });
    expect((await api.get('/auth/me', person.session)).status).toBe(200);
    expect((await api.get('/auth/me', other)).status).toBe(401);
    expect((await api.get('/auth/me', token)).status).toBe(200);
    expect((await logIn(person.email, testPassword)).status).toBe(401);
    expect((await logIn(person.email, newPassword)).status).toBe(200);
  });

  it('reports a wrong currentPassword, and stops checking after as many failures as log-in allows', async () => {
    const person = await seedPerson();
    const change = (currentPassword: string) =>
      api.post('/auth/change-password', { currentPassword, newPassword }, person.session);

    const wrong = [];
    for (let index = 0; index < 3; index += 1) wrong.push(await change('not the right one'));
    const right = await change(testPassword);

    expect(wrong[0]?.body.error).toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'currentPassword', message: 'is wrong' }],
    });
    expect(wrong.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect([right.status, Number(right.headers.get('retry-after')) > 0]).toEqual([429, true]);
  });

  it('rejects common passwords and short ones', async () => {
    const person = await seedPerson();
    const change = (password: string) =>
      api.post('/auth/change-password', { currentPassword: testPassword, newPassword: password }, person.session);

    for (const password of ['administrator', 'short']) {
      expect((await change(password)).body.error.details).toEqual([
        { path: 'newPassword', message: expect.any(String) },
      ]);
    }
  });

  it('invalidates an open reset link', async () => {
    const person = await seedPerson();
    await api.post('/auth/forgot-password', { email: person.email });
    const [token] = await linksTo(person.email, 'Reset');
    await api.post('/auth/change-password', { currentPassword: testPassword, newPassword }, person.session);

    const answer = await api.post('/auth/reset-password', { token, newPassword: 'yet another battery' });

    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_token']);
  });
});

describe('a forgotten password', () => {
  it('is reset with a mailed link, which works once and ends every session', async () => {
    const person = await seedPerson();
    expect((await api.post('/auth/forgot-password', { email: person.email.toUpperCase() })).body).toEqual({
      success: true,
    });
    const [token] = await linksTo(person.email, 'Reset');

    const first = await api.post('/auth/reset-password', { token, newPassword });
    const second = await api.post('/auth/reset-password', { token, newPassword: 'yet another battery' });

    expect(first.body).toEqual({ success: true });
    expect([second.status, second.body.error.code]).toEqual([400, 'invalid_token']);
    expect((await api.get('/auth/me', person.session)).status).toBe(401);
    expect((await logIn(person.email, newPassword)).status).toBe(200);
  });

  it('keeps earlier links valid when another is requested, and invalidates them all when one is used', async () => {
    const person = await seedPerson();
    await api.post('/auth/forgot-password', { email: person.email });
    await linksTo(person.email, 'Reset');
    await api.post('/auth/forgot-password', { email: person.email });
    const [older, newer] = await linksTo(person.email, 'Reset', 2);

    expect((await api.post('/auth/reset-password', { token: older, newPassword })).status).toBe(200);
    expect((await api.post('/auth/reset-password', { token: newer, newPassword })).status).toBe(400);
    expect((await api.post('/auth/reset-password', { token: older, newPassword })).status).toBe(400);
  });

  it('has a link that is valid for only an hour', async () => {
    const person = await seedPerson();
    await api.post('/auth/forgot-password', { email: person.email });
    const [token] = await linksTo(person.email, 'Reset');
    const past = Math.floor(Date.now() / 1000) - 1;
    const { hash } = readCredential(token as string) ?? { hash: '' };
    await transact([update(at(resetLinkRecord, person.user.id, hash), { set: { expiresAt: past } })]);

    const answer = await api.post('/auth/reset-password', { token, newPassword });

    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_token']);
  });

  it('keeps its link when the new password is rejected', async () => {
    const person = await seedPerson();
    await api.post('/auth/forgot-password', { email: person.email });
    const [token] = await linksTo(person.email, 'Reset');

    expect((await api.post('/auth/reset-password', { token, newPassword: 'administrator' })).status).toBe(400);
    expect((await api.post('/auth/reset-password', { token, newPassword })).status).toBe(200);
  });

  it('returns 429 with Retry-After for the sixth e-mail within an hour, without affecting other users', async () => {
    const [person, next] = await Promise.all([seedPerson(), seedPerson()]);
    const ask = (email: string) => api.post('/auth/forgot-password', { email });

    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(person.email)));

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
    const ask = async (address: string) => {
      const { answer, calls } = await recordRequest(headers =>
        api.post('/auth/forgot-password', { email: address }, undefined, headers),
      );
      const sent = calls.map(({ operation, roundTrip, input }) => ({
        operation,
        roundTrip,
        length: JSON.stringify(input).length,
      }));
      const inOrder = sent.toSorted((one, other) => one.operation.localeCompare(other.operation));
      return { status: answer.status, body: answer.body.error?.code ?? answer.body, calls: inOrder };
    };

    const known = [await ask(email), await ask(email), await ask(email), await ask(email), await ask(email)];
    const nobody = [await ask(unknown), await ask(unknown), await ask(unknown), await ask(unknown), await ask(unknown)];

    expect(known[0]?.calls).toEqual([
      expect.objectContaining({ operation: 'GetItem', roundTrip: 1 }),
      expect.objectContaining({ operation: 'SendMessage', roundTrip: 2 }),
      expect.objectContaining({ operation: 'TransactWriteItems', roundTrip: 1 }),
    ]);
    expect(nobody).toEqual(known);
    expect(await ask(unknown)).toEqual(await ask(email));
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
    const person = await registerPerson(api);
    await api.post('/auth/forgot-password', { email: person.email });
    const [reset] = await linksTo(person.email, 'Reset');
    const [verification] = await linksTo(person.email, 'Verify');

    expect((await api.post('/auth/verify-email', { token: reset })).status).toBe(400);
    expect((await api.post('/auth/reset-password', { token: verification, newPassword })).status).toBe(400);
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
