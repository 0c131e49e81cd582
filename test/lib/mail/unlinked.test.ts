import { expect, it } from 'vitest';
import { unlinked } from '#lib/mail/compose-mail.ts';

it('leaves a name unchanged', () => {
  for (const name of ['Ada Lovelace', "Ada's organization", 'Søren & Sons, Inc.', '東京チーム', 'R2-D2 (droids)']) {
    expect(unlinked(name)).toBe(name);
  }
});

it('never lets a name become a link, whichever form of a dot, a slash, a colon or an at sign it contains', () => {
  const dots = ['.', '\u2024', '\uFE52', '\uFF0E', '\u3002', '\uFF61'];
  for (const dot of dots) expect(unlinked(`evil${dot}example`)).toBe('evil example');
  for (const colon of [':', '\uFE55', '\uFF1A']) expect(unlinked(`mailto${colon}x`)).toBe('mailto x');
  for (const at of ['@', '\uFE6B', '\uFF20']) expect(unlinked(`a${at}b`)).toBe('a b');
  expect(unlinked('http://evil.example/win')).toBe('http evil example win');
});

it('removes characters that are invisible or reverse the text', () => {
  expect(unlinked('\u202E moc.live \u202C')).toBe('moc live');
  expect(unlinked('evil\u200B.\u200Bexample\u2066')).toBe('evil example');
});
