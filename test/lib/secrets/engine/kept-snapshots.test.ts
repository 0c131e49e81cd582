import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { functions } from '#infra/plan/functions.ts';
import { hasSnapshot, keepSnapshot, keptHeads, maximumAgeMs } from '#lib/secrets/engine/kept-snapshots.ts';
import type { EnvironmentState } from '#lib/table/records/environment.ts';
import type { HeadRecord } from '#lib/table/records/secret.ts';
import { reliedOnMs } from '#lib/table/serving-region.ts';
import { useSettings } from '#test/support/api.ts';
import { headWith } from '#test/support/head-with.ts';

const mb = 1024 * 1024;
const limitTo = (bytes: number) => useSettings({ SNAPSHOT_CACHE_BYTES: String(bytes) });
const pathOf = (name: string) => ({ orgSlug: name, project: 'shop', env: 'dev' });

/** A snapshot with ciphertexts as the SDK returns them. */
function snapshotOf(name: string, { count, bytes }: { count: number; bytes: number }) {
  const heads = Array.from({ length: count }, (_, index): HeadRecord => {
    const text = Buffer.from(Buffer.alloc(bytes, index).toString('base64'), 'base64');
    const sealed = new Uint8Array(text.buffer, text.byteOffset, text.byteLength);
    const updatedBy = { id: `${name} ${index}`, email: `${name}-${index}@example.com` };
    return headWith({ key: `KEY_${index}`, sealed, keyVersion: 1, updatedBy });
  });
  const state = {
    id: `id of ${name}`,
    projectId: `project of ${name}`,
    revision: 1,
    fence: 1,
    digest: `digest of ${name}`.padEnd(32),
    keyVersion: 1,
  } as EnvironmentState;
  return { state, heads };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Node frees buffers some time after it has found them unused. */
async function memoryUsed(): Promise<number> {
  for (let time = 0; time < 3; time += 1) {
    collectGarbage();
    await sleep(20);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function requireLess(bytes: number, before: number): Promise<void> {
  await expect.poll(async () => (await memoryUsed()) - before).toBeLessThan(bytes);
}

describe('the memory for snapshots', () => {
  it.each([
    ['empty environments', { count: 0, bytes: 0 }, 60_000],
    ['environments with one small secret', { count: 1, bytes: 40 }, 40_000],
    ['environments with 50 secrets', { count: 50, bytes: 228 }, 2000],
    ['environments with many small secrets', { count: 5000, bytes: 40 }, 20],
    ['large environments', { count: 64, bytes: 64_000 }, 20],
  ])('is limited for %s, whatever else shares the buffers of their ciphertexts', async (_, size, environments) => {
    limitTo(0);
    keepSnapshot(pathOf('none'), snapshotOf('none', size));
    const before = await memoryUsed();
    limitTo(32 * mb);
    for (let n = 0; n < environments; n += 1) {
      keepSnapshot(pathOf(`org-${n}`), snapshotOf(`org-${n}`, size));
      // Responses of other calls, which come and go.
      for (let other = 0; other < 20; other += 1) Buffer.from('x'.repeat(300));
    }
    expect(hasSnapshot(pathOf('org-0'))).toBe(false);
    expect(hasSnapshot(pathOf(`org-${environments - 1}`))).toBe(true);
    // A tenth for what the test itself leaves.
    await requireLess(32 * mb * 1.1, before);
  });

  it('holds no snapshot that is too old to be used', async () => {
    limitTo(32 * mb);
    const startedAt = Date.now();
    const before = await memoryUsed();
    const size = { count: 64, bytes: 64_000 };
    for (const name of ['a', 'b', 'c', 'd']) keepSnapshot(pathOf(name), snapshotOf(name, size));
    vi.spyOn(Date, 'now').mockReturnValue(startedAt + maximumAgeMs + 1000);
    keepSnapshot(pathOf('later'), snapshotOf('later', { count: 1, bytes: 10 }));
    vi.restoreAllMocks();
    await requireLess(4 * mb, before);
  });
});

describe('a kept snapshot', () => {
  it('is a copy that nobody can change', () => {
    limitTo(32 * mb);
    const read = snapshotOf('copied', { count: 3, bytes: 40 });
    keepSnapshot(pathOf('copied'), read);
    const expected = structuredClone(read.heads);
    for (const head of read.heads) head.sealed?.fill(0);
    const kept = keptHeads(pathOf('copied'), read.state);
    expect(kept).toEqual(expected);
    expect(() => Object.assign(kept?.[0] ?? {}, { version: 2 })).toThrow(TypeError);
    expect(() => (kept as HeadRecord[]).pop()).toThrow(TypeError);
  });

  // The region that served first may come back without its latest changes, and others may have their fencing tokens.
  it('is too old before the service can have moved to the other region and back', () => {
    const timeoutMs = (names: readonly string[]) =>
      1000 * Math.max(...functions.filter(({ name }) => names.includes(name)).map(one => one.timeoutSeconds));
    // See infra/commands/move-service.ts.
    const moveMs = reliedOnMs + timeoutMs(functions.map(({ name }) => name));
    const lastKeptMs = reliedOnMs + timeoutMs(['pull-secrets', 'list-keys', 'compare-environments', 'import-secrets']);
    expect(maximumAgeMs).toBeLessThanOrEqual(2 * moveMs - lastKeptMs);
  });
});
