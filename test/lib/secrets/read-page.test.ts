import { describe, expect, it } from 'vitest';
import { pageOf } from '#lib/secrets/read-page.ts';

const all = ['A', 'AB', 'B', 'a'].map(key => ({ key }));
const keysOf = (query: Parameters<typeof pageOf>[1]) => {
  const { shown, pagination } = pageOf(all, query);
  return [shown.map(({ key }) => key).join(' '), pagination?.total];
};

describe('a page of a list in key order', () => {
  it('is the whole list without a limit, for every offset', () => {
    expect(keysOf({ offset: 0 })).toEqual(['A AB B a', undefined]);
    expect(keysOf({ offset: 3 })).toEqual(['A AB B a', undefined]);
  });

  it('counts the search’s matches, case-sensitively', () => {
    expect(keysOf({ offset: 0, search: 'A' })).toEqual(['A AB', undefined]);
    expect(keysOf({ offset: 1, limit: 5, search: 'A' })).toEqual(['AB', 2]);
    expect(keysOf({ offset: 2, limit: 1 })).toEqual(['B', 4]);
    expect(keysOf({ offset: 4, limit: 1 })).toEqual(['', 4]);
  });
});
