import type { MemberContext } from '../access/request-context.ts';
import { knownSince } from '../audit/known-since.ts';
import { type CredentialExposure, type Exposure, exposureWays } from '../contracts/audit/get-exposure.ts';
import { type AuditAction, readingActions } from '../contracts/fields/audit-action.ts';
import { type AuditRecord, auditRecord } from '../table/records/audit-entry.ts';
import { addUp, isCurrent, toExposure } from './add-up.ts';
import { type Cursor, readCursor, writeCursor } from './cursor.ts';
import { historyOfEntries, type KeyHistory, readKeyHistory } from './key-history.ts';
import { erasedPlace, type Place, readPlaces } from './places.ts';
import { earlier, type Period, type RawEntry, type ScanBudget, scanEntries, timeOf } from './scan-entries.ts';
import { exposingActions, type Sight, sightsOf } from './sights.ts';
import { findSubject, type KnownSubject, madeBy, type Subject } from './subject.ts';

/*
 * What a credential saw follows from its audit entries and the recorded revisions: an entry of a whole pull names the
 * revision, and the revisions say which version each key had then. So a pull writes nothing for it.
 *
 * A request reads a limited number of entries, oldest first, and answers for the period that they cover; the next one
 * continues there. If the answer for a period is too long, the next request reads the period again and continues after
 * the last secret.
 */

interface Question {
  subject: Subject;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
}

/** Pages of up to 1 MB; a request must answer before API Gateway's 30 s. */
const budgetOf = (nowMs: number): ScanBudget => ({ pages: 80, endsAt: nowMs + 12_000 });
const longestAnswerMs = 20_000;

/** Lambda limits a response to 6 MB, and a large response is sent as base64. */
const maximumAnswerBytes = 3_500_000;

/** Entries that say when a token was made. */
const issuing: readonly AuditAction[] = ['token.created', 'identity.token_issued'];

/** Secrets that a subject came to know. @throws invalid_request for a cursor that is none */
export async function credentialExposure(context: MemberContext, question: Question): Promise<CredentialExposure> {
  const { organization } = context;
  const nowMs = Date.now();
  const { subject, since = organization.createdAt, until, after } = question;
  const begun: Cursor = after === undefined ? { from: since } : readCursor(after);
  const wanted: Period = { from: begun.from, to: begun.to ?? until ?? new Date(nowMs + 1).toISOString() };
  const [completeSince, places, found] = await Promise.all([
    knownSince(organization, nowMs).then(ms => new Date(ms).toISOString()),
    readPlaces(organization.slug),
    findEntries(organization.id, subject, wanted, budgetOf(nowMs)),
  ]);
  const known = await existence(context, subject, found);
  const { entries, unsure } = entriesOf(found, known);
  const period = { from: wanted.from, to: found.readTo ?? wanted.to };
  const start = [timeOf(period.from), known?.createdAt ?? '', organization.createdAt].toSorted().at(-1) ?? '';
  const lost = start < completeSince ? { from: start, to: earlier(completeSince, timeOf(period.to)) } : undefined;
  const unrecorded = lost !== undefined && lost.from < lost.to ? lost : undefined;

  const perEnvironment = sightsByEnvironment(entries, places, unrecorded === undefined ? undefined : known);
  const doubts = [...unsure, ...perEnvironment.doubtful].map(({ createdAt }) => createdAt).toSorted();
  const before = [...doubts.slice(-1), ...(unrecorded === undefined ? [] : [unrecorded.to])].toSorted().at(-1);
  const answer = await answerFor(context, perEnvironment.seen, {
    begun,
    period,
    unrecorded,
    isWhole: completeSince <= organization.createdAt,
    endsAt: nowMs + longestAnswerMs,
  });
  const incomplete: CredentialExposure['incomplete'] = [
    ...(before === undefined ? [] : [{ reason: 'retention' as const, before }]),
    ...answer.erased.map(environment => ({ reason: 'environment_erased' as const, environment })),
  ];
  const rest = found.readTo ?? begun.to;
  const next = answer.next ?? (rest === undefined ? undefined : { from: rest });
  return {
    subject: { ...subject, name: nameIn(entries) },
    knownSince: completeSince,
    complete: incomplete.length === 0,
    ...(incomplete.length === 0 ? {} : { incomplete }),
    ...(next === undefined ? {} : { next: writeCursor(next) }),
    exposures: answer.exposures.toSorted((a, b) => Number(b.current) - Number(a.current)),
  };
}

