import { randomUUID, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readCredential } from '#lib/crypto/credentials.ts';
import { at, find } from '#lib/table/read.ts';
import { sessionRecord } from '#lib/table/records/credentials.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, sessionOf, startApi, useApi } from '#test/support/api.ts';
import { atOnce } from '#test/support/at-once.ts';
import { seedPerson, testPassword } from '#test/support/people.ts';

const api = useApi(() => startApi({ LOGIN_FAILURE_LIMIT: '3', REGISTER_LIMIT_PER_HOUR: '-1' }));
const wrongPassword = 'not the right one';
const logIn = (email: string, password = testPassword) => api.post('/auth/login', { email, password });

describe('logging in', () => {
  it('starts a new session, whatever the case of the e-mail address', async () => {
    const person = await seedPerson({ name: 'Ada' });
    const answer = await logIn(person.email.toUpperCase());

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ user: person.user });
    expect(sessionOf(answer)).not.toEqual(person.session);
    expect((await api.get('/auth/me', sessionOf(answer))).status).toBe(200);
  });

  it('accepts neither of two different session cookies, and says why', async () => {
    const [victim, attacker] = [await seedPerson(), await seedPerson()];
    const me = (cookie: string) => api.get('/auth/me', { cookie });
    const [one, other] = [victim.session.cookie, attacker.session.cookie];
    for (const both of [`${one}; other=1; ${other}`, `${other}; other=1; ${one}`]) {
      const answer = await me(both);
      expect(codeOf(answer)).toBe('401 unauthenticated');
      expect(answer.body.error.message).toMatch(/two different session cookies.*another site of the same domain/);
    }
    expect((await me(`${one}; ${one}`)).status).toBe(200);
    // Even a cookie that is no session at all may be the attacker's.
    expect((await me(`${one}; __service_session=x`)).status).toBe(401);
  });

  it('gives a wrong password and an unknown e-mail address the same response', async () => {
    const { email } = await seedPerson();
    const wrong = await logIn(email, wrongPassword);
    const unknown = await logIn(`${randomUUID()}@example.com`, wrongPassword);
    const content = ({ status, body }: typeof wrong) => [status, { ...body.error, requestId: '' }];
    expect(wrong.status).toBe(401);
    expect(content(unknown)).toEqual(content(wrong));
  });

  it('checks only three of eight concurrent wrong attempts, and then rejects even the correct password', async () => {
    const { email } = await seedPerson();
    const answers = await atOnce(8, () => logIn(email, wrongPassword));
    const right = await logIn(email);

    expect(answers.map(({ status }) => status).toSorted()).toEqual([401, 401, 401, ...Array(5).fill(429)]);
    expect(codeOf(right)).toBe('429 rate_limited');
    const seconds = Number(right.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(14 * 60);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
  });

  it('does not count correct passwords, even many at once', async () => {
    const { email } = await seedPerson();

    expect((await atOnce(8, () => logIn(email))).map(({ status }) => status)).toEqual(Array(8).fill(200));
  });

  it('does not block other users when one is blocked', async () => {
    const [blocked, other] = await Promise.all([seedPerson(), seedPerson()]);
    for (let index = 0; index < 4; index += 1) await logIn(blocked.email, wrongPassword);

    expect((await logIn(blocked.email)).status).toBe(429);
    expect((await logIn(other.email)).status).toBe(200);
  });

  it('resets the count after a success', async () => {
    const { email } = await seedPerson();
    const wrong = async () => (await logIn(email, wrongPassword)).status;

    expect([await wrong(), await wrong(), (await logIn(email)).status]).toEqual([401, 401, 200]);
    expect([await wrong(), await wrong(), await wrong(), await wrong()]).toEqual([401, 401, 401, 429]);
  });
});

