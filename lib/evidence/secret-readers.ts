import { longestWriteMs } from '../access/audit-write.ts';
import { isIdentityId } from '../access/principal.ts';
import type { MemberContext } from '../access/request-context.ts';
import { knownSince } from '../audit/known-since.ts';
import type { SecretReaders } from '../contracts/audit/get-exposure.ts';
import type { EnvironmentType } from '../contracts/fields/role.ts';
import { chunksOf } from '../core/chunks-of.ts';
import { ApiError, environmentNotFound } from '../core/errors.ts';
import { asLongQuestion } from '../limits/long-questions.ts';
import { ranges } from '../table/keys.ts';
import { at, list, readAll } from '../table/read.ts';
import { type AuditRecord, auditRecord } from '../table/records/audit-entry.ts';
import { identityRightsRecord } from '../table/records/identity.ts';
import { memberRecord } from '../table/records/member.ts';
import { providerLinkRecord } from '../table/records/provider-link.ts';
import { type UserRecord, userRecord } from '../table/records/user.ts';
import { seenVersions } from './add-up.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { type KeyVersion, originsOf, readKeyHistory } from './key-history.ts';
import { type Place, readPlaces } from './places.ts';
import { identityReadsToday, memberReadsToday } from './reads-today.ts';
import { type Period, type RawEntry, readPartitions, scanEntries, timeOf } from './scan-entries.ts';
import { exposingActions, sightsOf } from './sights.ts';

interface Question {
  environment: string;
  key: string;
  since?: string | undefined;
  until?: string | undefined;
  after?: string | undefined;
}

type Reader = SecretReaders['readers'][number];

/**
 * Everyone who came to know the current value of a secret, also as an earlier version that was restored.
 * @throws environment_not_found, secret_not_found; invalid_request for an invalid cursor; rate_limited
 */
export function secretReaders(context: MemberContext, question: Question): Promise<SecretReaders> {
  return asLongQuestion(context, admitted => findReaders(context, question, admitted));
}