interface FoundEntries {
  sure: RawEntry[];
  /** They may be the session's: their entries do not name one. */
  maybe: RawEntry[];
  /** Entries that say when the token was made. */
  issued: RawEntry[];
  readTo: string | undefined;
}

async function findEntries(
  organizationId: string,
  subject: Subject,
  period: Period,
  budget: ScanBudget,
): Promise<FoundEntries> {
  const isToken = subject.type === 'token';
  const actions = [...exposingActions, ...(isToken ? issuing : [])];
  const isIssue = ({ action, target, actor }: RawEntry) =>
    (target as AuditRecord['target']).id === subject.id ||
    (action === 'identity.token_issued' && (actor as AuditRecord['actor']).tokenId === subject.id);
  const keep = (entry: RawEntry) => (issuing.includes(entry.action) ? isIssue(entry) : madeBy(subject, entry) !== 'no');
  const { entries, readTo } = await scanEntries(organizationId, { actions, period, keep }, budget);
  const made = entries.filter(({ action }) => !issuing.includes(action));
  return {
    sure: made.filter(entry => madeBy(subject, entry) === 'yes'),
    maybe: made.filter(entry => madeBy(subject, entry) === 'maybe'),
    issued: entries.filter(({ action }) => issuing.includes(action)),
    readTo,
  };
}

/** Since when the subject can have read anything, and where. */
async function existence(
  { organization }: MemberContext,
  subject: Subject,
  { sure, issued }: FoundEntries,
): Promise<KnownSubject | undefined> {
  const actors = sure.map(({ actor }) => (actor as AuditRecord['actor']).id);
  const found = await findSubject(subject, organization.slug, [...new Set(actors.flatMap(id => id ?? []))]);
  const [first] = issued;
  return found ?? (first === undefined ? undefined : { createdAt: first.createdAt });
}

/** Those of the subject, oldest first. Entries that do not name a session may be any session's of its user. */
function entriesOf({ sure, maybe }: FoundEntries, known: KnownSubject | undefined) {
  const owners = new Set([...sure.map(({ actor }) => (actor as AuditRecord['actor']).id), known?.ownerId]);
  const ofOwner = maybe.filter(({ actor, createdAt }) => {
    const isOwners = owners.has((actor as AuditRecord['actor']).id ?? undefined);
    return (isOwners || (sure.length === 0 && known === undefined)) && createdAt >= (known?.createdAt ?? '');
  });
  const entries = [...sure, ...ofOwner].map(entry => auditRecord.parse(entry));
  return { entries: entries.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1)), unsure: ofOwner };
}

interface SeenPlace {
  place: Place;
  sights: Sight[];
}

/**
 * What the entries say, by environment. With `everywhere`, the environments that it could read are included, because
 * entries of them may be lost.
 */
function sightsByEnvironment(
  entries: readonly AuditRecord[],
  places: ReadonlyMap<string, Place>,
  everywhere: KnownSubject | undefined | Partial<KnownSubject>,
) {
  const seen = new Map<string, SeenPlace>();
  const doubtful: AuditRecord[] = [];
  for (const entry of entries) {
    const place = places.get(entry.environment?.id ?? '') ?? erasedPlace(entry);
    if (place === undefined) continue;
    const { sights, isExact } = sightsOf(entry);
    if (sights.length === 0) continue;
    if (!isExact) doubtful.push(entry);
    const known = seen.get(place.environment.id) ?? { place, sights: [] };
    known.sights.push(...sights);
    seen.set(place.environment.id, known);
  }
  return { seen: everywhere === undefined ? seen : withAll(seen, places, everywhere), doubtful };
}

