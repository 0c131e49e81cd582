import type { MemberContext } from '../access/request-context.ts';
import type { Cursor } from '../audit/cursor.ts';
import { maximumAnswerBytes } from '../audit/entry-view.ts';
import type { Period } from '../audit/scan.ts';
import { type Exposure, exposureWays } from '../contracts/audit/exposure.ts';
import { addUp, isCurrent } from './add-up.ts';
import { type ErasedHistory, readErasedHistories } from './erased-history.ts';
import { type KeyHistory, readKeyHistory } from './key-history.ts';
import type { SeenPlace } from './sights.ts';

interface Asked {
  cursor: Cursor;
  period: Period;
  /** A part of the period whose entries may be lost. */
  unrecorded: Period | undefined;
  /** Since when the log has every entry. */
  completeSince: string;
  /** In epoch milliseconds. */
  answerBy: number;
}

/** No character of a key sorts after a tilde. */
const afterAllKeys = '~';

/** Pages of up to 1 MB. */
export const pagesPerScan = 80;

/**
 * The exposed secrets of the environments, ordered by the environments' ids, up to what fits in a response.
 * @returns also the ids of erased environments whose secrets may be inexact
 */
export async function exposedSecrets(context: MemberContext, seen: ReadonlyMap<string, SeenPlace>, asked: Asked) {
  const { cursor, period, answerBy } = asked;
  // Earlier pages have all secrets of the other environments.
  const open = [...seen]
    .filter(([id]) => cursor.environment === undefined || id >= cursor.environment)
    .filter(([id]) => id !== cursor.environment || cursor.key !== afterAllKeys)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const readErased = (places: readonly SeenPlace[]) => {
    const budget = { pages: pagesPerScan, endsAt: answerBy };
    return readErasedHistories(context.organization, places, asked.completeSince, budget);
  };
  const erasedPlaces = open.map(([, seenPlace]) => seenPlace).filter(({ place }) => place.path === undefined);
  const histories = await readErased(erasedPlaces);
  const exposures: Exposure[] = [];
  const erased: string[] = [];
  let bytes = 0;
  for (const [id, seenPlace] of open) {
    const history = await readHistory(context, seenPlace, asked.unrecorded);
    // The environment may have been erased in the meantime.
    const lost = history === undefined ? (histories.get(id) ?? (await readErased([seenPlace])).get(id)) : undefined;
    const secrets = exposuresIn(seenPlace, history, lost, asked.unrecorded);
    if (history === undefined && (secrets.length > 0 || lost?.isExact !== true)) erased.push(id);
    for (const exposure of secrets) {
      const { key } = exposure;
      if (id === cursor.environment && key <= (cursor.key ?? '')) continue;
      exposures.push(exposure);
      bytes += JSON.stringify(exposure).length;
      if (bytes > maximumAnswerBytes) return { exposures, erased, next: { ...period, environment: id, key } };
    }
    if (Date.now() > answerBy) return { exposures, erased, next: { ...period, environment: id, key: afterAllKeys } };
  }
  return { exposures, erased, next: undefined };
}

/** In key order. Pure. */
function exposuresIn(
  { place: { project, environment }, sights }: SeenPlace,
  history: KeyHistory | undefined,
  lost: ErasedHistory = { history: new Map(), isExact: false },
  unrecorded: Period | undefined,
): Exposure[] {
  const isErased = history === undefined;
  const exposed = isErased ? addUp(lost, sights, undefined) : addUp({ history, isExact: true }, sights, unrecorded);
  return [...exposed]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { versions, firstAt, lastAt, how, grants }]) => ({
      project,
      environment: isErased ? { ...environment, type: null } : environment,
      key,
      versions: [...versions].toSorted((a, b) => a - b),
      firstAt,
      lastAt,
      how: exposureWays.filter(way => how.has(way)),
      grants: [...grants],
      current: isCurrent(history?.get(key) ?? [], versions),
    }));
}

/** Undefined for an erased environment. */
async function readHistory(
  { log }: MemberContext,
  { place: { path, environment }, sights }: SeenPlace,
  unrecorded: Period | undefined,
): Promise<KeyHistory | undefined> {
  if (path === undefined) return undefined;
  // The versions of a history may be older than its revision.
  const isWhole = unrecorded !== undefined || sights.some(({ how }) => how === 'history');
  // The history is read from the revision after `from` on.
  const firsts = sights.map(({ revision, fromRevision }) => (fromRevision === undefined ? revision : fromRevision - 1));
  const from = isWhole ? 0 : firsts.reduce((first, revision) => Math.min(first, revision), Number.MAX_SAFE_INTEGER);
  return readKeyHistory(log, path, environment.id, from);
}
