import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { copyEmail } from '#lib/accounts/copy-email.ts';
import { newResetLink } from '#lib/accounts/mailed-link.ts';
import { openLog } from '#lib/core/logger.ts';
import { equals } from '#lib/table/expressions.ts';
import { ranges, rareKeys, rareRanges } from '#lib/table/keys.ts';
import { at, find, queryItems } from '#lib/table/read.ts';
import { memberRecord } from '#lib/table/records/organization.ts';
import { unfinishedWorkRecord } from '#lib/table/records/unfinished-work.ts';
import { emailRecord, emailUndoRecord, userRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Caller, codeOf, createToken, sessionOf, useApi } from '#test/support/api.ts';
import { atOnce } from '#test/support/at-once.ts';
import { eventually } from '#test/support/eventually.ts';
import { startObservedApi } from '#test/support/observed-api.ts';
import { type Person, seedPerson, seedTokens, testPassword } from '#test/support/people.ts';
import { expectStatus, join, resetPassword } from '#test/support/sample-requests.ts';
import { addApp, addPasskey, settleFactors } from '#test/support/second-factors.ts';

const api = useApi(() => startObservedApi({ ORGANIZATIONS_PER_USER: '-1' }));
const newAddress = () => `${randomUUID()}@example.com`;
const ask = (person: Person, email: string) => api.post('/auth/change-email', { email }, person.session);
const confirm = (token: string) => api.post('/auth/change-email/confirm', { token });
const undo = (token: string) => api.post('/auth/change-email/undo', { token });
const logIn = (email: string, password = testPassword) => api.post('/auth/login', { email, password });
const statusOf = async (as: Caller) => (await api.get('/auth/me', as)).status;
const register = (email: string) => api.post('/auth/register', { email, password: testPassword });
const invalid = '400 invalid_token';

/** The newest token mailed to the address with a link to this page. */
const tokenFor = (email: string, page: 'change-email' | 'undo-email') =>
  eventually(async () => {
    const mails = (await api.mails()).filter(({ to, text }) => to === email && text.includes(`/${page}#`));
    expect(mails).not.toEqual([]);
    return /#token=(\w+)/.exec(mails.at(-1)?.text ?? '')?.[1] as string;
  });

/** A person who asked for another address, with the tokens that both mailboxes got. */
async function asking(person?: Person) {
  const there = person ?? (await seedPerson({ emailVerified: true }));
  const email = newAddress();
  const before = (await find(at(userRecord, there.user.id)))?.email ?? there.email;
  await expectStatus(ask(there, email), 200);
  return {
    person: there,
    email,
    link: await tokenFor(email, 'change-email'),
    undoLink: await tokenFor(before, 'undo-email'),
  };
}

async function changed(person?: Person) {
  const there = await asking(person);
  await expectStatus(confirm(there.link), 200);
  return there;
}

