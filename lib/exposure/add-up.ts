import type { Period } from '../audit/scan.ts';
import { longestWriteMs } from '../audit/write.ts';
import { type KeyHistory, type KeyVersion, originsOf, versionAt } from './key-history.ts';
import type { Sight, Way } from './sights.ts';

/** A version whose number the log no longer contains. */
const unknownVersion = 0;

interface ExposedSecret {
  versions: Set<number>;
  firstAt: string;
  lastAt: string;
  how: Set<Way>;
  grants: Set<string>;
}

/**
 * The exposed secrets of an environment, by key. If the history is not exact, every key that it or a sight names may
 * have had a value at any time. Pure.
 */
export function addUp(
  { history, isExact }: { history: KeyHistory; isExact: boolean },
  sights: readonly Sight[],
  unrecorded: Period | undefined,
): Map<string, ExposedSecret> {
  const exposed = new Map<string, ExposedSecret>();
  const add = (key: string, sight: Sight, lastAt = sight.createdAt) => {
    const versions = seenVersions(history.get(key) ?? [], sight) ?? (isExact ? undefined : [unknownVersion]);
    const { createdAt: firstAt, how, grants = [] } = sight;
    if (versions !== undefined) include(exposed, key, { versions, firstAt, lastAt, how: [how], grants });
  };
  for (const sight of sights) if (sight.keys !== 'all') for (const key of sight.keys) add(key, sight);
  const ofAllKeys = joined(sights.filter(({ keys }) => keys === 'all'));
  for (const [key, versions] of history) {
    for (const sight of ofAllKeys) add(key, sight, sight.lastAt);
    if (unrecorded !== undefined) includeUnrecorded(exposed, key, versions, unrecorded);
  }
  return exposed;
}

/** Thousands of pulls of the same revision count as one. Pure. */
function joined(sights: readonly Sight[]): (Sight & { lastAt: string })[] {
  const groups = Map.groupBy(sights, ({ how, revision, fromRevision, proposal, versions = [], grants = [] }) =>
    [how, fromRevision, revision, proposal, ...versions, ...grants].join(' '),
  );
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    const times = group.map(({ createdAt }) => createdAt).toSorted();
    return first === undefined ? [] : [{ ...first, createdAt: times.at(0) ?? '', lastAt: times.at(-1) ?? '' }];
  });
}

/** The versions of a key that a sight exposed; undefined if the key had no value. Pure. */
export function seenVersions(history: readonly KeyVersion[], sight: Sight): readonly number[] | undefined {
  if (sight.versions !== undefined) return sight.versions.length === 0 ? undefined : sight.versions;
  const { revision, fromRevision, proposal } = sight;
  if (proposal !== undefined) {
    const applied = history.find(one => one.proposal === proposal && one.hasValue);
    return applied === undefined ? undefined : [applied.version];
  }
  if (fromRevision !== undefined) {
    const seen = history.filter(one => one.hasValue && one.revision >= fromRevision && one.revision <= revision);
    return seen.length === 0 ? undefined : seen.map(({ version }) => version);
  }
  const version = versionAt(history, revision);
  return version === undefined ? undefined : [version.version];
}

/** Every version that existed in the period may have been seen. */
function includeUnrecorded(
  exposed: Map<string, ExposedSecret>,
  key: string,
  history: readonly KeyVersion[],
  { from, to }: Period,
): void {
  for (const [index, { version, createdAt = from, hasValue }] of history.entries()) {
    const replacedAt = history[index + 1]?.createdAt;
    const end = replacedAt === undefined ? to : new Date(Date.parse(replacedAt) + longestWriteMs).toISOString();
    if (!hasValue || createdAt >= to || end < from) continue;
    const firstAt = createdAt > from ? createdAt : from;
    include(exposed, key, { versions: [version], firstAt, lastAt: end < to ? end : to, how: [], grants: [] });
  }
}

interface Sighting extends Pick<ExposedSecret, 'firstAt' | 'lastAt'> {
  versions: readonly number[];
  how: readonly Way[];
  grants: readonly string[];
}

function include(exposed: Map<string, ExposedSecret>, key: string, sighting: Sighting): void {
  const { versions, firstAt, lastAt, how, grants } = sighting;
  const empty = { versions: new Set<number>(), firstAt, lastAt, how: new Set<Way>(), grants: new Set<string>() };
  const secret = exposed.get(key) ?? empty;
  for (const version of versions) if (version !== unknownVersion) secret.versions.add(version);
  for (const way of how) secret.how.add(way);
  for (const id of grants) secret.grants.add(id);
  if (firstAt < secret.firstAt) secret.firstAt = firstAt;
  if (lastAt > secret.lastAt) secret.lastAt = lastAt;
  exposed.set(key, secret);
}

/** Whether the current value equals that of one of the versions, even if it was changed and restored since. Pure. */
export function isCurrent(history: readonly KeyVersion[], versions: ReadonlySet<number>): boolean {
  const current = history.at(-1);
  if (current?.hasValue !== true) return false;
  const origins = originsOf(history);
  return [...versions].some(version => origins.get(version) === origins.get(current.version));
}
