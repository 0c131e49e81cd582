import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromRanges, toRanges } from '#lib/contracts/fields/number-ranges.ts';

describe('ranges of numbers', () => {
  it('join neighbours, whatever their order', () => {
    expect(toRanges([7, 3, 1, 2, 2])).toBe('1-3, 7');
    expect(toRanges([])).toBe('');
  });

  it('have the same numbers again', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 60 })), numbers => {
        expect(fromRanges(toRanges(numbers))).toEqual(numbers.toSorted((a, b) => a - b));
      }),
    );
  });
});
