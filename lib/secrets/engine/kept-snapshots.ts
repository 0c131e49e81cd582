import { processCollection, processVariable } from '../../core/process-memory.ts';
import { settings } from '../../core/settings.ts';
import { whenRetired } from '../../crypto/data-keys.ts';
import { type EnvironmentPath, keys } from '../../table/keys.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { headBytes } from './secret-size.ts';

/*
 * The snapshots that this process read last, values encrypted, so that a pull of an unchanged environment reads only
 * its state. A snapshot is used only if the state has the same id, fencing token, revision and digest, and no change is
 * in progress. No two changes share a token and no two environments an id, so nothing else has these four.
 *
 * Only re-encryption changes heads without any of them: it raises the token first, then replaces ciphertexts one by
 * one. So a snapshot with a ciphertext under another data key than the state's is not kept.
 */

/** An environment exactly as of `state.revision`. */
export interface Snapshot {
  state: EnvironmentState;
  /** In key order: the head of every secret, and dead heads that were not moved to the tombstones yet. */
  heads: readonly HeadRecord[];
}

interface KeptSnapshot extends Pick<EnvironmentState, 'id' | 'fence' | 'revision' | 'digest' | 'keyVersion'> {
  projectId: string;
  heads: readonly HeadRecord[];
  bytes: number;
  keptAtMs: number;
}

/**
 * Moving the service to the other region and back takes longer, so no snapshot outlives changes that only the other
 * region knows. Snapshots also go with their data key.
 */
export const maximumAgeMs = 3 * 60_000;

/** An upper bound on the memory that a snapshot takes besides its heads, so that empty environments are counted too. */
const snapshotBytes = 2000;

/** By partition key, least recently used first, because a Map keeps insertion order. */
const kept = processCollection('snapshots', new Map<string, KeptSnapshot>());
const keptBytes = processVariable('snapshot-bytes', () => 0);

whenRetired(({ projectId, keyVersion }) => {
  for (const [place, snapshot] of kept) {
    if (snapshot.projectId === projectId && snapshot.keyVersion === keyVersion) forget(place);
  }
});

export const hasSnapshot = (path: EnvironmentPath): boolean => find(path) !== undefined;

export function keptHeads(path: EnvironmentPath, state: EnvironmentState): readonly HeadRecord[] | undefined {
  const snapshot = find(path);
  if (snapshot === undefined || !isOf(snapshot, state)) return undefined;
  const place = placeOf(path);
  kept.delete(place);
  kept.set(place, snapshot);
  return snapshot.heads;
}

/** Keeps a snapshot that matches the state's digest, and drops old and least recently used ones. */
export function keepSnapshot(path: EnvironmentPath, { state, heads }: Snapshot): void {
  const place = placeOf(path);
  forget(place);
  const maximumBytes = settings().SNAPSHOT_CACHE_BYTES;
  const bytes = heads.reduce((sum, head) => sum + headBytes(head), snapshotBytes);
  if (bytes > maximumBytes || state.pending !== undefined) return;
  const { id, fence, revision, digest, keyVersion, projectId } = state;
  if (heads.some(head => head.sealed !== undefined && head.keyVersion !== keyVersion)) return;
  for (const [oldest, snapshot] of kept) {
    if (keptBytes.value + bytes <= maximumBytes && !isTooOld(snapshot)) break;
    forget(oldest);
  }
  keptBytes.value += bytes;
  const facts = { id, fence, revision, digest, keyVersion, projectId };
  kept.set(place, { ...facts, heads: copyOf(heads), bytes, keptAtMs: Date.now() });
}

/** The SDK's ciphertexts are parts of buffers that it shares with other calls; keeping one would keep all 8 KB. */
function copyOf(heads: readonly HeadRecord[]): readonly HeadRecord[] {
  const all = new Uint8Array(heads.reduce((sum, { sealed }) => sum + (sealed?.length ?? 0), 0));
  let end = 0;
  // Requests share the heads, so none may change them.
  return Object.freeze(
    heads.map(head => {
      if (head.sealed === undefined) return Object.freeze({ ...head });
      const start = end;
      end += head.sealed.length;
      all.set(head.sealed, start);
      return Object.freeze({ ...head, sealed: all.subarray(start, end) });
    }),
  );
}

/** Call this when reads turned out not to belong together. */
export const forgetSnapshot = (path: EnvironmentPath): void => forget(placeOf(path));

function find(path: EnvironmentPath): KeptSnapshot | undefined {
  const snapshot = kept.get(placeOf(path));
  return snapshot === undefined || isTooOld(snapshot) ? undefined : snapshot;
}

const isTooOld = ({ keptAtMs }: KeptSnapshot) => Date.now() - keptAtMs >= maximumAgeMs;

function isOf(snapshot: KeptSnapshot, state: EnvironmentState): boolean {
  const names = ['id', 'fence', 'revision', 'digest', 'keyVersion'] as const;
  return state.pending === undefined && names.every(name => snapshot[name] === state[name]);
}

function forget(place: string): void {
  keptBytes.value -= kept.get(place)?.bytes ?? 0;
  kept.delete(place);
}

const placeOf = (path: EnvironmentPath): string => keys.environmentState(path).pk;
