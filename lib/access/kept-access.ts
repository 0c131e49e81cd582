import { AsyncLocalStorage } from 'node:async_hooks';
import { processCollection } from '../core/process-memory.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import { at, find, type Read, type Reads, readAll, readAtOneMoment, readTogetherWith } from '../table/read.ts';
import { type IdentityRights, identityRightsRecord } from '../table/records/identity.ts';
import {
  type MemberRecord,
  memberRecord,
  type OrganizationRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import { type ProjectKeys, projectKeysRecord } from '../table/records/project.ts';
import { isIdentityId } from './principal.ts';

/*
 * The members, identities and projects that this process read last. Every transaction that changes one of them also
 * renews its organization's access revision (`lib/table/access-revision.ts`), and every request reads the organization.
 * So an item that was read together with a revision, as of one moment, is current while the organization has that
 * revision.
 *
 * Only a read as of one moment shows that they belong together: other reads may return the organization as it is after
 * a transaction, and the member as it was before.
 */

/** Code from before the access revision doesn't renew it. During a deployment, nothing outlives its changes for longer. */
const keptMs = 5_000;

/** A read as of one moment costs as much as two others, which only pays off if more requests follow. */
const busyMs = 1_000;

/** More than a process that handles one request at a time can use within `keptMs`. */
const maximumEntries = 250;

interface Kept {
  revision: string;
  readAtMs: number;
  record: unknown;
}

/** By key, the one needed longest ago first, because a Map keeps insertion order. */
const entries = processCollection('kept-access', new Map<string, { neededAtMs: number; kept?: Kept | undefined }>());

type ProjectPath = Pick<EnvironmentPath, 'orgSlug' | 'project'>;

/** The project of the request's path, for the reads that run in parallel with authentication. */
interface SharedProject {
  name: string;
  isNeeded: boolean;
  /** Undefined if authentication doesn't read it. */
  read: (() => Promise<ProjectKeys | undefined>) | undefined;
}

const requests = new AsyncLocalStorage<{ project?: SharedProject }>();

/** Runs authentication and the reads in parallel with it. Whatever runs later, such as a retry, reads the table. */
export function sharingAccess<T>(work: () => T): T {
  return requests.run({}, work);
}

/** The project of the path, if the request's authentication reads it; undefined if it has to be read. */
export function sharedProject({ orgSlug, project }: ProjectPath): Promise<ProjectKeys | undefined> | undefined {
  const shared = requests.getStore()?.project;
  if (shared?.name !== nameOf(at(projectKeysRecord, orgSlug, project))) return undefined;
  shared.isNeeded = true;
  return shared.read?.();
}

/**
 * Like `readTogetherWith`, with the project of the path, unless the request's authentication reads that.
 */
export async function readWithProject<Named extends Reads, R>(
  path: ProjectPath,
  named: Named,
  others: readonly Read<R>[] = [],
) {
  const shared = sharedProject(path);
  const project = shared === undefined ? at(projectKeysRecord, path.orgSlug, path.project) : undefined;
  const [[records, listed], sharedRecord] = await Promise.all([
    readTogetherWith<Named & { project?: Read<ProjectKeys> | undefined }, R>({ ...named, project }, others),
    shared,
  ]);
  return [{ ...records, project: sharedRecord ?? (records.project as ProjectKeys | undefined) }, listed] as const;
}

interface Place {
  orgSlug: string;
  userId: string;
  /** If the path has one. */
  project: string | undefined;
}

/** The member, or the rights of an identity. */
function callerAt(orgSlug: string, userId: string): Read<MemberRecord | IdentityRights> {
  return isIdentityId(userId) ? at(identityRightsRecord, orgSlug, userId) : at(memberRecord, orgSlug, userId);
}

/**
 * Reads an organization and the caller's item in it, in one call with `others`. In a busy organization, these and the
 * path's project cost its partition one unit. A second round trip is necessary if something that was kept has changed,
 * or while a transaction writes one of the items.
 */
export async function readKeptAccess<Others extends Reads>({ orgSlug, userId, project }: Place, others: Others) {
  const organizationRead = at(organizationRecord, orgSlug);
  const callerRead = callerAt(orgSlug, userId);
  const projectRead = project === undefined ? undefined : at(projectKeysRecord, orgSlug, project);
  const plan = planOf(callerRead, projectRead);
  const reading = readPlanned(organizationRead, plan, others);
  const shared = projectRead && shareProject(projectRead, plan, reading);
  const first = await reading;
  const [organization, caller] = first.found.has(callerRead)
    ? [first.organization, first.found.get(callerRead)]
    : await readAll<unknown>([organizationRead, callerRead]);
  const current = organization as OrganizationRecord | undefined;
  const isIdentity = isIdentityId(userId);
  // Nothing is kept for strangers, so their requests must not cost the organization more either.
  if (current?.accessRevision !== undefined && caller !== undefined) {
    noteNeed(callerRead);
    if (projectRead !== undefined && shared?.isNeeded === true) noteNeed(projectRead);
  }
  return {
    ...first.others,
    organization: current,
    member: isIdentity ? undefined : (caller as MemberRecord | undefined),
    identity: isIdentity ? (caller as IdentityRights | undefined) : undefined,
  };
}

interface Plan {
  kept: ReadonlyMap<Read<unknown>, Kept>;
  /** To be kept from now on. */
  due: readonly Read<unknown>[];
  /** To be read on their own. The handler reads the project. */
  single: readonly Read<unknown>[];
}

function planOf(caller: Read<unknown>, project: Read<unknown> | undefined): Plan {
  const now = Date.now();
  const reads = project === undefined ? [caller] : [caller, project];
  const kept = new Map<Read<unknown>, Kept>();
  for (const read of reads) {
    const known = entries.get(nameOf(read))?.kept;
    if (known !== undefined && now - known.readAtMs < keptMs) kept.set(read, known);
  }
  const isBusy = (read: Read<unknown>) => now - (entries.get(nameOf(read))?.neededAtMs ?? 0) < busyMs;
  const due = reads.filter(read => !kept.has(read) && isBusy(read));
  return { kept, due, single: kept.has(caller) || due.includes(caller) ? [] : [caller] };
}

/** @returns what was found, without kept items that have changed, and without those a transaction is writing */
async function readPlanned<Others extends Reads>(
  organizationRead: Read<OrganizationRecord>,
  { kept, due, single }: Plan,
  others: Others,
) {
  const readAtMs = Date.now();
  const isDue = due.length > 0;
  const [[read, records], moment] = await Promise.all([
    readTogetherWith<Others & { organization?: Read<OrganizationRecord> }, unknown>(
      isDue ? others : { ...others, organization: organizationRead },
      single,
    ),
    isDue ? readAtOneMoment<unknown>([organizationRead, ...due]) : undefined,
  ]);
  const organization = (isDue ? moment?.[0] : read.organization) as OrganizationRecord | undefined;
  const revision = organization?.accessRevision;
  const found = new Map<Read<unknown>, unknown>();
  if (isDue && moment === undefined) return { others: read, organization, found };
  for (const [index, one] of single.entries()) found.set(one, records[index]);
  for (const [index, one] of due.entries()) {
    const record = moment?.[index + 1];
    found.set(one, record);
    if (revision !== undefined && record !== undefined)
      keep(one, { revision, readAtMs, record: Object.freeze(record) });
  }
  for (const [one, known] of kept) {
    if (known.revision === revision) found.set(one, known.record);
    else forget(one, known);
  }
  return { others: read, organization, found };
}

/** For the reads in parallel with authentication, which begin after this. */
function shareProject(
  project: Read<ProjectKeys>,
  { kept, due }: Plan,
  reading: Promise<{ found: ReadonlyMap<Read<unknown>, unknown> }>,
): SharedProject {
  const read = async () => {
    const { found } = await reading;
    return found.has(project) ? (found.get(project) as ProjectKeys | undefined) : find(project);
  };
  const isRead = kept.has(project) || due.includes(project);
  const shared = { name: nameOf(project), isNeeded: false, read: isRead ? read : undefined };
  const request = requests.getStore();
  if (request !== undefined) request.project = shared;
  return shared;
}

function keep(read: Read<unknown>, kept: Kept): void {
  noteNeed(read);
  const entry = entries.get(nameOf(read));
  if (entry !== undefined) entry.kept = kept;
}

function forget(read: Read<unknown>, kept: Kept): void {
  const entry = entries.get(nameOf(read));
  if (entry?.kept === kept) entry.kept = undefined;
}

function noteNeed(read: Read<unknown>): void {
  const name = nameOf(read);
  const { kept } = entries.get(name) ?? {};
  entries.delete(name);
  if (entries.size >= maximumEntries) entries.delete(entries.keys().next().value ?? '');
  entries.set(name, { neededAtMs: Date.now(), kept });
}

const nameOf = ({ key: { pk, sk } }: Read<unknown>): string => `${pk} ${sk}`;
