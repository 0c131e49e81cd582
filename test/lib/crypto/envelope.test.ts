import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cipherKey, open, type Place, seal } from '#lib/crypto/envelope.ts';

const newKey = () => cipherKey(randomBytes(32));
const ids = { organizationId: 'o', projectId: 'p', environmentId: 'e' };
const place: Place = { ...ids, key: 'KEY', version: 3, keyVersion: 1 };

describe('sealing a value', () => {
  it('returns any text in its own place', () => {
    const dataKey = newKey();
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter(text => text.isWellFormed()),
        text => {
          expect(open(seal(text, dataKey, place), dataKey, place)).toBe(text);
        },
      ),
    );
  });

  it('fails in any other place', () => {
    const dataKey = newKey();
    const sealed = seal('value', dataKey, place);
    const others: Partial<Place>[] = [
      { organizationId: 'x' },
      { projectId: 'x' },
      { environmentId: 'x' },
      { key: 'x' },
      { version: 4 },
      { keyVersion: 2 },
      // Parts that would run together without their lengths.
      { organizationId: 'op', projectId: '' },
    ];
    for (const other of others) {
      expect(() => open(sealed, dataKey, { ...place, ...other })).toThrow(/belongs to another place/);
    }
  });

  it('fails if any byte was altered, and names the place but not the value', () => {
    const dataKey = newKey();
    const sealed = seal('canary-value', dataKey, place);
    for (let index = 0; index < sealed.length; index += 1) {
      const altered = Uint8Array.from(sealed);
      altered[index] = (altered[index] ?? 0) ^ 1;
      expect(() => open(altered, dataKey, place)).toThrow(/KEY version 3/);
    }
  });

  it('fails with another key and with a shortened tag', () => {
    const dataKey = newKey();
    const sealed = seal('value', dataKey, place);
    expect(() => open(sealed, newKey(), place)).toThrow(/belongs to another place/);
    expect(() => open(sealed.subarray(0, 20), dataKey, place)).toThrow();
  });

  it('never produces the same ciphertext twice', () => {
    const dataKey = newKey();
    expect(Buffer.from(seal('v', dataKey, place)).equals(Buffer.from(seal('v', dataKey, place)))).toBe(false);
  });
});
