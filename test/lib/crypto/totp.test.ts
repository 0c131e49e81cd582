import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { base32 } from '#lib/crypto/base32.ts';
import { createRecoveryCodes, hashRecoveryCode } from '#lib/crypto/recovery-codes.ts';
import { createTotpSecret, matchingStep, totpCode, totpStep } from '#lib/crypto/totp.ts';
import { fromBase32 } from '#test/support/second-factors.ts';
import { words } from '#test/support/words.ts';

const rfcSecret = Buffer.from('12345678901234567890');

describe('a time-based code', () => {
  // RFC 6238, appendix B, SHA-1. Its codes have eight digits; ours are the last six of them.
  it.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('at %i seconds matches the RFC', (seconds, eightDigits) => {
    expect(totpCode(rfcSecret, totpStep(seconds * 1000))).toBe(eightDigits.slice(2));
  });

  // RFC 4226, appendix D.
  it('for the first ten counts matches the RFC', () => {
    const codes = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489';
    expect(Array.from({ length: 10 }, (_, count) => totpCode(rfcSecret, count))).toEqual(words(codes));
  });

  it('is accepted one step early or late, and no further', () => {
    const secret = createTotpSecret();
    const nowMs = 1_800_000_015_000;
    const now = totpStep(nowMs);
    const found = [-2, -1, 0, 1, 2].map(steps => matchingStep(secret, totpCode(secret, now + steps), nowMs));

    expect(found.slice(1, 4)).toEqual([now - 1, now, now + 1]);
    // A code may be the same by chance, one time in a million.
    for (const far of [found[0], found[4]]) if (far !== undefined) expect(Math.abs(far - now)).toBeLessThan(2);
    for (const code of ['', '12345', '1234567', 'abcdef']) expect(matchingStep(secret, code, nowMs)).toBeUndefined();
  });

  it('has a secret of 160 random bits', () => {
    expect(createTotpSecret()).toHaveLength(20);
    expect(Buffer.from(createTotpSecret())).not.toEqual(Buffer.from(createTotpSecret()));
  });
});

describe('base32', () => {
  // RFC 4648, section 10, without padding.
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('of %j matches the RFC', (text, encoded) => {
    expect(base32(Buffer.from(text))).toBe(encoded);
  });

  it('keeps every bit', () => {
    for (let length = 1; length < 40; length += 1) {
      const bytes = randomBytes(length);
      expect(fromBase32(base32(bytes))).toEqual(bytes);
    }
  });
});

describe('recovery codes', () => {
  it('are ten different ones of 120 bits, stored as hashes', () => {
    const { codes, hashes } = createRecoveryCodes();

    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) {
      expect(fromBase32(code.replaceAll('-', ''))).toHaveLength(15);
      expect(hashes.has(hashRecoveryCode(code))).toBe(true);
      expect(hashes.has(code)).toBe(false);
    }
  });

  it('match in lower case, without hyphens and with spaces', () => {
    const [code = ''] = createRecoveryCodes().codes;

    for (const form of [code.toLowerCase(), code.replaceAll('-', ''), ` ${code.replaceAll('-', ' ')} `]) {
      expect(hashRecoveryCode(form)).toBe(hashRecoveryCode(code));
    }
    expect(hashRecoveryCode(code.replace(/^./, 'A'))).not.toBe(hashRecoveryCode(code.replace(/^./, 'B')));
  });
});
