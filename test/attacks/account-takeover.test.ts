import { describe, expect, it, onTestFinished } from 'vitest';
import { readCredential } from '#lib/crypto/credentials.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find, queryItems } from '#lib/table/read.ts';
import { sessionRecord } from '#lib/table/records/credentials.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, createToken, useApi } from '../support/api.ts';
import { seedPerson, seedTokens, testPassword } from '../support/people.ts';
import { setScrypt } from '../support/quick-scrypt.ts';
import { expectStatus, mailedToken, membersOf, resetPassword } from '../support/sample-requests.ts';
import { logInAs } from '../support/sign-in/scene.ts';

const api = useApi();

const newPassword = 'another battery horse';
const revocationsIn = async ({ id }: { id: string }, as: { cookie: string }) =>
  (await api.get(`/audit/${id}?action=token.revoked`, as)).body.entries;

const statusesOf = (tokens: readonly { token: string }[]) =>
  Promise.all(tokens.map(async token => (await api.get('/auth/me', token)).status));

describe('an attacker who held an account before its password was reset', () => {
  it('has no tokens left, limited or not, and the organizations’ logs record it', async () => {
    const victim = await seedPerson();
    const endless = await createToken(api, victim);
    const limited = await createToken(api, victim, { organizationId: victim.organization.id });

    await resetPassword(api, victim);

    expect(await statusesOf([endless, limited])).toEqual([401, 401]);
    expect((await api.get('/auth/me', victim.session)).status).toBe(401);
    const session = await logInAs(api, victim, newPassword);
    expect(await revocationsIn(victim.organization, session)).toHaveLength(1);
    expect((await api.get('/auth/tokens', session)).body.tokens).toEqual([]);
  });

  it('has no tokens left, even if there were more than fit in one transaction', async () => {
    const victim = await seedPerson();
    const tokens = await seedTokens(victim, 230);

    await resetPassword(api, victim);

    expect(await queryItems(ranges.tokens(victim.user.id))).toEqual([]);
    expect(new Set(await statusesOf(tokens.slice(0, 10)))).toEqual(new Set([401]));
  });

  it('can’t create a token at the same moment', async () => {
    // Hashing the new password gives the attacker time.
    setScrypt('real');
    onTestFinished(() => setScrypt('quick'));
    for (let round = 0; round < 5; round += 1) {
      const victim = await seedPerson();
      await api.post('/auth/forgot-password', { email: victim.email });
      const token = await mailedToken(api, victim.email, 'Reset');
      const resetting = api.post('/auth/reset-password', { token, newPassword });
      let isDone = false;
      void resetting.finally(() => {
        isDone = true;
      });
      const minted: { token: string }[] = [];
      while (!isDone) {
        const answer = await api.post('/auth/token', { name: 'x' }, victim.session);
        if (answer.status === 201) minted.push(answer.body);
      }

      expect((await resetting).status).toBe(200);
      expect(minted.length).toBeGreaterThan(0);
      expect(new Set(await statusesOf(minted))).toEqual(new Set([401]));
    }
  });
});

it('a changed password revokes the tokens if requested', async () => {
  const person = await seedPerson();
  const token = await createToken(api, person);
  const change = (body: object) => expectStatus(api.post('/auth/change-password', body, person.session), 200);

  await change({ currentPassword: testPassword, newPassword });
  expect(await statusesOf([token])).toEqual([200]);
  await change({ currentPassword: newPassword, newPassword: testPassword, revokeTokens: true });

  expect(await statusesOf([token])).toEqual([401]);
  expect((await api.get('/auth/me', person.session)).status).toBe(200);
});

describe('tokens', () => {
  it('are limited to 100 per user, even under many parallel requests', async () => {
    const person = await seedPerson();
    await seedTokens(person, 97);

    const create = () => api.post('/auth/token', { name: 'x' }, person.session);
    const answers = await Promise.all(Array.from({ length: 8 }, create));

    const rejected = Array(5).fill('409 token_limit_reached');
    expect(answers.map(codeOf).toSorted()).toEqual(['201 ok', '201 ok', '201 ok', ...rejected]);
    expect((await api.get('/auth/tokens', person.session)).body.tokens).toHaveLength(100);
  });

  it('can revoke themselves, which is an error for sessions', async () => {
    const person = await seedPerson();
    const limited = await createToken(api, person, { organizationId: person.organization.id, access: 'read' });

    expect((await api.delete('/auth/tokens/current', limited)).body).toEqual({ success: true });
    expect(await statusesOf([limited])).toEqual([401]);
    expect(await revocationsIn(person.organization, person.session)).toHaveLength(1);
    expect(codeOf(await api.delete('/auth/tokens/current', person.session))).toBe('404 token_not_found');
  });
});

describe('sessions', () => {
  it('are listed and can be ended one by one', async () => {
    const person = await seedPerson();
    const stolen = await logInAs(api, person);
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

  it('end 90 days after they started, even if they are used', async () => {
    const person = await seedPerson();
    const hash = readCredential(person.session.cookie.split('=')[1] as string)?.hash as string;
    const item = at(sessionRecord, person.user.id, hash);
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
});

it('a name can be changed, also in the member lists', async () => {
  const person = await seedPerson();

  const answer = await api.patch('/auth/me', { name: 'Countess' }, person.session);

  expect(answer.body.user).toMatchObject({ id: person.user.id, name: 'Countess' });
  expect((await api.get('/auth/me', person.session)).body.user.name).toBe('Countess');
  expect(await membersOf(api, person)).toMatchObject([{ name: 'Countess' }]);
});
