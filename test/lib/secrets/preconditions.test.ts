import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../lib/http/errors.ts';
import { matchesRevision, parseIfMatch, parseIfNoneMatch, revisionTag } from '../../../lib/secrets/preconditions.ts';

const revisions = (...values: number[]) => ({ kind: 'revisions', revisions: values });

describe('If-Match', () => {
  test.each([
    ['"0"', [0]],
    ['"17"', [17]],
    [' "17"\t', [17]],
    ['"1", "2","3"', [1, 2, 3]],
    ['"1",, "2",', [1, 2]],
  ])('%j names the revisions %j', (header, values) => {
    expect(parseIfMatch(header)).toEqual(revisions(...values));
  });

  test('* is any revision', () => {
    expect(parseIfMatch('*')).toEqual({ kind: 'any' });
    expect(matchesRevision(parseIfMatch(' * '), 5)).toBe(true);
  });

  test('a weak tag never matches, for the comparison is strong', () => {
    expect(parseIfMatch('W/"5"')).toEqual(revisions());
    expect(parseIfMatch('W/"5", "6"')).toEqual(revisions(6));
  });

  test.each(['"abc"', '""', '"05"', '"-1"', '"1.0"', '"1e3"', '"99999999999999999999"', '"1,2"'])(
    'the well-formed tag %s is no revision and matches none',
    header => {
      expect(parseIfMatch(header)).toEqual(revisions());
      expect(matchesRevision(parseIfMatch(header), 5)).toBe(false);
    },
  );

  test.each(['', ' ', ',', '5', '"5', '5"', '"5" "6"', '"5"; "6"', 'w/"5"', 'W/5', '* , "5"', '**', "'5'", '"a b"'])(
    'the malformed header %j is an invalid request that names it',
    header => {
      try {
        parseIfMatch(header);
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        expect(error).toMatchObject({ code: 'invalid_request', details: [{ path: 'if-match' }] });
      }
    },
  );
});

describe('If-None-Match', () => {
  test('a weak tag matches like a strong one, for the comparison is weak', () => {
    expect(parseIfNoneMatch('W/"5"')).toEqual(revisions(5));
    expect(parseIfNoneMatch('"4", W/"5"')).toEqual(revisions(4, 5));
  });

  test('* is any revision', () => {
    expect(parseIfNoneMatch('*')).toEqual({ kind: 'any' });
  });

  test('a malformed one is an invalid request that names it', () => {
    expect(() => parseIfNoneMatch('5')).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: [expect.objectContaining({ path: 'if-none-match' })],
      }),
    );
  });
});

test('the tag of a revision matches that revision and no other', () => {
  for (const parse of [parseIfMatch, parseIfNoneMatch]) {
    expect(matchesRevision(parse(revisionTag(17)), 17)).toBe(true);
    expect(matchesRevision(parse(revisionTag(17)), 18)).toBe(false);
  }
});

test('a header of many kilobytes is read in a moment', () => {
  const started = performance.now();
  expect(() => parseIfMatch(`${' '.repeat(100_000)}x`)).toThrow();
  expect(() => parseIfMatch('"'.repeat(100_001))).toThrow();
  expect(performance.now() - started).toBeLessThan(1000);
});
