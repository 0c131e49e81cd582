import { describe, expect, it } from 'vitest';
import { invitationMail, passwordResetMail, verificationMail } from '#lib/mail/account-mails.ts';
import { escapeHtml } from '#lib/mail/compose-mail.ts';

const url = 'https://app.example.com/page#token=abc';

describe('an e-mail', () => {
  it.each([
    ['verification', verificationMail('Ada', url), '24 hours'],
    ['password reset', passwordResetMail('Ada', url), 'an hour'],
    [
      'invitation',
      invitationMail({ organization: 'Works', role: 'viewer', invitedBy: 'ada@example.com' }, url),
      '7 days',
    ],
  ])('of the kind %s has the same content as text and as HTML, including link and lifetime', (_, mail, lifetime) => {
    for (const content of [mail.text, mail.html]) {
      expect(content).toContain(url);
      expect(content).toContain(lifetime);
    }
    expect(mail.html).toContain(`<a href="${url}"`);
    expect(mail.subject).not.toBe('');
  });

  it('escapes every name', () => {
    const name = '<img src=x onerror=alert(1)> & "co"';

    const { html, text } = invitationMail({ organization: name, role: 'owner', invitedBy: "o'neill@example.com" }, url);

    expect(html).not.toContain('<img');
    expect(html).toContain(escapeHtml(name));
    expect(html).toContain('o&#39;neill@example.com');
    expect(text).toContain(name);
  });
});
