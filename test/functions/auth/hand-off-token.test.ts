import { describe, expect, it } from 'vitest';
import { hashCredential } from '#lib/crypto/credentials.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, list, queryItems } from '#lib/table/read.ts';
import { handOffRecord, tokenRecord } from '#lib/table/records/credentials.ts';
import { transact, update } from '#lib/table/write.ts';
import { codeOf, useApi } from '#test/support/api.ts';
import { atOnce } from '#test/support/at-once.ts';
import { shared } from '#test/support/fixtures.ts';
import { handOffToken, newVerifier, offerToken, takeToken } from '#test/support/hand-off.ts';
import { type Person, seedPerson, testPassword } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { logInAs } from '#test/support/sign-in/scene.ts';

const api = useApi();
const person = shared(seedPerson);
const offer = (fields: object = {}, as = person.session) => offerToken(api, as, fields);
const take = ({ code, codeVerifier }: { code: string; codeVerifier: string }) => takeToken(api, code, codeVerifier);
const invalid = '400 invalid_token';

describe('the hand-off from the dashboard to the CLI', () => {
  it('issues a code for a minute, which the verifier exchanges for the token', async () => {
    const offered = await offer({ access: 'write', organizationId: person.organization.id });
    const { status, body } = offered.answer;
    expect(status).toBe(201);
    expect(Object.keys(body).toSorted()).toEqual(['code', 'expiresAt', 'iss']);
    expect(body.iss).toBe(new URL(api.url).origin);
    const seconds = (Date.parse(body.expiresAt) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);

    const taken = await take(offered);

    expect(taken.status).toBe(201);
    const { id: organizationId } = person.organization;
    expect(taken.body.cliToken).toMatchObject({ name: 'laptop', access: 'write', organizationId });
    const me = await api.get('/auth/me', { token: taken.body.token });
    expect(me.body.user.id).toBe(person.user.id);
  });

  it('issues a token that outlives its code: DynamoDB deletes only the code', async () => {
    const { session, user } = await seedPerson();
    await handOffToken(api, session);
    await handOffToken(api, session, { name: 'brief', expiresInDays: 2 });

    const tokens = await list(tokenRecord, ranges.tokens(user.id));
    const removals = Object.fromEntries(tokens.map(({ name, expiresAt }) => [name, expiresAt]));
    const inTwoDays = Date.now() / 1000 + 2 * 24 * 60 * 60;
    expect(removals).toEqual({ laptop: undefined, brief: expect.closeTo(inTwoDays, -3) });
  });

  it('works once, even for five concurrent requests', async () => {
    const offered = await offer();
    const answers = await atOnce(5, () => take(offered));

    expect(answers.map(codeOf).toSorted()).toEqual(['201 ok', ...Array(4).fill(invalid)]);
    expect(codeOf(await take(offered))).toBe(invalid);
  });

  it('is invalidated by a wrong verifier', async () => {
    const offered = await offer();

    expect(codeOf(await take({ ...offered, ...newVerifier() }))).toBe(invalid);
    expect(codeOf(await take(offered))).toBe(invalid);
  });

  it('expires after a minute, even if DynamoDB has not deleted it yet', async () => {
    const offered = await offer();
    const past = Math.floor(Date.now() / 1000) - 1;
    await transact([update(at(handOffRecord, hashCredential(offered.code)), { set: { expiresAt: past } })]);

    expect(codeOf(await take(offered))).toBe(invalid);
  });

  it('is invalidated by a password change in between', async () => {
    const { session } = await seedPerson();
    const offered = await offer({}, session);
    const change = { currentPassword: testPassword, newPassword: 'another battery horse' };
    await expectStatus(api.post('/auth/change-password', change, session), 200);

    expect(codeOf(await take(offered))).toBe(invalid);
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
    const { session, organization, user } = someone;
    const ended = [await offer({}, session), await offer({ organizationId: organization.id }, session)];
    const kept = await offer({}, await logInAs(api, someone));
    await end(someone);

    for (const offered of ended) expect(codeOf(await take(offered))).toBe(invalid);
    expect(await list(tokenRecord, ranges.tokens(user.id))).toEqual([]);
    expect((await take(kept)).status).toBe(201);
  });

  it('stores neither the code nor a token', async () => {
    const { code } = await offer();
    const items = JSON.stringify(await queryItems({ pk: `HANDOFF#${hashCredential(code)}` }));

    expect(items).toContain('laptop');
    expect(items).not.toContain(code);
    expect(items).not.toContain('service_tok_');
  });

  it('rejects a limit to something the user can’t see, before issuing a code', async () => {
    const { answer } = await offer({ organizationId: (await seedPerson()).organization.id });
    expect(codeOf(answer)).toBe('404 organization_not_found');
  });

  it.each(['nonsense', 'a'.repeat(60)])('rejects the code %s without a read', async code => {
    expect(codeOf(await take({ code, ...newVerifier() }))).toBe(invalid);
  });
});
