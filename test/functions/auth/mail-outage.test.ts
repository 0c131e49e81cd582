import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mailClient } from '#lib/mail/send-mail.ts';
import { codeOf, startApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson, testPassword } from '#test/support/people.ts';

const api = shared(() => startApi({ LOG_LEVEL: 'SILENT' }));

const name = 'mail-outage';
function breakMail() {
  const fail = () => async () => {
    throw Object.assign(new Error('no mail today'), { name: 'ServiceUnavailable' });
  };
  mailClient().middlewareStack.add(fail, { step: 'initialize', name, override: true });
}
const mendMail = () => mailClient().middlewareStack.remove(name);

describe('while no e-mail can be sent', () => {
  beforeEach(breakMail);
  afterEach(mendMail);

  it('users can still register, and request their link later', async () => {
    const person = await seedPerson();
    const failed = await api.post('/auth/send-verification', {}, person.session);
    mendMail();
    const sent = await api.post('/auth/send-verification', {}, person.session);

    expect(codeOf(failed)).toBe('503 temporarily_unavailable');
    expect(failed.headers.get('retry-after')).not.toBeNull();
    expect(sent.status).toBe(200);
    expect((await api.mails()).filter(({ to }) => to === person.email)).toHaveLength(1);
  });

  it('a password reset gets the same response as for an unknown account, and its link arrives later', async () => {
    const { email } = await seedPerson();

    const known = await api.post('/auth/forgot-password', { email });
    const unknown = await api.post('/auth/forgot-password', { email: `${randomUUID()}@example.com` });

    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    expect(known.status).toBe(200);
    mendMail();
    const links = async () => (await api.mails()).filter(mail => mail.to === email && mail.subject.includes('Reset'));
    await eventually(async () => expect(await links()).toHaveLength(1));
  });

  it('members can still send invitations, because the response contains the token', async () => {
    const owner = await seedPerson();
    const guest = await seedPerson();
    const body = { email: `${randomUUID()}@example.com`, role: 'viewer' };

    const invited = await api.post(`/members/${owner.organization.id}/invite`, body, owner.session);

    expect(invited.status).toBe(201);
    const accepted = await api.post(`/members/invite/${invited.body.token}/accept`, {}, guest.session);
    expect(accepted.status).toBe(200);
    expect((await api.post('/auth/login', { email: owner.email, password: testPassword })).status).toBe(200);
  });
});
