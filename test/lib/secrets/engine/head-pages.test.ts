import { describe, expect, it } from 'vitest';
import { type HeadPage, outgrowsPages, pagesAfter } from '#lib/secrets/engine/head-pages.ts';
import { sizeAfter } from '#lib/secrets/engine/write-change.ts';
import type { EnvironmentState } from '#lib/table/records/environment.ts';
import type { HeadRecord } from '#lib/table/records/secret.ts';
import { headWith } from '#test/support/head-with.ts';

const kb = 1024;

/** An environment without a table, and how it is cut. */
function environment() {
  const heads = new Map<string, HeadRecord>();
  let sizeBytes = 0;
  let pages: HeadPage[] | undefined;
  let measured = 0;
  return {
    measured: () => measured,
    /** Sets keys to values of a size, or deletes them (0), as one change; up to 40 keys are read one by one. */
    change(sizes: Readonly<Record<string, number>>) {
      const changed = Object.entries(sizes).map(([key, bytes]) => {
        return headWith({ key, ...(bytes === 0 ? { deleted: true } : { sizeBytes: bytes, keyVersion: 1 }) });
      });
      const state = { pages, sizeBytes, secretCount: heads.size } as EnvironmentState;
      const before = new Map(heads);
      const content = { state, before, heads: changed };
      const isMixed = changed.length <= 40 && !outgrowsPages(content);
      if (!isMixed) measured += 1;
      const read = isMixed ? new Map([...before].filter(([key]) => key in sizes)) : before;
      sizeBytes = sizeAfter(content).sizeBytes;
      pages = pagesAfter({ ...content, before: read }, { isMixed });
      for (const head of changed) {
        if ('deleted' in head) heads.delete(head.key);
        else heads.set(head.key, head);
      }
    },
    pages: () => pages,
    sizes() {
      const cuts = (pages ?? []).map(({ from }) => from).slice(1);
      return [undefined, ...cuts].map((from, index) =>
        [...heads.values()]
          .filter(({ key }) => (from === undefined || key >= from) && (cuts[index] === undefined || key < cuts[index]))
          .reduce((sum, head) => sum + (head.sizeBytes ?? 0), 0),
      );
    },
  };
}

const name = (index: number) => `KEY_${String(index).padStart(4, '0')}`;
const many = (count: number, bytes: number, first = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(first + index), bytes]));
const shuffled = (indexes: number[]) => indexes.toSorted((a, b) => ((a * 7919) % 101) - ((b * 7919) % 101));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('the ranges in which an environment is read', () => {
  it('are not recorded while it fits in one page', () => {
    const env = environment();
    env.change(many(500, kb));
    expect(env.pages()).toBeUndefined();
    env.change({ [name(0)]: 2 * kb });
    expect(env.pages()).toBeUndefined();
  });

  it('are measured by a change that reads all heads', () => {
    const env = environment();
    env.change(many(1000, 4 * kb));
    expect(Math.max(...env.sizes())).toBeLessThanOrEqual(512 * kb);
    expect(env.sizes().length).toBeLessThanOrEqual(9);
    expect(env.pages()?.map(({ bytes }) => bytes)).toEqual(env.sizes());
  });

  it.each([
    ['in order', upTo(64)],
    ['in reverse order', upTo(64).toReversed()],
    ['in any order', shuffled(upTo(64))],
  ])('stay below a page while an environment is filled one key at a time, %s', (_, order) => {
    const env = environment();
    for (const index of order) env.change({ [name(index)]: 64 * kb });
    expect(Math.max(...env.sizes())).toBeLessThanOrEqual(768 * kb);
    expect(env.measured()).toBeLessThanOrEqual(12);
  });

  it.each([
    ['one after the other', (part: number) => many(32, 32 * kb, 32 * part)],
    [
      'between each other',
      (part: number) => Object.fromEntries(upTo(32).map(index => [name(4 * index + part), 32 * kb])),
    ],
  ])('stay below a page while it is filled by small imports, %s', (_, partOf) => {
    const env = environment();
    for (const part of upTo(4)) env.change(partOf(part));
    expect(Math.max(...env.sizes())).toBeLessThanOrEqual(768 * kb);
  });

  it('are dropped when it fits in one page again', () => {
    const env = environment();
    env.change(many(1000, 4 * kb));
    for (let first = 0; first < 900; first += 40) env.change(many(Math.min(40, 900 - first), 0, first));
    expect(env.pages()).toBeUndefined();
  });

  it('follow the sizes of replaced and deleted keys', () => {
    const env = environment();
    env.change(many(1000, 4 * kb));
    env.change({ [name(3)]: 0, [name(500)]: kb, [name(999)]: 5 * kb });
    expect(env.pages()?.map(({ bytes }) => bytes)).toEqual(env.sizes());
  });
});