describe('changing the address', () => {
  it('takes a link that was mailed to the new one, and changes nothing before', async () => {
    const { person, email, link } = await asking();
    expect((await logIn(email)).status).toBe(401);

    const { body } = await expectStatus(confirm(link), 200);

    expect(body.user).toMatchObject({ id: person.user.id, email, emailVerified: true });
    expect(codeOf(await confirm(link))).toBe(invalid);
    expect((await api.get('/auth/me', person.session)).body.user.email).toBe(email);
    expect([(await logIn(email)).status, (await logIn(person.email)).status]).toEqual([200, 401]);
  });

  it('changes it in member lists and tokens, and what was recorded before keeps its address', async () => {
    const [person, host] = [await seedPerson({ emailVerified: true }), await seedPerson({ emailVerified: true })];
    await join(api, host, person);
    const token = await createToken(api, person);

    const { email } = await changed(person);

    const list = async ({ organization: { id }, session }: Person) =>
      (await api.get(`/members/${id}`, session)).body.members.map((member: { email: string }) => member.email);
    expect(await list(person)).toEqual([email]);
    expect(await list(host)).toEqual([host.email, email]);
    const { id } = host.organization;
    const entries = async () => (await api.get(`/audit/${id}?action=member.joined`, host.session)).body.entries;
    expect((await entries()).map(({ actor }: { actor: { email: string } }) => actor.email)).toContain(person.email);
    await api.patch(`/orgs/${person.organization.id}`, { name: 'Renamed' }, token);
    const renamed = await api.get(`/audit/${person.organization.id}?action=organization.updated`, person.session);
    expect(renamed.body.entries).toMatchObject([{ actor: { email } }]);
  });

  it('rejects the present address, and one that another account has', async () => {
    const [person, other] = [await seedPerson(), await seedPerson()];
    expect(codeOf(await ask(person, person.email.toUpperCase()))).toBe('400 invalid_request');
    expect(codeOf(await ask(person, other.email.toUpperCase()))).toBe('409 email_taken');
  });

  it('fails if the address was registered meanwhile, and the account keeps its own', async () => {
    const { person, email, link } = await asking();
    await expectStatus(register(email), 201);

    expect(codeOf(await confirm(link))).toBe('409 email_taken');
    expect((await logIn(person.email)).status).toBe(200);
  });

  it('happens once if the link is used several times at once', async () => {
    const { person, email, link } = await asking();
    const answers = await atOnce(4, () => confirm(link));
    expect(answers.map(codeOf).toSorted()).toEqual(['200 ok', invalid, invalid, invalid]);
    expect((await find(at(userRecord, person.user.id)))?.email).toBe(email);
  });

  it('gives an address to one of two accounts that confirm it at once', async () => {
    const email = newAddress();
    const people = [await seedPerson(), await seedPerson()];
    const links: string[] = [];
    for (const person of people) {
      await expectStatus(ask(person, email), 200);
      links.push(
        await eventually(async () => {
          const token = await tokenFor(email, 'change-email');
          expect(links).not.toContain(token);
          return token;
        }),
      );
    }
    const answers = await Promise.all(links.map(confirm));
    expect(answers.map(codeOf).toSorted()).toEqual(['200 ok', '409 email_taken']);
  });

  it('is possible only with the newest link, and not after a new password', async () => {
    const first = await asking();
    const second = await asking(first.person);
    expect(codeOf(await confirm(first.link))).toBe(invalid);
    await resetPassword(api, first.person);
    expect(codeOf(await confirm(second.link))).toBe(invalid);
  });

  it('ends reset links that were mailed to the earlier address', async () => {
    const { person, link } = await asking();
    await api.post('/auth/forgot-password', { email: person.email });
    const reset = await eventually(async () => {
      const mail = (await api.mails()).find(({ to, subject }) => to === person.email && subject.includes('Reset'));
      return /#token=(\w+)/.exec(mail?.text ?? '')?.[1] ?? expect.fail('no mail yet');
    });
    const user = await find(at(userRecord, person.user.id));
    await expectStatus(confirm(link), 200);
    // As if the job had read the account before the change.
    const late = await newResetLink(user ?? expect.fail());
    await transact([late.write]);
    const tokens = [reset, late.url.split('=')[1]];

    for (const token of tokens) {
      const answer = await api.post('/auth/reset-password', { token, newPassword: 'another battery horse' });
      expect(codeOf(answer)).toBe(invalid);
    }
  });

  it('reserves the earlier address as long as the change can be undone', async () => {
    const { person } = await changed();
    expect(codeOf(await register(person.email))).toBe('409 email_taken');
    expect(codeOf(await ask(await seedPerson(), person.email))).toBe('409 email_taken');
    const item = at(emailRecord, person.email);
    await transact([update(item, { set: { expiresAt: 1 } }, { if: { reservedFor: equals(person.user.id) } })]);

    expect((await register(person.email)).status).toBe(201);
  });

  it('lets the account itself take the earlier address again', async () => {
    const { person } = await changed();
    await expectStatus(ask(person, person.email), 200);
    await expectStatus(confirm(await tokenFor(person.email, 'change-email')), 200);
    expect((await logIn(person.email)).status).toBe(200);
  });

  it('is limited to five requests a day', async () => {
    const person = await seedPerson();
    for (let index = 0; index < 5; index += 1) await expectStatus(ask(person, newAddress()), 200);
    expect(codeOf(await ask(person, newAddress()))).toBe('429 rate_limited');
  });

  it('reaches every organization and token, in steps that may stop, repeat and run late', async () => {
    const person = await seedPerson({ emailVerified: true });
    const { id, email: earlier } = { ...person.user, email: person.email };
    await seedTokens(person, 100);
    for (let index = 0; index < 12; index += 1) {
      await expectStatus(api.post('/orgs', { name: `Company ${index}` }, person.session), 201);
    }
    const { email } = await changed(person);
    const isCopied = async () => {
      const items = await queryItems(ranges.account(id));
      const tokens = items.filter(({ kind }) => kind === 'token').map(token => token.email);
      const memberships = items.filter(({ kind }) => kind === 'membership');
      const members = await Promise.all(
        memberships.map(async ({ orgSlug }) => (await find(at(memberRecord, String(orgSlug), id)))?.email),
      );
      expect(new Set([...tokens, ...members])).toEqual(new Set([email]));
    };
    await eventually(isCopied);

    await copyEmail({ type: 'copy-email', userId: id, isLate: true }, openLog({}));
    await isCopied();
    expect(await find({ entity: unfinishedWorkRecord, key: rareKeys.unfinishedWorkOfAccount(id) })).toBeUndefined();
    expect(email).not.toBe(earlier);
  });
});

