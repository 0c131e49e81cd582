import type { MemberContext } from '../access/request-context.ts';
import { knownSince } from '../audit/known-since.ts';
import type { CredentialExposure } from '../contracts/audit/get-exposure.ts';
import type { AuditAction } from '../contracts/fields/audit-action.ts';
import { asLongQuestion } from '../limits/long-questions.ts';
import { type AuditRecord, auditRecord } from '../table/records/audit-entry.ts';
import { type Cursor, readCursor, writeCursor } from './cursor.ts';
import { answerFor, erasedHistories, type SeenPlace } from './exposed-secrets.ts';
import { erasedPlace, type Place, readPlaces } from './places.ts';
import {
  earlier,
  type Period,
  type RawEntry,
  readPartitions,
  type Scan,
  type ScanBudget,
  scanEntries,
  timeOf,
} from './scan-entries.ts';
import { exposingActions, sightsOf } from './sights.ts';
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

/** Of up to 1 MB. */
const pagesPerScan = 80;
/** A request must answer before API Gateway's 30 s. */
const longestReadingMs = 12_000;
const longestAnswerMs = 20_000;

/** Entries that say when a token was made. */
const issuing: readonly AuditAction[] = ['token.created', 'identity.token_issued'];

/** Secrets that a subject came to know. @throws invalid_request for an invalid cursor; rate_limited */
export function credentialExposure(context: MemberContext, question: Question): Promise<CredentialExposure> {
  return asLongQuestion(context, admitted => findExposure(context, question, admitted));
}

async function findExposure(
  context: MemberContext,
  question: Question,
  admitted: Promise<unknown>,
): Promise<CredentialExposure> {
  const { organization } = context;
  const nowMs = Date.now();
  const { subject, since = organization.createdAt, until, after } = question;
  const begun: Cursor = after === undefined ? { from: since } : readCursor(after);
  const wanted: Period = { from: begun.from, to: begun.to ?? until ?? new Date(nowMs + 1).toISOString() };
  const budget: ScanBudget = { pages: pagesPerScan, endsAt: nowMs + longestReadingMs };
  const [completeSince, places, partitions] = await Promise.all([
    knownSince(organization, nowMs).then(ms => new Date(ms).toISOString()),
    readPlaces(organization.slug),
    readPartitions(organization.id, exposingActions),
    admitted,
  ]);
  const found = await findEntries(organization.id, subject, { period: wanted, partitions }, budget);
  const known = await existence(context, subject, found, {
    isAllKnown: timeOf(wanted.from) >= completeSince || completeSince <= organization.createdAt,
    endsAt: nowMs + longestAnswerMs,
  });
  const { entries, unsure } = entriesOf(found, known);
  const period = { from: wanted.from, to: found.readTo ?? wanted.to };
  const start = [timeOf(period.from), known?.createdAt ?? '', organization.createdAt].toSorted().at(-1) ?? '';
  const lost = start < completeSince ? { from: start, to: earlier(completeSince, timeOf(period.to)) } : undefined;
  const unrecorded = lost !== undefined && lost.from < lost.to ? lost : undefined;

  const perEnvironment = sightsByEnvironment(entries, places, unrecorded && (known ?? {}));
  const doubts = [...unsure, ...perEnvironment.doubtful].map(({ createdAt }) => createdAt).toSorted();
  const before = [...doubts.slice(-1), ...(unrecorded === undefined ? [] : [unrecorded.to])].toSorted().at(-1);
  const answer = await answerFor(context, perEnvironment.seen, {
    begun,
    period,
    unrecorded,
    erasedHistory: await erasedHistories(context, perEnvironment.seen, {
      begun,
      completeSince,
      budget: () => ({ pages: pagesPerScan, endsAt: nowMs + longestAnswerMs }),
    }),
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
  where: Required<Pick<Scan, 'period' | 'partitions'>>,
  budget: ScanBudget,
): Promise<FoundEntries> {
  const isToken = subject.type === 'token';
  const actions = [...exposingActions, ...(isToken ? issuing : [])];
  const isIssue = ({ action, target, actor }: RawEntry) =>
    (target as AuditRecord['target']).id === subject.id ||
    (action === 'identity.token_issued' && (actor as AuditRecord['actor']).tokenId === subject.id);
  const keep = (entry: RawEntry) => (issuing.includes(entry.action) ? isIssue(entry) : madeBy(subject, entry) !== 'no');
  const { entries, readTo } = await scanEntries(organizationId, { ...where, actions, keep }, budget);
  const made = entries.filter(({ action }) => !issuing.includes(action));
  return {
    sure: made.filter(entry => madeBy(subject, entry) === 'yes'),
    maybe: made.filter(entry => madeBy(subject, entry) === 'maybe'),
    issued: entries.filter(({ action }) => issuing.includes(action)),
    readTo,
  };
}

/**
 * Since when the subject can have read anything, and where. That matters only if entries are lost, or may be of another
 * session.
 */
async function existence(
  { organization }: MemberContext,
  subject: Subject,
  { sure, maybe, issued }: FoundEntries,
  { isAllKnown, endsAt }: { isAllKnown: boolean; endsAt: number },
): Promise<KnownSubject | undefined> {
  const [first] = issued;
  if (isAllKnown && maybe.length === 0) return undefined;
  const actors = [...sure, ...issued].map(({ actor }) => (actor as AuditRecord['actor']).id);
  const owners = [...new Set(actors.flatMap(id => id ?? []))];
  const found = await findSubject(subject, organization, owners, endsAt);
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

/**
 * What the entries say, by environment. With `everywhere`, the environments that it could read are included, because
 * entries of them may be lost.
 */
function sightsByEnvironment(
  entries: readonly AuditRecord[],
  places: ReadonlyMap<string, Place>,
  everywhere: Partial<KnownSubject> | undefined,
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

function nameIn(entries: readonly AuditRecord[]): string | null {
  const actor = entries.at(-1)?.actor;
  return actor?.email ?? actor?.name ?? null;
}