function withAll(
  seen: Map<string, SeenPlace>,
  places: ReadonlyMap<string, Place>,
  { projectId, environmentId }: Partial<KnownSubject>,
): Map<string, SeenPlace> {
  for (const [id, place] of places) {
    const isInScope = (projectId ?? place.project.id) === place.project.id && (environmentId ?? id) === id;
    if (isInScope && !seen.has(id)) seen.set(id, { place, sights: [] });
  }
  return seen;
}

interface Answering {
  begun: Cursor;
  period: Period;
  unrecorded: Period | undefined;
  /** Whether the log has everything since the organization began. */
  isWhole: boolean;
  endsAt: number;
}

/** The exposures of the environments, in the order of their ids, up to what fits in a response. */
async function answerFor(
  context: MemberContext,
  seen: ReadonlyMap<string, SeenPlace>,
  answering: Answering,
): Promise<{ exposures: Exposure[]; erased: string[]; next: Cursor | undefined }> {
  const { begun, period, endsAt } = answering;
  const exposures: Exposure[] = [];
  const erased: string[] = [];
  let bytes = 0;
  for (const [id, place] of [...seen].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (begun.environment !== undefined && id < begun.environment) continue;
    const known = await exposuresIn(context, place, answering);
    if (known.isErased) erased.push(id);
    for (const exposure of known.exposures) {
      const { key } = exposure;
      if (id === begun.environment && key <= (begun.key ?? '')) continue;
      exposures.push(exposure);
      bytes += JSON.stringify(exposure).length;
      if (bytes > maximumAnswerBytes) return { exposures, erased, next: { ...period, environment: id, key } };
    }
    // No character of a key sorts after a tilde.
    if (Date.now() > endsAt) return { exposures, erased, next: { ...period, environment: id, key: '~' } };
  }
  return { exposures, erased, next: undefined };
}

/** In key order. An erased environment of which nothing can have been seen leaves no doubt. */
async function exposuresIn(
  context: MemberContext,
  { place, sights }: SeenPlace,
  { unrecorded, isWhole }: Answering,
): Promise<{ exposures: Exposure[]; isErased: boolean }> {
  const read = await historyFor(context, place, sights, unrecorded);
  const { history, isExact } =
    read === undefined ? await erasedHistory(context, place.environment.id, isWhole) : { history: read, isExact: true };
  const known = [...addUp(history, sights, read === undefined ? undefined : unrecorded)];
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
  const from = isPast ? 0 : Math.min(...sights.map(({ revision }) => revision));
  return readKeyHistory(log, path, environment.id, from);
}

/** The entries of every change of an environment, which still say what was in it. */
async function erasedHistory(
  { organization }: MemberContext,
  environmentId: string,
  isWhole: boolean,
): Promise<{ history: KeyHistory; isExact: boolean }> {
  const actions = [...exposingActions, 'secret.deleted', 'secret.bulk_delete'] as const;
  const changing = actions.filter(action => !readingActions.some(reading => reading === action));
  const period = { from: organization.createdAt, to: new Date(Date.now() + 1).toISOString() };
  const keep = ({ environment }: RawEntry) => (environment as { id: string } | undefined)?.id === environmentId;
  const { entries, readTo } = await scanEntries(
    organization.id,
    { actions: changing, period, keep },
    budgetOf(Date.now()),
  );
  const records = entries
    .map(entry => auditRecord.parse(entry))
    .toSorted((a, b) => (a.revision ?? 0) - (b.revision ?? 0));
  const isAll = readTo === undefined && records.every(({ keysOmitted }) => keysOmitted === undefined);
  const isExact = isWhole && isAll;
  return { history: historyOfEntries(records, isExact), isExact };
}

function nameIn(entries: readonly AuditRecord[]): string | null {
  const actor = entries.at(-1)?.actor;
  return actor?.email ?? actor?.name ?? null;
}
