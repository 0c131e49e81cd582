import { longestWriteMs } from '../access/audit-write.ts';
import type { MemberContext } from '../access/request-context.ts';
import { type Exposure, exposureWays } from '../contracts/audit/get-exposure.ts';
import { addUp, isCurrent, toExposure } from './add-up.ts';
import type { Cursor } from './cursor.ts';
import { type ErasedHistory, readErasedHistories } from './erased-history.ts';
import { type KeyHistory, readKeyHistory } from './key-history.ts';
import type { Place } from './places.ts';
import type { Period, ScanBudget } from './scan-entries.ts';
import type { Sight } from './sights.ts';

/** Lambda limits a response to 6 MB, and a large response is sent as base64. */
const maximumAnswerBytes = 3_500_000;

/** An environment, and what was seen there. */
export interface SeenPlace {
  place: Place;
  sights: Sight[];
}

interface Answering {
  begun: Cursor;
  period: Period;
  unrecorded: Period | undefined;
  erasedHistory: (place: Place) => Promise<ErasedHistory>;
  endsAt: number;
}

/** The exposures of the environments, in the order of their ids, up to what fits in a response. */
export async function answerFor(
  context: MemberContext,
  seen: ReadonlyMap<string, SeenPlace>,
  answering: Answering,
): Promise<{ exposures: Exposure[]; erased: string[]; next: Cursor | undefined }> {
  const { begun, period, endsAt } = answering;
  const exposures: Exposure[] = [];
  const erased: string[] = [];
  let bytes = 0;
  for (const [id, place] of [...seen].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (isAnswered(begun, id)) continue;
    const known = await exposuresIn(context, place, answering);
    if (known.isErased) erased.push(id);
    for (const exposure of known.exposures) {
      const { key } = exposure;
      if (id === begun.environment && key <= (begun.key ?? '')) continue;
      exposures.push(exposure);
      bytes += JSON.stringify(exposure).length;
      if (bytes > maximumAnswerBytes) return { exposures, erased, next: { ...period, environment: id, key } };
    }
    if (Date.now() > endsAt) return { exposures, erased, next: { ...period, environment: id, key: afterAllKeys } };
  }
  return { exposures, erased, next: undefined };
}

/** No character of a key sorts after a tilde. */
const afterAllKeys = '~';

/** Whether earlier pages have all of the environment, so that this one need not read it again. Pure. */
function isAnswered({ environment, key }: Cursor, id: string): boolean {
  return environment !== undefined && (id < environment || (id === environment && key === afterAllKeys));
}

/** In key order. An erased environment of which nothing can have been seen leaves no doubt. */
async function exposuresIn(
  context: MemberContext,
  { place, sights }: SeenPlace,
  { unrecorded, erasedHistory }: Answering,
): Promise<{ exposures: Exposure[]; isErased: boolean }> {
  const read = await historyFor(context, place, sights, unrecorded);
  const found = read === undefined ? await erasedHistory(place) : { history: read, isExact: true };
  const { history, isExact } = found;
  const known = [...addUp(found, sights, read === undefined ? undefined : unrecorded)];
  const { project, environment } = place;
  const shown = read === undefined ? { ...environment, type: null } : environment;
  const exposures = known
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, secret]) => {
      const current = read !== undefined && isCurrent(history.get(key) ?? [], secret.versions);
      return { project, environment: shown, ...toExposure(key, secret, exposureWays), current };
    });
  return { exposures, isErased: read === undefined && (exposures.length > 0 || !isExact) };
}

/** Reads those of all erased environments together, and again only if one was erased in the meantime. */
export async function erasedHistories(
  context: MemberContext,
  seen: ReadonlyMap<string, SeenPlace>,
  { begun, completeSince, budget }: { begun: Cursor; completeSince: string; budget: () => ScanBudget },
): Promise<(place: Place) => Promise<ErasedHistory>> {
  const erased = [...seen.values()].filter(({ place: { path, environment } }) => {
    return path === undefined && !isAnswered(begun, environment.id);
  });
  const readThese = (some: readonly SeenPlace[]) => {
    const lastMs = some
      .flatMap(({ sights }) => sights.map(({ createdAt }) => Date.parse(createdAt)))
      .reduce((last, ms) => Math.max(last, ms), 0);
    const until = new Date(Math.min(lastMs + longestWriteMs, Date.now() + 1)).toISOString();
    const places = some.map(({ place }) => place);
    return readErasedHistories(context, { places, until, completeSince }, budget());
  };
  const histories = await readThese(erased);
  return async place => {
    const { id } = place.environment;
    const found = histories.get(id) ?? (await readThese([{ place, sights: seen.get(id)?.sights ?? [] }])).get(id);
    return found ?? { history: new Map(), isExact: false };
  };
}

/** As far back as the sights need it; undefined for an erased environment. */
async function historyFor(
  { log }: MemberContext,
  { path, environment }: Place,
  sights: readonly Sight[],
  unrecorded: Period | undefined,
): Promise<KeyHistory | undefined> {
  if (path === undefined) return undefined;
  // The versions that a history shows may be older than its revision.
  const isPast = unrecorded !== undefined || sights.some(({ how }) => how === 'history');
  const from = isPast ? 0 : sights.reduce((first, { revision }) => Math.min(first, revision), Number.MAX_SAFE_INTEGER);
  return readKeyHistory(log, path, environment.id, from);
}
