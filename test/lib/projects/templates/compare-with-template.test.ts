import { describe, expect, it } from 'vitest';
import { compareWithTemplate } from '#lib/projects/templates/validate-environment.ts';
import { boundedValueCheck, patternProblem } from '#lib/secrets/value-pattern.ts';

const matchesWhole = (pattern: string, value: string) => boundedValueCheck()(pattern, value) === undefined;
const stored = { projectId: 'a project', createdAt: '2026-01-01T00:00:00.000Z' };

it('comparing with a template assigns every key to its category', () => {
  const template = [
    { key: 'A', required: true, pattern: 'x+', ...stored },
    { key: 'B', required: true, ...stored },
    { key: 'C', required: false, ...stored },
    { key: '__proto__', required: true, ...stored },
  ];
  expect(
    compareWithTemplate(template, ['A', 'C', 'D', '__proto__'], new Map([['A', 'xxy']]), boundedValueCheck()),
  ).toEqual({
    valid: false,
    missing: ['B'],
    present: ['A', 'C', '__proto__'],
    undeclared: ['D'],
    invalid: [{ key: 'A', reason: 'does not match the pattern' }],
  });
  expect(compareWithTemplate([], [], new Map(), boundedValueCheck())).toMatchObject({ valid: true });
});

describe('a pattern', () => {
  it('must match the whole value, line breaks included', () => {
    expect(matchesWhole('a|ab', 'ab')).toBe(true);
    expect(matchesWhole('a', 'ab')).toBe(false);
    expect(matchesWhole('a.b', 'a\nb')).toBe(false);
    expect(matchesWhole('(?s)a.b', 'a\nb')).toBe(true);
    expect(matchesWhole('a', 'a\n')).toBe(false);
    expect(matchesWhole('\\p{L}+', 'žluť')).toBe(true);
    expect(matchesWhole('.', '🐎')).toBe(true);
    expect(matchesWhole('', '')).toBe(true);
  });

  it('is rejected if RE2 does not support it, and the reason does not repeat all of it', () => {
    expect(patternProblem('[0-9]{1,5}')).toBeUndefined();
    expect(patternProblem('(?=x)')).toContain('RE2');
    expect(patternProblem('(')).toContain('RE2');
    expect(patternProblem('(a?){1000}(a{1,1000})')).toContain('too large');
  });

  it('takes linear time, for every pattern', () => {
    // In any other, this would not end within the test's time.
    expect(matchesWhole('(a*)*(a*)*(a*)*b', 'a'.repeat(65_536))).toBe(false);
  });

  it('is rejected if its automaton is so large that values would take seconds', () => {
    expect(patternProblem('(?:a?b?){740}c')).toContain('too large');
    expect(patternProblem('[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}')).toBeUndefined();
  });

  it('is not applied to a value that is too long for it, or after the time is used up', () => {
    let now = 0;
    const check = boundedValueCheck(() => now);
    const undecidable = '[ab]*a[ab]{400}c';

    expect(check(undecidable, 'ab'.repeat(5000))).toBe('does not match the pattern');
    expect(check(undecidable, 'ab'.repeat(32_768))).toBe('is too long to be checked with this pattern');
    now = 2000;
    expect(check('a', 'a')).toBe('was not checked: matching the environment’s values takes too long');
  });
});
