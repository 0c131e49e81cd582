import { longestWriteMs } from '../access/audit-write.ts';
import type { MemberContext } from '../access/request-context.ts';
import { knownSince } from '../audit/known-since.ts';
import type { SecretReaders } from '../contracts/audit/get-exposure.ts';
import { type EnvironmentType, roleMay } from '../contracts/fields/environment-type.ts';
import { ApiError, environmentNotFound } from '../core/errors.ts';
import { ranges } from '../table/keys.ts';
import { list } from '../table/read.ts';
import { type AuditRecord, auditRecord } from '../table/records/audit-entry.ts';
import { identityRightsRecord } from '../table/records/identity.ts';
import { memberRecord } from '../table/records/member.ts';
import { seenVersions } from './add-up.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { type KeyVersion, originOf, readKeyHistory } from './key-history.ts';
import { type Place, readPlaces } from './places.ts';
import { type RawEntry, scanEntries, timeOf } from './scan-entries.ts';
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
 * @throws environment_not_found, secret_not_found; invalid_request for a cursor that is none
 */
export async function secretReaders(context: MemberContext, question: Question): Promise<SecretReaders> {
  const { organization, log } = context;
  const { environment: id, key, since = '', until, after } = question;
  const nowMs = Date.now();
  const [knownSinceMs, places] = await Promise.all([knownSince(organization, nowMs), readPlaces(organization.slug)]);
  const place = places.get(id);
  if (place?.path === undefined) throw environmentNotFound();
  const history = await readKeyHistory(log, place.path, id, 0);
  const versions = history?.get(key) ?? [];
  const current = versions.at(-1);
  if (current?.hasValue !== true)
    throw new ApiError('secret_not_found', `There is no secret ${key} in this environment.`);

  const same = versions.filter(one => originOf(versions, one.version) === originOf(versions, current.version));
  const from =
    after === undefined ? startOf(since, organization.createdAt, same[0]?.createdAt) : readCursor(after).from;
  const period = { from, to: until ?? new Date(nowMs + 1).toISOString() };
  const keep = ({ environment, actor }: RawEntry) =>
    (environment as { id: string } | undefined)?.id === id && (actor as AuditRecord['actor']).id !== null;
  const { entries, readTo } = await scanEntries(
    organization.id,
    { actions: exposingActions, period, keep },
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
    readers: readersOf(showing, await readersToday(organization.slug, place)),
  };
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

function readersOf(entries: readonly AuditRecord[], mayRead: ReadonlySet<string>): Reader[] {
  const readers = new Map<string, Reader>();
  for (const { actor, createdAt } of entries.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))) {
    const { id, email, name, type, tokenId } = actor;
    if (id === null) continue;
    const known = readers.get(id);
    const tokenIds = new Set([...(known?.tokenIds ?? []), ...(tokenId === undefined ? [] : [tokenId])]);
    readers.set(id, {
      actor: { id, email, ...(name === undefined ? {} : { name }), type: type === 'identity' ? 'identity' : 'user' },
      tokenIds: [...tokenIds],
      firstAt: known?.firstAt ?? createdAt,
      lastAt: createdAt,
      hasAccess: mayRead.has(id),
    });
  }
  return [...readers.values()].toSorted((a, b) => (a.lastAt > b.lastAt ? -1 : 1));
}

/** The ids of the members and identities that may read the environment today. */
async function readersToday(orgSlug: string, { project, environment }: Place): Promise<ReadonlySet<string>> {
  const [members, identities] = await Promise.all([
    list(memberRecord, ranges.members(orgSlug)),
    list(identityRightsRecord, ranges.identities(orgSlug)),
  ]);
  const type = environment.type as EnvironmentType;
  const mayRead = identities.filter(({ role, projectId, environmentId }) => {
    const isInScope = (projectId ?? project.id) === project.id && (environmentId ?? environment.id) === environment.id;
    return isInScope && (role === 'deployer' || roleMay('read', role, type));
  });
  return new Set([
    ...members.filter(({ role }) => roleMay('read', role, type)).map(({ userId }) => userId),
    ...mayRead.map(({ id }) => id),
  ]);
}

/** The entry of a change has the time when the change was decided, which is before that of its revision. */
function startOf(since: string, organizationCreatedAt: string, writtenAt = organizationCreatedAt): string {
  const decidedAt = new Date(Date.parse(writtenAt) - longestWriteMs).toISOString();
  return [since, decidedAt].reduce((one, other) => (one > other ? one : other), organizationCreatedAt);
}
