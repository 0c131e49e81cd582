import { describe, expect, it } from 'vitest';
import { type Caller, codeOf, createToken, startApi, useApi } from '../support/api.ts';
import { atOnce } from '../support/at-once.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';

const api = useApi(() => startApi({ INVITATION_LIMIT_PER_DAY: '8', VERIFIED_EMAIL_REQUIRED: 'true' }));

describe('e-mails to strangers', () => {
  const verified = () => seedPerson({ name: 'visit http://evil.example/win now', emailVerified: true });
  const send = ({ organization, session }: Person, email: string, as: Caller = session) =>
    api.post(`/members/${organization.id}/invite`, { email, role: 'viewer' }, as);

  it('are not sent for a user without a verified address, by token or by session', async () => {
    const person = await seedPerson();
    for (const as of [person.session, await createToken(api, person)]) {
      expect(codeOf(await send(person, 'stranger@example.com', as))).toBe('403 email_not_verified');
    }
    expect((await api.mails()).filter(({ to }) => to === 'stranger@example.com')).toEqual([]);
  });

  it('are limited to five a day to one address, from all organizations together', async () => {
    const people = await Promise.all([verified(), verified()]);
    const victim = 'victim@example.com';

    const answers = await atOnce(12, index => send(people[index % 2] as Person, victim.toUpperCase()));

    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201));
    expect(answers.filter(({ body }) => body.mailed)).toHaveLength(5);
    expect((await api.mails()).filter(({ to }) => to.toLowerCase() === victim)).toHaveLength(5);
  });

  it('do not keep the employer from inviting an address that strangers have written to', async () => {
    const [stranger, employer, email] = [await verified(), await verified(), 'newcomer@example.com'];
    for (let index = 0; index < 5; index += 1) await expectStatus(send(stranger, email), 201);

    const { status, body } = await send(employer, email);

    expect([status, body.mailed]).toEqual([201, false]);
    await expectStatus(api.post(`/members/invite/${body.token}/accept`, undefined, (await seedPerson()).session), 200);
    const path = `/audit/${employer.organization.id}?action=member.invited`;
    const { entries } = (await api.get(path, employer.session)).body;
    expect(entries[0].details).toEqual({ role: 'viewer', mailed: false });
  });

  it('are limited to five a day that ask an unverified address to verify itself, besides the one on registration', async () => {
    const person = await seedPerson();

    const answers = await atOnce(12, () => api.post('/auth/send-verification', {}, person.session));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.error.code).toBe('rate_limited');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(3600);
    expect((await api.mails()).filter(({ to }) => to === person.email)).toHaveLength(5);
  });

  it('are limited per organization and day', async () => {
    const person = await verified();

    const answers = [];
    for (let index = 0; index < 9; index += 1) answers.push(await send(person, `stranger${index}@example.org`));

    expect(answers.map(({ status }) => status)).toEqual([...Array(8).fill(201), 429]);
  });

  it('contain no text of the sender’s choice in the subject, and only the service’s own link', async () => {
    const person = await verified();
    const name = 'Click http://evil.example/win or www.evil.example or a@evil.example or evil。example';
    const { organization } = (await expectStatus(api.post('/orgs', { name }, person.session), 201)).body;

    await send({ ...person, organization }, 'reader@example.net');
    const newcomer = {
      email: 'newcomer@example.net',
      password: 'correct horse battery',
      name: 'see https://evil.example',
    };
    await api.post('/auth/register', newcomer);

    const mails = (await api.mails()).filter(({ to }) => to.endsWith('@example.net'));
    expect(mails).toHaveLength(2);
    for (const { subject, text } of mails) {
      expect(subject).not.toMatch(/evil|http/);
      expect(text).toContain('evil');
      expect(text.replaceAll(`${new URL(api.url).origin}/`, '')).not.toMatch(/https?:|www\.|evil[.。]|@evil/);
    }
  });
});