async function findReaders(
  context: MemberContext,
  question: Question,
  admitted: Promise<unknown>,
): Promise<SecretReaders> {
  const { organization, log } = context;
  const { environment: id, key, since = '', until, after } = question;
  const nowMs = Date.now();
  const [knownSinceMs, places, partitions] = await Promise.all([
    knownSince(organization, nowMs),
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
  const same = versions.filter(({ version }) => origins.get(version) === origins.get(current.version));
  const from =
    after === undefined ? startOf(since, organization.createdAt, same[0]?.createdAt) : readCursor(after).from;
  const period = { from, to: until ?? new Date(nowMs + 1).toISOString() };
  const keep = ({ environment, actor }: RawEntry) =>
    (environment as { id: string } | undefined)?.id === id && (actor as AuditRecord['actor']).id !== null;
  const { entries, readTo } = await scanEntries(
    organization.id,
    { actions: exposingActions, partitions, period, keep },
    { pages: 80, endsAt: nowMs + 15_000 },
  );
  const showing = entries.map(entry => auditRecord.parse(entry)).filter(entry => shows(entry, key, versions, same));
  const completeSince = new Date(knownSinceMs).toISOString();
  const doubts = showing.filter(entry => !sightsOf(entry).isExact).map(({ createdAt }) => createdAt);
  const before = [...doubts, ...(timeOf(from) < completeSince ? [completeSince] : [])].toSorted().at(-1);
  return {
    key,
    version: current.version,
    knownSince: completeSince,
    complete: before === undefined,
    ...(before === undefined ? {} : { incomplete: [{ reason: 'retention' as const, before }] }),
    ...(readTo === undefined ? {} : { next: writeCursor({ from: readTo }) }),
    readers: await withAccess(context, place, readersOf(showing, writersIn(same, { from, to: readTo ?? period.to }))),
  };
}

/** The writers of these versions, also if their entries are gone. Pure. */
function writersIn(versions: readonly KeyVersion[], { from, to }: Period): Known[] {
  return versions.flatMap(({ writtenBy, createdAt = '' }) => {
    if (writtenBy === undefined || createdAt < timeOf(from) || createdAt >= timeOf(to)) return [];
    const { id, email } = writtenBy;
    // An identity's name stands in the place of an address.
    const actor = isIdentityId(id)
      ? { id, email: null, name: email, type: 'identity' as const }
      : { id, email, type: 'user' as const };
    return [{ actor, tokenId: undefined, createdAt }];
  });
}

/** Whether an entry's answer had one of these versions of the key. Pure. */
function shows(
  entry: AuditRecord,
  key: string,
  history: readonly KeyVersion[],
  wanted: readonly KeyVersion[],
): boolean {
  return sightsOf(entry).sights.some(sight => {
    if (sight.keys !== 'all' && !sight.keys.includes(key)) return false;
    return seenVersions(history, sight)?.some(version => wanted.some(one => one.version === version));
  });
}

/** Who knew the value at a time, and with which token. */
interface Known extends Pick<Reader, 'actor'> {
  tokenId: string | undefined;
  createdAt: string;
}

/** Without whether they have access. */
function readersOf(entries: readonly AuditRecord[], writers: readonly Known[]): Omit<Reader, 'hasAccess'>[] {
  const recorded = entries.flatMap(({ actor: { id, email, name, type, tokenId }, createdAt }): Known[] => {
    const kind = type === 'identity' ? 'identity' : 'user';
    return id === null
      ? []
      : [{ actor: { id, email, ...(name === undefined ? {} : { name }), type: kind }, tokenId, createdAt }];
  });
  const seen = new Set(recorded.map(({ actor: { id } }) => id));
  // The entry of a change says more about its author, as long as it is kept.
  const all = [...recorded, ...writers.filter(({ actor: { id } }) => !seen.has(id))];
  const readers = new Map<string, Omit<Reader, 'hasAccess'>>();
  for (const { actor, tokenId, createdAt } of all.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))) {
    const known = readers.get(actor.id);
    const tokenIds = new Set([...(known?.tokenIds ?? []), ...(tokenId === undefined ? [] : [tokenId])]);
    const firstAt = known?.firstAt ?? createdAt;
    readers.set(actor.id, { actor, tokenIds: [...tokenIds], firstAt, lastAt: createdAt });
  }
  return [...readers.values()].toSorted((a, b) => (a.lastAt > b.lastAt ? -1 : 1));
}

/** Says of each who may read the environment today. */
async function withAccess(
  { organization }: MemberContext,
  { project, environment: { type, ...named } }: Place,
  readers: readonly Omit<Reader, 'hasAccess'>[],
): Promise<Reader[]> {
  const { id: organizationId, slug } = organization;
  const status = 'active' as const;
  const environment = { ...named, type: type as EnvironmentType, projectId: project.id, organizationId, status };
  const ids = readers.map(({ actor: { id } }) => id);
  const [members, identities, users, pointers] = await Promise.all([
    list(memberRecord, ranges.members(slug)),
    list(identityRightsRecord, ranges.identities(slug)),
    readAll(ids.map(id => at(userRecord, id))),
    organization.providerVersion === undefined ? [] : list(providerLinkRecord, ranges.providerLinks(slug)),
  ]);
  const mayRead = async (id: string, user: UserRecord | undefined) => {
    const identity = identities.find(one => one.id === id);
    if (identity !== undefined) return identityReadsToday(identity, organization, environment);
    const member = members.find(({ userId }) => userId === id);
    if (member === undefined || user === undefined) return false;
    return memberReadsToday(user, { organization, member }, { environment, pointers });
  };
  const asked: Reader[] = [];
  for (const some of chunksOf(
    25,
    readers.map((reader, index) => ({ reader, user: users[index] })),
  )) {
    asked.push(
      ...(await Promise.all(
        some.map(async ({ reader, user }) => ({ ...reader, hasAccess: await mayRead(reader.actor.id, user) })),
      )),
    );
  }
  return asked;
}

/** The entry of a change has the time when the change was decided, which is before that of its revision. */
function startOf(since: string, organizationCreatedAt: string, writtenAt = organizationCreatedAt): string {
  const decidedAt = new Date(Date.parse(writtenAt) - longestWriteMs).toISOString();
  return [since, decidedAt].reduce((one, other) => (one > other ? one : other), organizationCreatedAt);
}
