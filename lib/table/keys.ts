import { createHash } from 'node:crypto';
import { normalizeEmail } from '../contracts/fields/text.ts';
import type { Partition, partitions } from '../contracts/partitions.ts';
import type { Key } from './entity.ts';

/*
 * All key shapes of the single table, and so its access patterns, by partition. Slugs never change, so the keys of
 * everything in an organization follow from a request's path. `records` says what the items hold.
 */

export interface EnvironmentPath {
  orgSlug: string;
  project: string;
  env: string;
}

/** A partition that the contracts declare, so that functions can be given rights to it. */
type PartitionKey = { [P in Partition]: (typeof partitions)[P] extends 'many' ? `${P}#${string}` : P }[Partition];

const key = (pk: PartitionKey, sk: string): Key => ({ pk, sk });

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

export const keys = {
  // An account. Identities have their tokens and their side of the membership here too.
  user: (userId: string) => key(`USER#${userId}`, 'USER'),
  session: (userId: string, hash: string) => key(`USER#${userId}`, `SESSION#${hash}`),
  token: (userId: string, hash: string) => key(`USER#${userId}`, `TOKEN#${hash}`),
  liveTokens: (identityId: string) => key(`USER#${identityId}`, 'LIVETOKENS'),
  /** Hashed, because an id may be too long for a key (WebAuthn: 1,023 bytes). */
  passkey: (userId: string, credentialId: string) => key(`USER#${userId}`, `PASSKEY#${sha256(credentialId)}`),
  verificationLink: (userId: string) => key(`USER#${userId}`, 'LINK#verify-email'),
  resetLink: (userId: string, hash: string) => key(`USER#${userId}`, `LINK#reset-password#${hash}`),
  undoLink: (userId: string, hash: string) => key(`USER#${userId}`, `LINK#undo-factor#${hash}`),
  membership: (userId: string, organizationId: string) => key(`USER#${userId}`, `MEMBERSHIP#${organizationId}`),
  accountLink: (userId: string, organizationId: string) => key(`USER#${userId}`, `PROVIDER#${organizationId}`),

  // From something unique to its account.
  email: (email: string) => key(`EMAIL#${normalizeEmail(email)}`, 'EMAIL'),
  passkeyOwner: (credentialId: string) => key(`PASSKEY#${sha256(credentialId)}`, 'PASSKEY'),

  // What exists for minutes.
  challenge: (hash: string) => key(`CHALLENGE#${hash}`, 'CHALLENGE'),
  handoff: (hash: string) => key(`HANDOFF#${hash}`, 'HANDOFF'),
  startedSignIn: (hash: string) => key(`SIGNIN#${hash}`, 'SIGNIN'),
  pendingLink: (hash: string) => key(`SIGNIN#${hash}`, 'LINK'),
  assertion: (hash: string) => key(`ASSERTION#${hash}`, 'ASSERTION'),
  rate: (limit: string, subject: string) => key(`RATE#${limit}#${subject}`, 'RATE'),
  longQuestions: (orgId: string) => key(`RATE#long-questions#${orgId}`, 'QUESTIONS'),

  // An organization.
  organization: (orgSlug: string) => key(`ORG#${orgSlug}`, 'ORG'),
  member: (orgSlug: string, userId: string) => key(`ORG#${orgSlug}`, `MEMBER#${userId}`),
  recoveryLink: (orgSlug: string, hash: string) => key(`ORG#${orgSlug}`, `RECOVERYLINK#${hash}`),
  removedMember: (orgSlug: string, userId: string) => key(`ORG#${orgSlug}`, `REMOVED#${userId}`),
  invitation: (orgSlug: string, id: string) => key(`ORG#${orgSlug}`, `INVITATION#${id}`),
  project: (orgSlug: string, project: string) => key(`ORG#${orgSlug}`, `PROJECT#${project}`),
  environment: (orgSlug: string, project: string, env: string) => key(`ORG#${orgSlug}`, `ENV#${project}#${env}`),
  templateKey: (orgSlug: string, project: string, name: string) => key(`ORG#${orgSlug}`, `TEMPLATE#${project}#${name}`),
  webhook: (orgSlug: string, webhookId: string) => key(`ORG#${orgSlug}`, `WEBHOOK#${webhookId}`),
  identity: (orgSlug: string, identityId: string) => key(`ORG#${orgSlug}`, `IDENTITY#${identityId}`),
  signIn: (orgSlug: string) => key(`ORG#${orgSlug}`, 'SIGNIN'),
  providerLink: (orgSlug: string, person: string) => key(`ORG#${orgSlug}`, `PERSON#${person}`),
  retiredProject: (orgSlug: string, project: string) => key(`ORG#${orgSlug}`, `RETIRED#${project}`),
  retiredEnvironment: (orgSlug: string, project: string, env: string) =>
    key(`ORG#${orgSlug}`, `RETIRED#${project}#${env}`),

  // From something unique to its organization.
  organizationPointer: (orgId: string) => key(`ORGID#${orgId}`, 'ORG'),
  invitationPointer: (hash: string) => key(`INVITATION#${hash}`, 'INVITATION'),
  domain: (domain: string) => key(`DOMAIN#${domain}`, 'DOMAIN'),
  customer: (customerId: string) => key(`CUSTOMER#${customerId}`, 'CUSTOMER'),
  /** Hashed, because the slug may reveal who the tenant was. */
  retiredOrganization: (orgSlug: string) => key(`RETIRED#${sha256(orgSlug)}`, 'RETIRED'),
  directoryBySlug: (orgSlug: string) => key('ORGS', `SLUG#${orgSlug}`),
  directoryByName: (name: string, orgSlug: string) => key('ORGS', `NAME#${name.toLowerCase()}#${orgSlug}`),

  // The secrets of an environment. Erasing in order stops the writers first: the state and the fences sort before the
  // heads, and the proposals, the revisions, the tickets, the tombstones and the versions after them.
  environmentState: (path: EnvironmentPath) => key(environmentPartition(path), 'HEAD'),
  fence: (path: EnvironmentPath, lane: number) => key(environmentPartition(path), `FENCE#${lane}`),
  head: (path: EnvironmentPath, name: string) => key(environmentPartition(path), `HEAD#${name}`),
  /** Part 0 is written by the change's commit. */
  revision: (path: EnvironmentPath, revision: number, part: number) =>
    key(environmentPartition(path), `REVISION#${revisionDigits(revision)}#${partDigits(part)}`),
  proposal: (path: EnvironmentPath, id: string) => key(environmentPartition(path), `PROPOSAL#${id}`),
  openProposals: (path: EnvironmentPath) => key(environmentPartition(path), 'PROPOSALS'),
  proposalPart: (path: EnvironmentPath, id: string, part: number) =>
    key(environmentPartition(path), `PROPOSALVALUES#${id}#${partDigits(part)}`),
  tickets: (path: EnvironmentPath) => key(environmentPartition(path), 'TICKETS'),
  tombstone: (path: EnvironmentPath, name: string) => key(environmentPartition(path), `TOMBSTONE#${name}`),
  version: (path: EnvironmentPath, name: string, version: number) =>
    key(environmentPartition(path), `VERSION#${name}#${versionDigits(version)}`),

  // Webhooks' deliveries.
  delivery: (webhookId: string, createdAt: string, id: string) => key(`DELIVERIES#${webhookId}`, `${createdAt}#${id}`),
  deliveryClaim: (deliveryId: string) => key(`DELIVERY#${deliveryId}`, 'DELIVERY'),
  payloadPiece: (payloadId: string, piece: number) => key(`PAYLOAD#${payloadId}`, String(piece).padStart(3, '0')),

  // An organization's audit log. Busy organizations have further partitions; the first one has the counts of all.
  auditEntry: (orgId: string, partition: number, entry: { action: string; createdAt: string; id: string }) =>
    key(auditPartition(orgId, partition), `${entry.action}#${entry.createdAt}#${entry.id}`),
  auditCount: (orgId: string, partition: number, action: string) =>
    key(`AUDIT#${orgId}`, partition === 0 ? `COUNT#${action}` : `COUNT#${action}#${partition}`),
  /** Sorts among the counts, so that the Query of them reads it. */
  auditPartitions: (orgId: string) => key(`AUDIT#${orgId}`, 'COUNT#PARTITIONS'),
  /** Not in the log's own partition, where nothing may be updated. */
  archiveCursor: (orgId: string) => key('ARCHIVE', orgId),

  // The installation.
  issuerKeys: (issuer: string) => key(`ISSUER#${sha256(issuer)}`, 'ISSUER'),
  credentialKey: () => key('CREDENTIALKEY', 'CREDENTIALKEY'),
  planConfigs: () => key('PLANS', 'PLANS'),
  paymentEvent: (eventId: string) => key(`PROVIDEREVENT#${eventId}`, 'PROVIDEREVENT'),
  platformCount: (shard: number) => key('PLATFORM', `COUNT#${shard}`),
  servingRegion: () => key('SERVINGREGION', 'SERVINGREGION'),
  unfinishedWork: (id: string) => key('UNFINISHED', id),
  /** A day has sixteen partitions, because the revocations of all tenants are in them. */
  revocation: (at: string, id: string) => key(`REVOCATIONS#${dayOf(at)}#${id.charAt(0)}`, `${at}#${id}`),
  countedBatch: (batch: string) => key(`METRICSBATCH#${batch}`, 'METRICSBATCH'),
  metrics: (day: string, hour: string, route: string) => key(`METRICS#${day}`, `${hour}#${route}`),
} as const;

