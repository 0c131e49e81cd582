import { describe, expect, it, onTestFinished } from 'vitest';
import { issuingKey } from '#lib/access/credential-key.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { createCredential, readCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find, list, queryItems } from '#lib/table/read.ts';
import { sessionRecord, tokenRecord } from '#lib/table/records/credentials.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { createToken, sessionOf, useApi } from '../support/api.ts';
import { type Person, seedPerson, testPassword } from '../support/people.ts';
import { setScrypt } from '../support/quick-scrypt.ts';
import { mailedToken } from '../support/sample-requests.ts';

const api = useApi();

const newPassword = 'another battery horse';

async function resetPassword(person: Person): Promise<void> {
  await api.post('/auth/forgot-password', { email: person.email });
  const token = await mailedToken(api, person.email, 'Reset');
  expect((await api.post('/auth/reset-password', { token, newPassword })).status).toBe(200);
}

/** Writes any number of tokens directly into the table. */
async function seedTokens(person: Person, count: number): Promise<{ token: string }[]> {
  const key = await issuingKey();
  const made = Array.from({ length: count }, (_, index) => {
    const { secret, hash } = createCredential(person.user.id, tokenPrefix, key);
    const record = {
      id: crypto.randomUUID(),
      userId: person.user.id,
      email: person.email,
      hash,
      name: `seeded ${index}`,
      prefix: secret.slice(0, 16),
      access: 'full' as const,
      organizationId: null,
      projectId: null,
      environmentId: null,
      memberId: null,
      secondFactor: false,
      createdAt: new Date().toISOString(),
      lastUsedAt: null,
      expiryDate: null,
    };
    return { token: secret, write: put(at(tokenRecord, person.user.id, hash), record) };
  });
  for (const chunk of chunksOf(100, made)) await transact(chunk.map(({ write }) => write));
  return made;
}

const statusesOf = (tokens: readonly { token: string }[]) =>
  Promise.all(tokens.map(async token => (await api.get('/auth/me', token)).status));

describe('an attacker who held an account before its password was reset', () => {
  it('has no tokens left, limited or not, and the organizations’ logs record it', async () => {
    const victim = await seedPerson();
    const endless = await createToken(api, victim);
    const limited = await createToken(api, victim, { organizationId: victim.organization.id });

    await resetPassword(victim);

    expect(await statusesOf([endless, limited])).toEqual([401, 401]);
    expect((await api.get('/auth/me', victim.session)).status).toBe(401);
    const session = sessionOf(await api.post('/auth/login', { email: victim.email, password: newPassword }));
    const { entries } = (await api.get(`/audit/${victim.organization.id}?action=token.revoked`, session)).body;
    expect(entries).toHaveLength(1);
    expect((await api.get('/auth/tokens', session)).body.tokens).toEqual([]);
  });

  it('has no tokens left, even if there were more than fit in one transaction', async () => {
    const victim = await seedPerson();
    const tokens = await seedTokens(victim, 230);

    await resetPassword(victim);

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
      let done = false;
      const minting = (async () => {
        const minted: { token: string }[] = [];
        while (!done) {
          const answer = await api.post('/auth/token', { name: 'x' }, victim.session);
          if (answer.status === 201) minted.push(answer.body);
        }
        return minted;
      })();
      const reset = await api.post('/auth/reset-password', { token, newPassword });
      done = true;
      const minted = await minting;

      expect(reset.status).toBe(200);
      expect(minted.length).toBeGreaterThan(0);
      expect(new Set(await statusesOf(minted))).toEqual(new Set([401]));
    }
  });
});

describe('a changed password', () => {
  it('revokes the tokens if requested', async () => {
    const person = await seedPerson();
    const token = await createToken(api, person);
    const change = (body: object) => api.post('/auth/change-password', body, person.session);

    await change({ currentPassword: testPassword, newPassword });
    expect(await statusesOf([token])).toEqual([200]);
    await change({ currentPassword: newPassword, newPassword: testPassword, revokeTokens: true });

    expect(await statusesOf([token])).toEqual([401]);
    expect((await api.get('/auth/me', person.session)).status).toBe(200);
  });
});

