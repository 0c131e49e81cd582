import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashCredential } from '#lib/crypto/credentials.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, list, queryItems } from '#lib/table/read.ts';
import { handOffRecord, tokenRecord } from '#lib/table/records/credentials.ts';
import { transact, update } from '#lib/table/write.ts';
import { sessionOf, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { type Person, seedPerson, testPassword } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';

const api = shared(startApi);
const person = shared(seedPerson);

function newVerifier() {
  const codeVerifier = randomBytes(32).toString('base64url');
  return { codeVerifier, codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url') };
}

async function offer(fields: object = {}, as = person.session) {
  const { codeVerifier, codeChallenge } = newVerifier();
  const answer = await api.post('/auth/cli-auth', { codeChallenge, name: 'laptop', ...fields }, as);
  return { answer, code: answer.body.code as string, codeVerifier };
}

const take = (code: string, codeVerifier: string) => api.post('/auth/cli-auth', { code, codeVerifier });

describe('the hand-off from the dashboard to the CLI', () => {
  it('issues a code for a minute, which the verifier exchanges for the token', async () => {
    const { answer, code, codeVerifier } = await offer({ access: 'write', organizationId: person.organization.id });
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body).toSorted()).toEqual(['code', 'expiresAt', 'iss']);
    expect(answer.body.iss).toBe(new URL(api.url).origin);
    const seconds = (Date.parse(answer.body.expiresAt) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);

    const taken = await take(code, codeVerifier);

    expect(taken.status).toBe(201);
    expect(taken.body.cliToken).toMatchObject({
      name: 'laptop',
      access: 'write',
      organizationId: person.organization.id,
    });
    const me = await api.get('/auth/me', { token: taken.body.token });
    expect(me.body.user.id).toBe(person.user.id);
  });

  it('issues a token that outlives its code: DynamoDB deletes only the code', async () => {
    const someone = await seedPerson();
    const lasting = await offer({}, someone.session);
    await take(lasting.code, lasting.codeVerifier);
    const brief = await offer({ name: 'brief', expiresInDays: 2 }, someone.session);
    await take(brief.code, brief.codeVerifier);

    const tokens = await list(tokenRecord, ranges.tokens(someone.user.id));

    const removals = Object.fromEntries(tokens.map(({ name, expiresAt }) => [name, expiresAt]));
    const inTwoDays = Date.now() / 1000 + 2 * 24 * 60 * 60;
    expect(removals).toEqual({ laptop: undefined, brief: expect.closeTo(inTwoDays, -3) });
  });

  it('works once, even for five concurrent requests', async () => {
    const { code, codeVerifier } = await offer();

    const answers = await Promise.all(Array.from({ length: 5 }, () => take(code, codeVerifier)));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400, 400]);
    expect((await take(code, codeVerifier)).body.error.code).toBe('invalid_token');
  });

  it('is invalidated by a wrong verifier', async () => {
    const { code, codeVerifier } = await offer();

    const wrong = await take(code, newVerifier().codeVerifier);
    const right = await take(code, codeVerifier);

    expect([wrong.status, wrong.body.error.code]).toEqual([400, 'invalid_token']);
    expect([right.status, right.body.error.code]).toEqual([400, 'invalid_token']);
  });

  it('expires after a minute, even if DynamoDB has not deleted it yet', async () => {
    const { code, codeVerifier } = await offer();
    const past = Math.floor(Date.now() / 1000) - 1;
    await transact([update(at(handOffRecord, hashCredential(code)), { set: { expiresAt: past } })]);

    expect((await take(code, codeVerifier)).body.error.code).toBe('invalid_token');
  });

  it('is invalidated by a password change in between', async () => {
    const someone = await seedPerson();
    const { code, codeVerifier } = await offer({}, someone.session);
    const change = { currentPassword: testPassword, newPassword: 'another battery horse' };
    expect((await api.post('/auth/change-password', change, someone.session)).status).toBe(200);

    expect((await take(code, codeVerifier)).body.error.code).toBe('invalid_token');
  });

  it.each<[string, (someone: Person) => Promise<unknown>]>([
    ['logs out', someone => api.post('/auth/logout', {}, someone.session)],
    [
      'is ended from a list',
      async someone => {
        const { sessions } = (await api.get('/auth/sessions', someone.session)).body;
        const { id } = sessions.find(({ current }: { current: boolean }) => current);
        await expectStatus(api.delete(`/auth/sessions/${id}`, someone.session), 200);
      },
    ],
    ['steps up', someone => expectStatus(api.post('/auth/step-up', { password: testPassword }, someone.session), 200)],
  ])('is invalidated when the session that requested it %s, for a limited token too', async (_, end) => {
    const someone = await seedPerson();
    const codes = [
      await offer({}, someone.session),
      await offer({ organizationId: someone.organization.id }, someone.session),
    ];
    const logIn = api.post('/auth/login', { email: someone.email, password: testPassword });
    const kept = await offer({}, sessionOf(await expectStatus(logIn, 200)));
    await end(someone);

    for (const { code, codeVerifier } of codes) {
      const answer = await take(code, codeVerifier);
      expect([answer.status, answer.body.error?.code]).toEqual([400, 'invalid_token']);
    }
    expect(await list(tokenRecord, ranges.tokens(someone.user.id))).toEqual([]);
    expect((await take(kept.code, kept.codeVerifier)).status).toBe(201);
  });

  it('stores neither the code nor a token', async () => {
    const { code } = await offer();

    const items = JSON.stringify(await queryItems({ pk: `HANDOFF#${hashCredential(code)}` }));

    expect(items).toContain('laptop');
    expect(items).not.toContain(code);
    expect(items).not.toContain('service_tok_');
  });

  it('issues a code only to a session, not to a token or an anonymous caller', async () => {
    const { token } = (await api.post('/auth/token', { name: 'x' }, person.session)).body;
    const { codeChallenge } = newVerifier();
    const body = { codeChallenge, name: 'laptop' };

    const anonymous = await api.post('/auth/cli-auth', body);
    const withToken = await api.post('/auth/cli-auth', body, { token });
    const withoutHeader = await api.call('POST', '/auth/cli-auth', {
      body,
      headers: { cookie: person.session.cookie },
    });

    expect([anonymous.status, anonymous.body.error.code]).toEqual([401, 'unauthenticated']);
    expect([withToken.status, withToken.body.error.code]).toEqual([403, 'insufficient_scope']);
    expect([withoutHeader.status, withoutHeader.body.error.code]).toEqual([403, 'csrf_header_required']);
  });

  it('rejects a limit to something the user can’t see, before issuing a code', async () => {
    const stranger = await seedPerson();

    const { answer } = await offer({ organizationId: stranger.organization.id });

    expect([answer.status, answer.body.error.code]).toEqual([404, 'organization_not_found']);
  });

  it.each(['nonsense', 'a'.repeat(60)])('rejects the code %s without a read', async code => {
    const answer = await take(code, newVerifier().codeVerifier);

    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_token']);
  });
});
