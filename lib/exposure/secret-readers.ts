import { isIdentityId } from '../access/principal.ts';
import type { MemberContext } from '../access/request-context.ts';
import { readCursor, writeCursor } from '../audit/cursor.ts';
import { readPlaces } from '../audit/places.ts';
import { completeSince } from '../audit/retention.ts';
import { later, readPartitions, type StoredEntry, scanEntries, timeOf } from '../audit/scan.ts';
import { longestWriteMs } from '../audit/write.ts';
import type { SecretReaders } from '../contracts/audit/exposure.ts';
import { maxProposalDays } from '../contracts/fields/proposal.ts';
import { ApiError, environmentNotFound } from '../core/errors.ts';
import { dayMs } from '../core/time.ts';
import { asLongQuestion, type LongQuestion, readBudget } from '../limits/long-questions.ts';
import { type AuditRecord, auditRecord } from '../table/records/audit.ts';
import { seenVersions } from './add-up.ts';
import { pagesPerScan } from './exposed-secrets.ts';
import { type KeyVersion, originsOf, readKeyHistory } from './key-history.ts';
import { readersToday } from './reads-today.ts';
import { exposingActions, sightsByEnvironment } from './sights.ts';

interface Question {
  environment: string;
  key: string;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
}

type Reader = Omit<SecretReaders['readers'][number], 'hasAccess'>;

/**
 * Everyone who saw or sent the current value of a secret, including as an earlier version that was restored.
 * @throws environment_not_found, secret_not_found; invalid_request for an invalid cursor; rate_limited
 */
export function secretReaders(context: MemberContext, question: Question): Promise<SecretReaders> {
  return asLongQuestion(context, admission => findReaders(context, question, admission));
}

async function findReaders(
  context: MemberContext,
  { environment: id, key, since = '', until, after }: Question,
  { admitted }: LongQuestion,
): Promise<SecretReaders> {
  const { organization, log } = context;
  const nowMs = Date.now();
  const budget = readBudget(pagesPerScan);
  const [complete, places, partitions] = await Promise.all([
    completeSince(organization, nowMs),
    readPlaces(organization.slug),
    readPartitions(organization.id, exposingActions),
    admitted,
  ]);
  const place = places.get(id);
  if (place?.path === undefined) throw environmentNotFound();
  const history = await readKeyHistory(log, place.path, id, 0);
  const versions = history?.get(key) ?? [];
  const current = versions.at(-1);
  if (current?.hasValue !== true)
    throw new ApiError('secret_not_found', `There is no secret ${key} in this environment.`);

  const origins = originsOf(versions);
  const equal = versions.filter(({ version }) => origins.get(version) === origins.get(current.version));
  const from = after === undefined ? startOf(since, organization.createdAt, equal) : readCursor(after).from;
  const to = until ?? new Date(nowMs + 1).toISOString();
  const keep = ({ environment, from: source, actor }: StoredEntry) =>
    (environment?.id === id || source?.id === id) && actor.id !== null;
  const scan = { actions: exposingActions, partitions, period: { from, to }, keep };
  const { entries, readTo } = await scanEntries(organization.id, scan, budget);
  const shown = { environment: id, key, history: versions, equal };
  const exposing = entries.map(entry => auditRecord.parse(entry)).filter(entry => exposes(entry, shown));
  const doubts = exposing.filter(({ keysOmitted }) => keysOmitted !== undefined).map(({ createdAt }) => createdAt);
  if (timeOf(from) < complete) doubts.push(complete);
  const writers = writingsOf(equal).filter(({ at }) => at >= timeOf(from) && at < timeOf(readTo ?? to));
  return {
    key,
    version: current.version,
    knownSince: complete,
    complete: doubts.length === 0,
    incomplete: doubts.length === 0 ? undefined : [{ reason: 'retention', before: doubts.reduce(later) }],
    next: readTo === undefined ? undefined : writeCursor({ from: readTo }),
    readers: await readersToday(organization, place, readersOf(exposing.flatMap(seeingOf), writers)),
  };
}

/**
 * The entry of a change has the time of the decision, which is earlier than that of its revision. A proposed value was
 * known as long before as a proposal can be open.
 */
function startOf(since: string, organizationCreatedAt: string, versions: readonly KeyVersion[]): string {
  const knownAtMs = versions.map(({ createdAt = organizationCreatedAt, proposal }) => {
    return Date.parse(createdAt) - longestWriteMs - (proposal === undefined ? 0 : maxProposalDays * dayMs);
  });
  const first = new Date(Math.min(...knownAtMs, Date.now())).toISOString();
  return [since, first].reduce(later, organizationCreatedAt);
}

interface SoughtValue {
  environment: string;
  key: string;
  history: readonly KeyVersion[];
  /** The versions that have it. */
  equal: readonly KeyVersion[];
}

/** Whether the entry's response contained one of these versions of the key. Pure. */
function exposes(entry: AuditRecord, { environment: id, key, history, equal }: SoughtValue): boolean {
  return sightsByEnvironment(entry)
    .filter(({ environment }) => environment.id === id)
    .flatMap(({ sights }) => sights)
    .filter(({ keys }) => keys === 'all' || keys.includes(key))
    .some(sight => seenVersions(history, sight)?.some(seen => equal.some(({ version }) => version === seen)));
}

/** Who saw or sent the value at a time, and with which token. */
interface Seeing extends Pick<Reader, 'actor'> {
  tokenId?: string | undefined;
  at: string;
}

function seeingOf({ actor: { id, email, name, type, tokenId }, createdAt }: AuditRecord): Seeing[] {
  if (id === null) return [];
  const kind = type === 'identity' ? 'identity' : 'user';
  return [{ actor: { id, email, name, type: kind }, tokenId, at: createdAt }];
}

/** Also for versions whose audit entries are gone. For an identity, `email` is its name. */
function writingsOf(versions: readonly KeyVersion[]): Seeing[] {
  return versions.flatMap(({ writtenBy, createdAt: at = '' }): Seeing[] => {
    if (writtenBy === undefined) return [];
    const { id, email } = writtenBy;
    const identity = { id, email: null, name: email, type: 'identity' } as const;
    return [{ actor: isIdentityId(id) ? identity : { id, email, type: 'user' }, at }];
  });
}

/** The latest first. A change's entry says more about its author than the revision does. Pure. */
function readersOf(recorded: readonly Seeing[], writers: readonly Seeing[]): Reader[] {
  const recordedIds = new Set(recorded.map(({ actor: { id } }) => id));
  const all = [...recorded, ...writers.filter(({ actor: { id } }) => !recordedIds.has(id))];
  const readers = new Map<string, Reader>();
  for (const { actor, tokenId, at } of all.toSorted((a, b) => (a.at < b.at ? -1 : 1))) {
    const { tokenIds = [], firstAt = at } = readers.get(actor.id) ?? {};
    const isNewToken = tokenId !== undefined && !tokenIds.includes(tokenId);
    readers.set(actor.id, { actor, tokenIds: isNewToken ? [...tokenIds, tokenId] : tokenIds, firstAt, lastAt: at });
  }
  return [...readers.values()].toSorted((a, b) => (a.lastAt > b.lastAt ? -1 : 1));
}