/** Apart from `keys`, because that is in every bundle, and few functions need these. */
export const rareKeys = {
  emailChange: (userId: string) => key(`USER#${userId}`, 'LINK#change-email'),
  emailUndo: (userId: string, hash: string) => key(`USER#${userId}`, `LINK#undo-email#${hash}`),
  /** A person has a fixed number of slots, so that concurrent requests can't exceed it. */
  grantRequest: (orgSlug: string, userId: string, slot: number) =>
    key(`ORG#${orgSlug}`, `GRANTREQUEST#${userId}#${slot}`),
  /** Sorts after the other ids, where code that doesn't know these jobs never reads. */
  unfinishedWorkOfAccount: (userId: string) => key('UNFINISHED', `user#${userId}`),
  /** Sorts between the heads and the proposals, so it is erased with them. */
  keyAges: (path: EnvironmentPath) => key(environmentPartition(path), 'KEYAGES'),
  dueLetters: (orgSlug: string, userId: string) => key(`ORG#${orgSlug}`, `DUELETTERS#${userId}`),
} as const;

export const rareRanges = {
  resetLinks: (userId: string) => from(keys.resetLink(userId, '')),
  emailUndos: (userId: string) => from(rareKeys.emailUndo(userId, '')),
  /** The templates of all projects. */
  templates: (orgSlug: string) => from({ ...keys.organization(orgSlug), sk: 'TEMPLATE#' }),
  grantRequests: (orgSlug: string) => from({ ...keys.organization(orgSlug), sk: 'GRANTREQUEST#' }),
  grantRequestsOf: (orgSlug: string, userId: string) =>
    from({ ...keys.organization(orgSlug), sk: `GRANTREQUEST#${userId}#` }),
} as const;

