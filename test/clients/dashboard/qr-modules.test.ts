import jsqr from 'jsqr';
import { describe, expect, it } from 'vitest';
import { qrModules } from '../../../clients/dashboard/src/factors/qr-modules.ts';

/** Reads a code as a camera would see it: three pixels per module, with a quiet zone. */
function read(modules: readonly (readonly boolean[])[]): string | undefined {
  const scale = 3;
  const quiet = 4;
  const size = (modules.length + 2 * quiet) * scale;
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1)
      if (modules[Math.floor(y / scale) - quiet]?.[Math.floor(x / scale) - quiet] === true)
        pixels.fill(0, (y * size + x) * 4, (y * size + x) * 4 + 3);
  const decode = jsqr as unknown as (data: Uint8ClampedArray, width: number, height: number) => { data: string } | null;
  return decode(pixels, size, size)?.data;
}

describe('a QR code', () => {
  it.each([1, 17, 18, 53, 106, 134, 154, 192, 230, 231, 271, 321, 367, 425, 458, 520])(
    'of %i bytes decodes to the original',
    length => {
      const text = 'otpauth://totp/Holdfast:ada%40example.com?secret='.repeat(11).slice(0, length);
      expect(read(qrModules(text))).toBe(text);
    },
  );

  it('has the smallest size that fits, and rejects text that fits none', () => {
    expect(qrModules('a'.repeat(17))).toHaveLength(21);
    expect(qrModules('a'.repeat(18))).toHaveLength(25);
    expect(qrModules('a'.repeat(520))).toHaveLength(77);
    expect(() => qrModules('a'.repeat(521))).toThrow(RangeError);
  });
});
