import { describe, expect, it } from 'vitest';
import { headOf, resolveHeads, versionOf } from '#lib/secrets/engine/read-snapshot.ts';
import type { HeadRecord } from '#lib/table/records/secret.ts';
import { headWith } from '#test/support/head-with.ts';

function head(key: string, version: number, revision: number, more: Partial<HeadRecord> = {}): HeadRecord {
  const value = { sealed: new Uint8Array([version]), keyVersion: 1, sizeBytes: 300 };
  const updatedAt = `2026-01-01T00:00:0${version}.000Z`;
  return headWith({ key, version, revision, fence: revision, updatedAt, ...value, ...more });
}

function historyOf(...heads: HeadRecord[]) {
  const reads: string[][] = [];
  return {
    reads,
    read: async (wanted: readonly { key: string; version: number }[]) => {
      reads.push(wanted.map(({ key, version }) => `${key} ${version}`));
      return wanted.map(({ key, version }) => {
        const found = heads.find(one => one.key === key && one.version === version);
        return found === undefined ? undefined : versionOf(found);
      });
    },
  };
}

describe('heads at a revision', () => {
  it('are used as read if none is later, without another read', async () => {
    const heads = [head('A', 1, 3), head('B', 2, 5)];
    const history = historyOf();
    expect(await resolveHeads(heads, 5, history.read)).toEqual(heads);
    expect(history.reads).toEqual([]);
  });

  it('come from the history if they were stamped later, any number of versions back, in key order', async () => {
    const older = head('B', 1, 2);
    const history = historyOf(older, head('B', 2, 6), head('B', 3, 7), head('C', 1, 4), head('D', 1, 6));
    const heads = [head('A', 1, 3), head('B', 4, 8), head('C', 2, 6), head('D', 2, 7), head('E', 1, 6)];
    expect(await resolveHeads(heads, 5, history.read)).toEqual([head('A', 1, 3), older, head('C', 1, 4)]);
    expect(history.reads).toEqual([['B 3', 'C 1', 'D 1'], ['B 2'], ['B 1']]);
  });

  it('restore a deleted key as deleted, and one that is being deleted as alive', async () => {
    const gone = { ...head('A', 2, 2, { deleted: true }), sealed: undefined, keyVersion: undefined };
    const { sealed: _, keyVersion: __, sizeBytes: ___, ...tombstone } = gone;
    const history = historyOf(tombstone, head('B', 1, 3));
    const heads = [head('A', 3, 9), { ...tombstone, key: 'B', revision: 9 }];
    expect(await resolveHeads(heads, 5, history.read)).toEqual([tombstone, head('B', 1, 3)]);
  });

  it('and versions convert to each other without loss', () => {
    const one = head('A', 4, 7);
    expect(headOf(versionOf(one))).toEqual(one);
  });
});
