import { describe, expect, it } from 'vitest';
import { hashPassword, isOutdatedHash, isPassword, noPassword, verifyPassword } from '#lib/crypto/passwords.ts';

describe('password hashes', () => {
  it('verify only their own password, and do not contain it', async () => {
    const stored = await hashPassword('a long enough password');
    expect(stored).toMatch(/^scrypt\$17\$8\$1\$/);
    expect(stored).not.toContain('password');
    expect(await verifyPassword('a long enough password', stored)).toBe(true);
    expect(await verifyPassword('a long enough passwore', stored)).toBe(false);
  });

  it('treat composed and decomposed characters as one password', async () => {
    const stored = await hashPassword('Zo\u00eb and friends');
    expect(await verifyPassword('Zoe\u0308 and friends', stored)).toBe(true);
  });

  it('reject everything for an account that does not exist', async () => {
    expect(await verifyPassword('anything at all', undefined)).toBe(false);
  });

  it.each([noPassword, ''])('match nothing for an account without a password: %j', async stored => {
    expect(isPassword(stored)).toBe(false);
    expect(isPassword(await hashPassword('a long enough password'))).toBe(true);
    expect(isPassword('scrypt$14$8$1$c2FsdA$aGFzaA')).toBe(true);
    for (const password of ['', 'anything at all']) expect(await verifyPassword(password, stored)).toBe(false);
  });

  it('are outdated if made with weaker parameters', async () => {
    expect(isOutdatedHash(await hashPassword('a long enough password'))).toBe(false);
    expect(isOutdatedHash('scrypt$14$8$1$c2FsdA$aGFzaA')).toBe(true);
  });
});
