import { randomUUID } from 'node:crypto';
import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32, createCredential, equalInConstantTime, readCredential, tokenPrefix } from '#lib/crypto/credentials.ts';

describe('credentials', () => {
  it('contain their user and can be parsed, for any user', () => {
    fc.assert(
      fc.property(fc.uuid(), userId => {
        const { secret, hash } = createCredential(userId, tokenPrefix);
        expect(secret).toMatch(/^service_tok_[A-Za-z0-9]{60}$/);
        expect(readCredential(secret, tokenPrefix)).toEqual({ userId, hash });
      }),
    );
  });

  it('reject any single changed character without a read', () => {
    const { secret } = createCredential(randomUUID(), tokenPrefix);
    for (let index = tokenPrefix.length; index < secret.length; index += 1) {
      const other = secret[index] === 'a' ? 'b' : 'a';
      expect(readCredential(secret.slice(0, index) + other + secret.slice(index + 1), tokenPrefix)).toBeUndefined();
    }
  });

  it('reject junk, a missing prefix, and a number too large for a UUID', () => {
    const { secret } = createCredential(randomUUID());
    expect(readCredential('')).toBeUndefined();
    expect(readCredential(secret, tokenPrefix)).toBeUndefined();
    expect(readCredential(`${secret} `)).toBeUndefined();
    expect(readCredential('z'.repeat(60))).toBeUndefined();
  });

  it('never repeat', () => {
    const userId = randomUUID();
    const secrets = new Set(Array.from({ length: 1000 }, () => createCredential(userId).secret));
    expect(secrets.size).toBe(1000);
  });

  it('are equal only if they are identical', () => {
    expect(equalInConstantTime('abc', 'abc')).toBe(true);
    expect(equalInConstantTime('abc', 'abd')).toBe(false);
    expect(equalInConstantTime('abc', 'abcd')).toBe(false);
  });
});

describe('the checksum', () => {
  it('is the CRC32 of zlib, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(crc32(text)).toBe(zlib.crc32(text));
      }),
    );
  });
});
