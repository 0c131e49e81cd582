import { describe, expect, it } from 'vitest';
import { invitationMail, passwordResetMail, verificationMail } from '#lib/mail/account-mails.ts';
import { escapeHtml, unlinked } from '#lib/mail/compose-mail.ts';

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

describe('a name in an e-mail', () => {
  it('stays unchanged', () => {
    for (const name of ['Ada Lovelace', "Ada's organization", 'Søren & Sons, Inc.', '東京チーム', 'R2-D2 (droids)']) {
      expect(unlinked(name)).toBe(name);
    }
  });

  it('never becomes a link, whichever form of a dot, a slash, a colon or an at sign it contains', () => {
    const dots = ['.', '\u2024', '\uFE52', '\uFF0E', '\u3002', '\uFF61'];
    for (const dot of dots) expect(unlinked(`evil${dot}example`)).toBe('evil example');
    for (const colon of [':', '\uFE55', '\uFF1A']) expect(unlinked(`mailto${colon}x`)).toBe('mailto x');
    for (const at of ['@', '\uFE6B', '\uFF20']) expect(unlinked(`a${at}b`)).toBe('a b');
    expect(unlinked('http://evil.example/win')).toBe('http evil example win');
  });

  it('loses characters that are invisible or reverse the text', () => {
    expect(unlinked('\u202E moc.live \u202C')).toBe('moc live');
    expect(unlinked('evil\u200B.\u200Bexample\u2066')).toBe('evil example');
  });
});