describe('tokens', () => {
  it('are limited to 100 per user, even under many parallel requests', async () => {
    const person = await seedPerson();
    await seedTokens(person, 97);

    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.post('/auth/token', { name: 'x' }, person.session)),
    );

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.error.code).toBe('token_limit_reached');
    expect((await api.get('/auth/tokens', person.session)).body.tokens).toHaveLength(100);
  });

  it('can revoke themselves, which is an error for sessions', async () => {
    const person = await seedPerson();
    const limited = await createToken(api, person, { organizationId: person.organization.id, access: 'read' });

    expect((await api.delete('/auth/tokens/current', limited)).body).toEqual({ success: true });
    expect(await statusesOf([limited])).toEqual([401]);
    const { entries } = (await api.get(`/audit/${person.organization.id}?action=token.revoked`, person.session)).body;
    expect(entries).toHaveLength(1);
    const answer = await api.delete('/auth/tokens/current', person.session);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'token_not_found']);
  });
});

describe('sessions', () => {
  it('are listed and can be ended one by one', async () => {
    const person = await seedPerson();
    const stolen = sessionOf(await api.post('/auth/login', { email: person.email, password: testPassword }));
    const stranger = await seedPerson();

    const { sessions } = (await api.get('/auth/sessions', person.session)).body;
    expect(sessions.map(({ current }: { current: boolean }) => current).toSorted()).toEqual([false, true]);
    const other = sessions.find(({ current }: { current: boolean }) => !current);
    expect(other).toEqual({
      id: expect.any(String),
      current: false,
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
      ip: expect.any(String),
      userAgent: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect((await api.delete(`/auth/sessions/${other.id}`, stranger.session)).body.error.code).toBe(
      'session_not_found',
    );
    expect((await api.delete(`/auth/sessions/${other.id}`, person.session)).status).toBe(200);

    expect((await api.get('/auth/me', stolen)).status).toBe(401);
    expect((await api.get('/auth/me', person.session)).status).toBe(200);
  });

  it('end 90 days after they started, even if they are used', async () => {
    const person = await seedPerson();
    const [session] = await list(sessionRecord, ranges.sessions(person.user.id));
    const hash = readCredential(person.session.cookie.split('=')[1] as string)?.hash as string;
    const dayMs = 86_400_000;
    const age = (days: number) => {
      const createdAt = new Date(Date.now() - days * dayMs).toISOString();
      return transact([update(at(sessionRecord, person.user.id, hash), { set: { createdAt, lastUsedAt: createdAt } })]);
    };

    await age(85);
    const answer = await api.get('/auth/me', person.session);
    expect(answer.status).toBe(200);
    const maximumAge = Number(/Max-Age=(\d+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1]);
    expect(maximumAge).toBeGreaterThan(4.9 * 86_400);
    expect(maximumAge).toBeLessThanOrEqual(5 * 86_400);
    expect((await find(at(sessionRecord, person.user.id, hash)))?.expiresAt).toBeLessThan(
      (session?.expiresAt ?? 0) - 8 * 86_400,
    );
    await age(91);
    expect((await api.get('/auth/me', person.session)).status).toBe(401);
  });
});

describe('a name', () => {
  it('can be changed, also in the member lists', async () => {
    const person = await seedPerson();

    const answer = await api.patch('/auth/me', { name: 'Countess' }, person.session);

    expect(answer.body.user).toMatchObject({ id: person.user.id, name: 'Countess' });
    expect((await api.get('/auth/me', person.session)).body.user.name).toBe('Countess');
    const { members } = (await api.get(`/members/${person.organization.id}`, person.session)).body;
    expect(members[0].name).toBe('Countess');
  });
});
