import type { MemberContext } from '../access/request-context.ts';
import { coversEnvironment, coversProject } from '../access/token-scope.ts';
import { type Cursor, readCursor, writeCursor } from '../audit/cursor.ts';
import { type Place, readPlaces } from '../audit/places.ts';
import { completeSince } from '../audit/retention.ts';
import { earlier, later, type Period, readPartitions, type StoredEntry, scanEntries, timeOf } from '../audit/scan.ts';
import type { CredentialExposure } from '../contracts/audit/exposure.ts';
import type { AuditAction } from '../contracts/fields/audit-action.ts';
import { asLongQuestion, type LongQuestion, type ReadBudget, readBudget } from '../limits/long-questions.ts';
import { type AuditRecord, auditRecord } from '../table/records/audit.ts';
import { exposedSecrets, pagesPerScan } from './exposed-secrets.ts';
import { exposingActions, type SeenPlace, sightsByEnvironment } from './sights.ts';
import { findSubject, isMadeBy, type StoredSubject, type Subject } from './subject.ts';

/*
 * Audit entries and recorded revisions show what a credential saw: the entry of a whole pull names the revision, and
 * the revisions say which version each key had then.
 *
 * A request reads a limited number of entries, oldest first, and answers for the period that they cover; the next one
 * continues there. If a period has more secrets than fit in a response, the next request reads the period again and
 * continues after the last secret.
 */

interface Question {
  subject: Subject;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
}

const issuingActions: readonly AuditAction[] = ['token.created', 'identity.token_issued'];

/** The secrets that a subject saw or sent. @throws invalid_request for an invalid cursor; rate_limited */
export function credentialExposure(context: MemberContext, question: Question): Promise<CredentialExposure> {
  return asLongQuestion(context, admission => findExposure(context, question, admission));
}

async function findExposure(
  context: MemberContext,
  { subject, since, until, after }: Question,
  { admitted, answerBy }: LongQuestion,
): Promise<CredentialExposure> {
  const { organization } = context;
  const nowMs = Date.now();
  const cursor: Cursor = after === undefined ? { from: since ?? organization.createdAt } : readCursor(after);
  const asked: Period = { from: cursor.from, to: cursor.to ?? until ?? new Date(nowMs + 1).toISOString() };
  const budget = readBudget(pagesPerScan);
  const [complete, places, partitions] = await Promise.all([
    completeSince(organization, nowMs),
    readPlaces(organization.slug),
    readPartitions(organization.id, exposingActions),
    admitted,
  ]);
  const recorded = await findEntries(organization.id, subject, { period: asked, partitions }, budget);
  const period = { from: asked.from, to: recorded.readTo ?? asked.to };
  const start = later(timeOf(period.from), organization.createdAt);
  const stored = start < complete ? await storedSubject(context, subject, recorded, answerBy) : undefined;
  const lost = { from: later(start, stored?.createdAt ?? ''), to: earlier(complete, timeOf(period.to)) };
  const unrecorded = lost.from < lost.to ? lost : undefined;

  const { seen, inexact } = seenPlaces(recorded.entries, places);
  if (unrecorded !== undefined) addReadable(seen, places, stored);
  const answer = await exposedSecrets(context, seen, { cursor, period, unrecorded, completeSince: complete, answerBy });
  const doubts = [...inexact.map(({ createdAt }) => createdAt), ...(unrecorded === undefined ? [] : [unrecorded.to])];
  const incomplete: CredentialExposure['incomplete'] = [
    ...(doubts.length === 0 ? [] : [{ reason: 'retention' as const, before: doubts.reduce(later) }]),
    ...answer.erased.map(environment => ({ reason: 'environment_erased' as const, environment })),
  ];
  const rest = recorded.readTo ?? cursor.to;
  const next = answer.next ?? (rest === undefined ? undefined : { from: rest });
  const actor = recorded.entries.at(-1)?.actor;
  return {
    subject: { ...subject, name: actor?.email ?? actor?.name ?? null },
    knownSince: complete,
    complete: incomplete.length === 0,
    incomplete: incomplete.length === 0 ? undefined : incomplete,
    next: next && writeCursor(next),
    exposures: answer.exposures.toSorted((a, b) => Number(b.current) - Number(a.current)),
  };
}

/** The entries of the subject and, for a token, of its issue; oldest first. */
async function findEntries(
  organizationId: string,
  subject: Subject,
  where: { period: Period; partitions: number },
  budget: ReadBudget,
) {
  const actions = [...exposingActions, ...(subject.type === 'token' ? issuingActions : [])];
  const isIssue = ({ action }: StoredEntry) => issuingActions.includes(action);
  const keep = (entry: StoredEntry) => {
    if (!isIssue(entry)) return isMadeBy(subject, entry);
    const { action, target, actor } = entry;
    return target.id === subject.id || (action === 'identity.token_issued' && actor.tokenId === subject.id);
  };
  const { entries, readTo } = await scanEntries(organizationId, { ...where, actions, keep }, budget);
  const own = entries.filter(entry => !isIssue(entry)).map(entry => auditRecord.parse(entry));
  return { entries: own, issued: entries.filter(isIssue), readTo };
}

/** When the subject was created, and where it may read. Needed only if entries may be lost. */
async function storedSubject(
  { organization }: MemberContext,
  subject: Subject,
  { entries, issued }: Awaited<ReturnType<typeof findEntries>>,
  endsAt: number,
): Promise<StoredSubject | undefined> {
  const owners = new Set([...entries, ...issued].flatMap(({ actor: { id } }) => id ?? []));
  return (await findSubject(subject, organization, [...owners], endsAt)) ?? issued.at(0);
}

/** The sights by environment, and the entries that could not name all keys. Pure. */
function seenPlaces(entries: readonly AuditRecord[], places: ReadonlyMap<string, Place>) {
  const seen = new Map<string, SeenPlace>();
  const inexact: AuditRecord[] = [];
  for (const entry of entries) {
    const { target, keysOmitted } = entry;
    const shown = sightsByEnvironment(entry).filter(({ sights }) => sights.length > 0);
    if (shown.length > 0 && keysOmitted !== undefined) inexact.push(entry);
    const project = { id: target.id, slug: target.name };
    for (const { environment, sights } of shown) {
      const erased = { project, environment: { ...environment, type: null }, path: undefined };
      const place = seen.get(environment.id) ?? { place: places.get(environment.id) ?? erased, sights: [] };
      place.sights.push(...sights);
      seen.set(environment.id, place);
    }
  }
  return { seen, inexact };
}

/** Adds the environments that the subject could read, because entries about them may be lost. */
function addReadable(
  seen: Map<string, SeenPlace>,
  places: ReadonlyMap<string, Place>,
  { projectId = null, environmentId = null, environments }: Partial<StoredSubject> = {},
): void {
  const scope = { projectId, environmentId, environments };
  for (const [id, place] of places) {
    const isInScope = coversProject(scope, place.project.id) && coversEnvironment(scope, id);
    if (isInScope && !seen.has(id)) seen.set(id, { place, sights: [] });
  }
}
