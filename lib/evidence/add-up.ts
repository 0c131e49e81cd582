import { longestWriteMs } from '../access/audit-write.ts';
import type { Exposure } from '../contracts/audit/get-exposure.ts';
import { type KeyHistory, type KeyVersion, originsOf, versionAt } from './key-history.ts';
import type { Period } from './scan-entries.ts';
import type { Sight, Way } from './sights.ts';

/** Stands for one whose number is not known. */
const unknownVersion = 0;

/** What became known of one secret. */
export interface KnownSecret {
  versions: Set<number>;
  firstAt: string;
  lastAt: string;
  how: Set<Way>;
}

/**
 * What became known of an environment's secrets, by key. If the history is not exact, every key that it or a sight names
 * may have had a value at any time. Pure.
 */
export function addUp(
  { history, isExact }: { history: KeyHistory; isExact: boolean },
  sights: readonly Sight[],
  unrecorded: Period | undefined,
): Map<string, KnownSecret> {
  const known = new Map<string, KnownSecret>();
  const wholes = new Map<string, Sight & { lastAt: string }>();
  const versionsOf = (key: string, sight: Sight) =>
    seenVersions(history.get(key) ?? [], sight) ?? (isExact ? undefined : [unknownVersion]);
  for (const sight of sights) {
    if (sight.keys === 'all') joinWhole(wholes, sight);
    else for (const key of sight.keys) note(known, key, versionsOf(key, sight), sight);
  }
  for (const [key, versions] of history) {
    for (const whole of wholes.values()) note(known, key, versionsOf(key, whole), whole);
    if (unrecorded !== undefined) noteUnrecorded(known, key, versions, unrecorded);
  }
  return known;
}

/** Thousands of pulls of the same revision count as one. */
function joinWhole(wholes: Map<string, Sight & { lastAt: string }>, sight: Sight): void {
  const id = `${sight.how} ${sight.revision} ${sight.history === true}`;
  const { createdAt } = sight;
  const before = wholes.get(id);
  wholes.set(id, {
    ...sight,
    createdAt: before === undefined || createdAt < before.createdAt ? createdAt : before.createdAt,
    lastAt: before === undefined || createdAt > before.lastAt ? createdAt : before.lastAt,
  });
}

function note(
  known: Map<string, KnownSecret>,
  key: string,
  versions: readonly number[] | undefined,
  { how, createdAt, lastAt = createdAt }: Sight & { lastAt?: string },
): void {
  if (versions !== undefined) remember(known, key, { versions, firstAt: createdAt, lastAt, how: [how] });
}

/** The versions that a sight showed; undefined if the key had no value. Pure. */
export function seenVersions(history: readonly KeyVersion[], sight: Sight): readonly number[] | undefined {
  if (sight.versions !== undefined) return sight.versions.length === 0 ? undefined : sight.versions;
  if (sight.history === true) {
    const seen = history.filter(({ revision, hasValue }) => hasValue && revision <= sight.revision);
    return seen.length === 0 ? undefined : seen.map(({ version }) => version);
  }
  const seen = versionAt(history, sight.revision);
  return seen === undefined ? undefined : [seen.version];
}

/** Every version that existed in the period may have been seen. */
function noteUnrecorded(
  known: Map<string, KnownSecret>,
  key: string,
  history: readonly KeyVersion[],
  { from, to }: Period,
): void {
  for (const [index, { version, createdAt = from, hasValue }] of history.entries()) {
    const replacedAt = history[index + 1]?.createdAt;
    const end = replacedAt === undefined ? to : new Date(Date.parse(replacedAt) + longestWriteMs).toISOString();
    if (!hasValue || createdAt >= to || end < from) continue;
    const firstAt = createdAt > from ? createdAt : from;
    remember(known, key, { versions: [version], firstAt, lastAt: end < to ? end : to, how: [] });
  }
}

interface Noted extends Pick<KnownSecret, 'firstAt' | 'lastAt'> {
  versions: readonly number[];
  how: readonly Way[];
}

function remember(known: Map<string, KnownSecret>, key: string, { versions, firstAt, lastAt, how }: Noted): void {
  const one = known.get(key) ?? { versions: new Set<number>(), firstAt, lastAt, how: new Set<Way>() };
  for (const version of versions) if (version !== unknownVersion) one.versions.add(version);
  for (const way of how) one.how.add(way);
  if (firstAt < one.firstAt) one.firstAt = firstAt;
  if (lastAt > one.lastAt) one.lastAt = lastAt;
  known.set(key, one);
}

/** Whether the current value is one of the known ones, even if it was changed and restored since. Pure. */
export function isCurrent(history: readonly KeyVersion[], versions: ReadonlySet<number>): boolean {
  const now = history.at(-1);
  if (now?.hasValue !== true) return false;
  const origins = originsOf(history);
  const origin = origins.get(now.version);
  return [...versions].some(version => origins.get(version) === origin);
}

/** What became known of a secret, as an answer says it. @param ways in the order of the answer Pure. */
export function toExposure(key: string, { versions, firstAt, lastAt, how }: KnownSecret, ways: readonly Way[]) {
  return {
    key,
    versions: [...versions].toSorted((a, b) => a - b),
    firstAt,
    lastAt,
    how: ways.filter(way => how.has(way)),
  } satisfies Partial<Exposure>;
}