describe('the undo of a changed address', () => {
  it('gives it back, and ends every session, token and link', async () => {
    const { person, email, undoLink } = await changed();
    const token = await createToken(api, person);
    const other = sessionOf(await logIn(email));

    expect((await undo(undoLink)).body).toEqual({ success: true });

    expect(await Promise.all([person.session, token, other].map(statusOf))).toEqual([401, 401, 401]);
    expect([(await logIn(person.email)).status, (await logIn(email)).status]).toEqual([200, 401]);
    expect(codeOf(await undo(undoLink))).toBe(invalid);
    const session = sessionOf(await logIn(person.email));
    const { members } = (await api.get(`/members/${person.organization.id}`, session)).body;
    expect(members).toMatchObject([{ email: person.email }]);
    expect((await register(email)).status).toBe(201);
  });

  it('before the change ends the request', async () => {
    const { person, link, undoLink } = await asking();
    await expectStatus(undo(undoLink), 200);
    expect(codeOf(await confirm(link))).toBe(invalid);
    expect(await statusOf(person.session)).toBe(401);
    expect((await logIn(person.email)).status).toBe(200);
  });

  it('gets the account back from somebody who has set a password, removed the factor and added another', async () => {
    const person = await seedPerson({ emailVerified: true });
    const own = await addApp(api, person);
    await settleFactors(person.user.id);
    const { email, undoLink } = await changed(person);
    await addPasskey(api, person);
    await expectStatus(api.delete('/auth/totp', person.session), 200);
    await resetPassword(api, { email }, 'the password of a thief');
    expect(own.recoveryCodes).toHaveLength(10);

    await expectStatus(undo(undoLink), 200);

    expect((await logIn(person.email, 'the password of a thief')).status).toBe(401);
    expect((await logIn(person.email, testPassword)).status).toBe(401);
    await resetPassword(api, person, 'the owner is back again');
    const session = sessionOf(await logIn(person.email, 'the owner is back again'));
    expect((await api.get('/auth/me', session)).body.user.secondFactors).toEqual({
      passkeys: 0,
      totp: false,
      recoveryCodesLeft: 0,
    });
  });

  it('keeps factors from before the request', async () => {
    const person = await seedPerson({ emailVerified: true });
    const app = await addApp(api, person);
    const { undoLink } = await changed(person);
    await addPasskey(api, person);

    await expectStatus(undo(undoLink), 200);

    const asked = await logIn(person.email);
    expect(codeOf(asked)).toBe('401 second_factor_required');
    expect(asked.body.error.details.methods).not.toContain('passkey');
    const { challenge } = asked.body.error.details;
    const answer = { challenge, totp: app.code(1) };
    const session = sessionOf(await api.post('/auth/login/verify', answer));
    expect((await api.get('/auth/me', session)).body.user.secondFactors).toMatchObject({ passkeys: 0, totp: true });
  });

  it('of the first of two changes goes back to the first address, and the later link ends', async () => {
    const first = await changed();
    const second = await changed(first.person);
    expect((await logIn(second.email)).status).toBe(200);

    await expectStatus(undo(first.undoLink), 200);

    expect((await logIn(first.person.email)).status).toBe(200);
    expect(codeOf(await undo(second.undoLink))).toBe(invalid);
    expect((await logIn(second.email)).status).toBe(401);
  });

  it('of the second of two changes goes back one step, and the first one still can be undone', async () => {
    const first = await changed();
    const second = await changed(first.person);
    await expectStatus(undo(second.undoLink), 200);
    expect((await logIn(first.email)).status).toBe(200);
    await expectStatus(undo(first.undoLink), 200);
    expect((await logIn(first.person.email)).status).toBe(200);
  });

  it('and the change at once leave the account with the earlier address or undoable', async () => {
    const { person, link, undoLink } = await asking();
    const [confirmed, undone] = await Promise.all([confirm(link), undo(undoLink)]);
    expect(undone.status).toBe(200);
    expect([200, 400]).toContain(confirmed.status);
    expect((await find(at(userRecord, person.user.id)))?.email).toBe(person.email);
    expect((await logIn(person.email)).status).toBe(200);
  });

  it('is over after seven days', async () => {
    const { person, undoLink } = await changed();
    const [stored] = await queryItems(rareRanges.emailUndos(person.user.id));
    const key = { pk: String(stored?.pk), sk: String(stored?.sk) };
    await transact([update({ entity: emailUndoRecord, key }, { set: { expiresAt: 1 } })]);
    expect(codeOf(await undo(undoLink))).toBe(invalid);
  });
});
