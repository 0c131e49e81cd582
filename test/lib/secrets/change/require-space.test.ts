import { describe, expect, it } from 'vitest';
import { hiddenBytes } from '#lib/secrets/change/require-space.ts';

const project = (secret: string) => ({ keyVersion: 1, wrappedKeys: { '1': Buffer.from(secret) } });
const at = (revision: number, secret = 'wrapped') => hiddenBytes(project(secret), { id: 'environment', revision });

describe('the space hidden from a writer without read access', () => {
  it('is the same for every attempt at a revision, and different at the next', () => {
    expect(at(7)).toBe(at(7));
    expect(at(8)).not.toBe(at(7));
    expect(at(7, 'another')).not.toBe(at(7));
  });

  it('is uniform up to 512 KiB', () => {
    const all = Array.from({ length: 4096 }, (_, revision) => at(revision));
    const eighths = Array.from(
      { length: 8 },
      (_, index) => all.filter(one => Math.floor(one / 65_536) === index).length,
    );
    expect(eighths.reduce((sum, count) => sum + count)).toBe(4096);
    for (const count of eighths) expect(count).toBeGreaterThan(400);
  });
});