function from({ pk, sk: beginsWith }: Key) {
  return { pk, beginsWith };
}

/** The range from one key to another of the same partition, both included. */
function between(first: Key, { sk }: Key) {
  return { pk: first.pk, between: [first.sk, sk] as const };
}

/** No character of a slug or of a secret's key sorts after a tilde. */
const last = '~';

export const ranges = {
  account: (userId: string) => ({ pk: keys.user(userId).pk }),
  sessions: (userId: string) => from(keys.session(userId, '')),
  tokens: (userId: string) => from(keys.token(userId, '')),
  undoLinks: (userId: string) => from(keys.undoLink(userId, '')),
  passkeys: (userId: string) => from({ ...keys.user(userId), sk: 'PASSKEY#' }),
  memberships: (userId: string) => from(keys.membership(userId, '')),
  accountLinks: (userId: string) => from(keys.accountLink(userId, '')),
  organization: (orgSlug: string) => ({ pk: keys.organization(orgSlug).pk }),
  /** Everything but the organization's own item: the sort keys before and after `ORG`. */
  organizationContent: (orgSlug: string) => {
    const { pk, sk } = keys.organization(orgSlug);
    return [
      { pk, between: [' ', 'ORF\uffff'] as const },
      { pk, between: [`${sk} `, '\uffff'] as const },
    ];
  },
  members: (orgSlug: string) => from(keys.member(orgSlug, '')),
  /** Invitations, then members, and last the organization itself. */
  roster: (orgSlug: string) => between(keys.invitation(orgSlug, ''), keys.organization(orgSlug)),
  invitations: (orgSlug: string) => from(keys.invitation(orgSlug, '')),
  projects: (orgSlug: string) => from(keys.project(orgSlug, '')),
  environments: (orgSlug: string) => from({ ...keys.organization(orgSlug), sk: 'ENV#' }),
  projectEnvironments: (orgSlug: string, project: string) => from(keys.environment(orgSlug, project, '')),
  templateKeys: (orgSlug: string, project: string) => from(keys.templateKey(orgSlug, project, '')),
  webhooks: (orgSlug: string) => from(keys.webhook(orgSlug, '')),
  providerLinks: (orgSlug: string) => from(keys.providerLink(orgSlug, '')),
  identities: (orgSlug: string) => from(keys.identity(orgSlug, '')),
  directoryBySlug: (start: string) => from(keys.directoryBySlug(start)),
  directoryFromSlug: (slug: string) => between(keys.directoryBySlug(slug), keys.directoryBySlug(last)),
  directoryByName: (start: string) => from({ ...keys.directoryBySlug(''), sk: `NAME#${start.toLowerCase()}` }),
  /** The environment's state (`HEAD`) first, then its heads (`HEAD#<key>`) in key order: one Query for a whole pull. */
  environmentHeads: (path: EnvironmentPath) => from(keys.environmentState(path)),
  heads: (path: EnvironmentPath, first: string, to = last) => between(keys.head(path, first), keys.head(path, to)),
  revisions: (path: EnvironmentPath, first: number, to: number) =>
    between(keys.revision(path, first, 0), keys.revision(path, to, maximumPart)),
  /** From the oldest to the one with an id, which sort by the time of their creation. */
  proposals: (path: EnvironmentPath, to: string) => between(keys.proposal(path, ''), keys.proposal(path, to)),
  /** The state, the heads, the proposals, the revisions, the tombstones and the history. */
  environmentContent: (path: EnvironmentPath) => ({
    pk: environmentPartition(path),
    between: ['HEAD', 'VERSION#\uffff'] as const,
  }),
  /** Versions of a key. They are numbered without gaps. */
  versions: (path: EnvironmentPath, name: string, { from: first, to }: { from: number; to: number }) =>
    between(keys.version(path, name, first), keys.version(path, name, to)),
  environmentItems: (path: EnvironmentPath) => ({ pk: environmentPartition(path) }),
  deliveries: (webhookId: string) => ({ pk: `DELIVERIES#${webhookId}` }),
  auditEntries: (orgId: string, partition: number, action: string) =>
    from(key(auditPartition(orgId, partition), `${action}#`)),
  auditEntriesWithin: (
    { orgId, partition, action }: { orgId: string; partition: number; action: string },
    first: string,
    to: string,
  ) => ({ pk: auditPartition(orgId, partition), between: [`${action}#${first}`, `${action}#${to}`] as const }),
  auditCounts: (orgId: string) => from(keys.auditCount(orgId, 0, '')),
  audit: (orgId: string, partition = 0) => ({ pk: auditPartition(orgId, partition) }),
  archiveCursors: () => ({ pk: keys.archiveCursor('').pk }),
  platformCounts: () => from({ ...keys.platformCount(0), sk: 'COUNT#' }),
  metrics: (day: string) => ({ pk: `METRICS#${day}` }),
  unfinishedWork: (first: string, to: string) => between(keys.unfinishedWork(first), keys.unfinishedWork(to)),
  /** The revocations of a day since a moment, in one of `revocationShards`. */
  revocations: (day: string, shard: string, since: string) => ({
    pk: `REVOCATIONS#${day}#${shard}`,
    between: [since, last] as const,
  }),
} as const;

/** The first digits of random ids. */
export const revocationShards: readonly string[] = [...'0123456789abcdef'];

const dayOf = (at: string): string => at.slice(0, '2026-01-31'.length);

function auditPartition(orgId: string, partition: number) {
  return partition === 0 ? (`AUDIT#${orgId}` as const) : (`AUDIT#${orgId}#${partition}` as const);
}

function environmentPartition({ orgSlug, project, env }: EnvironmentPath) {
  return `ENV#${orgSlug}#${project}#${env}` as const;
}

/** Sort keys compare as text, so numbers have a fixed width. Ten digits last for centuries at one write per second. */
const versionDigits = (version: number): string => String(version).padStart(10, '0');

/** Under a reused slug, revisions start at the time in milliseconds, which has 13 digits. */
const revisionDigits = (revision: number): string => String(revision).padStart(16, '0');

const maximumPart = 9999;

const partDigits = (part: number): string => String(part).padStart(4, '0');