describe('a session', () => {
  it('ends at log-out, which clears its cookie and keeps other sessions', async () => {
    const person = await seedPerson();
    const other = sessionOf(await logIn(person.email));

    const answer = await api.post('/auth/logout', {}, person.session);

    expect(answer.body).toEqual({ success: true });
    expect(answer.headers.getSetCookie()).toEqual([expect.stringContaining('__service_session=; Path=/; Max-Age=0')]);
    expect((await api.get('/auth/me', person.session)).status).toBe(401);
    expect((await api.get('/auth/me', other)).status).toBe(200);
  });

  it('is invalid once it has expired, even if DynamoDB has not deleted it yet', async () => {
    const person = await seedPerson();
    const { session } = sessionItem(person.session);
    await transact([update(session, { set: { expiresAt: Math.floor(Date.now() / 1000) - 1 } })]);

    expect((await api.get('/auth/me', person.session)).status).toBe(401);
  });

  it('slides: a session used a day or more after it started lasts 14 days from then', async () => {
    const person = await seedPerson();
    const { session } = sessionItem(person.session);
    const inTwelveDays = Math.floor(Date.now() / 1000) + 12 * 86_400;
    const lastUsedAt = new Date(Date.now() - 2 * 86_400_000).toISOString();
    await transact([update(session, { set: { expiresAt: inTwelveDays, lastUsedAt } })]);

    const answer = await api.get('/auth/me', person.session);

    expect(sessionOf(answer)).toEqual(person.session);
    expect((await find(session))?.expiresAt).toBeGreaterThan(inTwelveDays + 86_400);
  });

  it('ends 90 days after it started, even if it is used', async () => {
    const person = await seedPerson();
    const { session: item } = sessionItem(person.session);
    const session = await find(item);
    const age = (days: number) => {
      const createdAt = new Date(Date.now() - days * 86_400_000).toISOString();
      return transact([update(item, { set: { createdAt, lastUsedAt: createdAt } })]);
    };

    await age(85);
    const answer = await api.get('/auth/me', person.session);
    expect(answer.status).toBe(200);
    const maximumAge = Number(/Max-Age=(\d+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1]);
    expect(maximumAge).toBeGreaterThan(4.9 * 86_400);
    expect(maximumAge).toBeLessThanOrEqual(5 * 86_400);
    expect((await find(item))?.expiresAt).toBeLessThan((session?.expiresAt ?? 0) - 8 * 86_400);
    await age(91);
    expect((await api.get('/auth/me', person.session)).status).toBe(401);
  });

  it('is listed, and can be ended by its user alone', async () => {
    const person = await seedPerson();
    const stolen = sessionOf(await logIn(person.email));
    const stranger = await seedPerson();

    const { sessions } = (await api.get('/auth/sessions', person.session)).body;
    expect(sessions.map(({ current }: { current: boolean }) => current).toSorted()).toEqual([false, true]);
    const other = sessions.find(({ current }: { current: boolean }) => !current);
    const text = expect.any(String);
    const facts = { createdAt: text, lastUsedAt: text, ip: text, userAgent: text, expiresAt: text };
    expect(other).toEqual({ id: text, current: false, ...facts });
    const path = `/auth/sessions/${other.id}`;
    expect(codeOf(await api.delete(path, stranger.session))).toBe('404 session_not_found');
    expect((await api.delete(path, person.session)).status).toBe(200);
    expect((await api.get('/auth/me', stolen)).status).toBe(401);
    expect((await api.get('/auth/me', person.session)).status).toBe(200);
  });
});

it('a stored password hash is replaced by one with the current parameters when its user logs in', async () => {
  const person = await seedPerson();
  const account = at(userRecord, person.user.id);
  await transact([update(account, { set: { passwordHash: weakHash(testPassword) } })]);

  expect((await logIn(person.email)).status).toBe(200);
  expect((await find(account))?.passwordHash).toMatch(/^scrypt\$17\$8\$1\$/);
  expect((await logIn(person.email)).status).toBe(200);
});

function sessionItem({ cookie }: { cookie: string }) {
  const read = readCredential(cookie.split('=')[1] as string);
  if (read === undefined) throw new Error('no credential');
  return { ...read, session: at(sessionRecord, read.userId, read.hash) };
}

function weakHash(password: string): string {
  const salt = Buffer.from('0123456789abcdef');
  const hash = scryptSync(password, salt, 32, { N: 2 ** 14, r: 8, p: 1 });
  return ['scrypt', 14, 8, 1, salt.toString('base64url'), hash.toString('base64url')].join('$');
}
