import { describe, expect, test } from 'vitest';
import {
  IfMatch,
  IfNoneMatch,
  matchesRevision,
  matchesRevisions,
  type Precondition,
  parseIfMatch,
  parseIfNoneMatch,
  revisionTag,
} from '#lib/contracts/fields/preconditions.ts';

const matches = (precondition: Precondition | undefined, revision: number) =>
  precondition !== undefined && matchesRevision(precondition, revision);

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
    expect(matches(parseIfMatch(' * '), 5)).toBe(true);
  });

  test('a weak tag never matches, because the comparison is strong', () => {
    expect(parseIfMatch('W/"5"')).toEqual(revisions());
    expect(parseIfMatch('W/"5", "6"')).toEqual(revisions(6));
  });

  test('a revision far beyond any environment’s is well-formed and matches none', () => {
    expect(matches(parseIfMatch('"99999999999999999999"'), 5)).toBe(false);
  });

  test.each(['"abc"', '""', '"05"', '"-1"', '"1.0"', '"1e3"', '"1,2"', '"5", "abc"'])(
    'the strong tag %s is not a revision, so it must be a mistake',
    header => {
      expect(parseIfMatch(header)).toBeUndefined();
    },
  );

  test.each(['', ' ', ',', '5', '"5', '5"', '"5" "6"', '"5"; "6"', 'w/"5"', 'W/5', '* , "5"', '**', "'5'", '"a b"'])(
    'the header %j is malformed',
    header => {
      expect(parseIfMatch(header)).toBeUndefined();
      expect(IfMatch.safeParse(header).success).toBe(false);
    },
  );
});

describe('If-None-Match', () => {
  test('a weak tag matches like a strong one, because the comparison is weak', () => {
    expect(parseIfNoneMatch('W/"5"')).toEqual(revisions(5));
    expect(parseIfNoneMatch('"4", W/"5"')).toEqual(revisions(4, 5));
  });

  test('* is any revision', () => {
    expect(parseIfNoneMatch('*')).toEqual({ kind: 'any' });
  });

  test('a tag that is not a revision matches nothing', () => {
    expect(parseIfNoneMatch('"abc"')).toEqual(revisions());
  });

  test('a malformed header is rejected', () => {
    expect(parseIfNoneMatch('5')).toBeUndefined();
    expect(IfNoneMatch.safeParse('5').success).toBe(false);
  });
});

test('the tag of a revision matches that revision and no other', () => {
  for (const parse of [parseIfMatch, parseIfNoneMatch]) {
    expect(matches(parse(revisionTag(17)), 17)).toBe(true);
    expect(matches(parse(revisionTag(17)), 18)).toBe(false);
  }
});

describe('the tag of layered environments', () => {
  const matchesAll = (header: string, ...all: number[]) => {
    const precondition = parseIfNoneMatch(header);
    return precondition !== undefined && matchesRevisions(precondition, all);
  };

  test('matches these revisions in this order, and no others', () => {
    expect(revisionTag(12, 7, 31)).toBe('"12.7.31"');
    expect(matchesAll('"12.7.31"', 12, 7, 31)).toBe(true);
    expect(matchesAll('"4", W/"12.7.31"', 12, 7, 31)).toBe(true);
    expect(matchesAll('*', 12, 7, 31)).toBe(true);
    for (const header of ['"12.7"', '"12.7.31.0"', '"7.12.31"', '"1.27.31"', '"12.7.031"', '"12"', '"31"', '"a.b"']) {
      expect(matchesAll(header, 12, 7, 31), header).toBe(false);
    }
  });

  test('matches no revision of a single environment, and is none for If-Match', () => {
    expect(matches(parseIfNoneMatch('"12.7"'), 12)).toBe(false);
    expect(matches(parseIfNoneMatch('"12.7", "7"'), 7)).toBe(true);
    expect(parseIfMatch('"12.7"')).toBeUndefined();
  });
});

// In quadratic time, this would take hours.
test('a header of megabytes is parsed in linear time', () => {
  expect(parseIfMatch(`${' '.repeat(4_000_000)}x`)).toBeUndefined();
  expect(parseIfMatch('"'.repeat(4_000_001))).toBeUndefined();
});
