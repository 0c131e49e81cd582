import { createHash } from 'node:crypto';
import { normalizeEmail } from '../contracts/fields/text.ts';
import type { Key } from './entity.ts';

/*
 * All key shapes of the single table, and so all access patterns. Slugs never change, so keys of everything in an
 * organization can be built from the path of a request, without a look-up:
 *
 *   partition                        sort key                     item
 *   USER#<userId>                    USER                         the account
 *                                    SESSION#<hash>               one per log-in
 *                                    TOKEN#<hash>                 one per CLI token
 *                                    LIVETOKENS                   which tokens of an identity are valid
 *                                    PASSKEY#<hash of its id>     one per passkey
 *                                    LINK#verify-email            the account's one valid verification link
 *                                    LINK#reset-password#<hash>   one per reset link
 *                                    LINK#undo-factor#<hash>      one per link that undoes the addition of a factor
 *                                    MEMBERSHIP#<orgId>           the user's side of a membership
 *                                    PROVIDER#<orgId>             the account's link to the organization's sign-in provider
 *   EMAIL#<e-mail>                   EMAIL                        → userId; makes e-mail addresses unique
 *   PASSKEY#<hash of its id>         PASSKEY                      → userId; ties a passkey to at most one account
 *   CHALLENGE#<hash>                 CHALLENGE                    a challenge for a log-in, a step-up or a new passkey
 *   HANDOFF#<hash>                   HANDOFF                      a dashboard-to-CLI code
 *   RATE#<limit>#<subject>           RATE                         attempts in the current window
 *   ORG#<orgSlug>                    ORG                          the organization, with its counters
 *                                    MEMBER#<userId>              a member
 *                                    INVITATION#<id>              a pending invitation
 *                                    PROJECT#<project>            a project with its wrapped data keys
 *                                    ENV#<project>#<env>          an environment's description
 *                                    TEMPLATE#<project>#<key>     a template key
 *                                    WEBHOOK#<webhookId>          a webhook
 *                                    IDENTITY#<identityId>        an identity; its tokens and its side of the membership are
 *                                                                 in USER#<identityId>, like a user's
 *                                    RETIRED#<project>            the slug of an erased project
 *                                    RETIRED#<project>#<env>      the slug of an erased environment
 *                                    SIGNIN                       the sign-in provider
 *                                    PERSON#<hash>                → the account's link, for a person at the provider
 *                                    REMOVED#<userId>             that the user's membership ended
 *   DOMAIN#<domain>                  DOMAIN                       → orgSlug; verifies a domain for at most one organization
 *   SIGNIN#<hash>                    SIGNIN                       a sign-in that a browser has started at a provider
 *                                    LINK                         a link to a provider that waits for the account's log-in
 *   ISSUER#<hash of the issuer>      ISSUER                       the signing keys and addresses of an OpenID Connect issuer
 *   ASSERTION#<hash>                 ASSERTION                    an issuer's token that has been used
 *   ORGID#<orgId>                    ORG                          → orgSlug
 *   RETIRED#<hash of orgSlug>        RETIRED                      the slug of an erased organization
 *   ORGS                             SLUG#<slug>, NAME#<name>#…   the directory for administrators
 *   INVITATION#<hash>                INVITATION                   → the invitation
 *   ENV#<orgSlug>#<project>#<env>    HEAD                         the environment's state, not a secret: revision, counts,
 *                                                                 change in flight; sorts before every HEAD#<key>
 *                                    FENCE#<n>                    a copy of its fencing token, while a change is in flight
 *                                    HEAD#<key>                   the newest version of a key
 *                                    REVISION#<n>#<part>          what a change did; part 0 is written by its commit. Sorts after
 *                                                                 the state, so erasing in order stops the writers first
 *                                    TICKETS                      the queue of waiting writers
 *                                    TOMBSTONE#<key>              the newest deletion of a key. Sorts after the heads, so that
 *                                                                 erasing in order leaves nothing to move here
 *                                    VERSION#<key>#<n>            one version, immutable
 *   DELIVERIES#<webhookId>           <time>#<id>                  a delivery's log entry
 *   DELIVERY#<deliveryId>            DELIVERY                     a started delivery, so that it happens at most once
 *   PAYLOAD#<payloadId>              <n>                          a piece of a payload too long for the webhook queue
 *   AUDIT#<orgId>                    <action>#<time>#<id>         an audit entry
 *                                    COUNT#<action>               the number of entries with that action
 *                                    COUNT#<action>#<n>           the number of those in AUDIT#<orgId>#<n>
 *                                    COUNT#PARTITIONS             that there are further partitions of entries. Sorts among the
 *                                                                 counts, so that the Query of them reads it
 *   AUDIT#<orgId>#<n>                <action>#<time>#<id>         an entry of a busy organization
 *   CREDENTIALKEY                    CREDENTIALKEY                the wrapped MAC key of sessions and tokens
 *   PLANS                            PLANS                        the runtime plan configs
 *   CUSTOMER#<customerId>            CUSTOMER                     the payment provider's customer → organization
 *   PROVIDEREVENT#<eventId>          PROVIDEREVENT                a provider event that has been handled
 *   PLATFORM                         COUNT#<shard>                counters of users, organizations and projects
 *   SERVINGREGION                    SERVINGREGION                the serving region of a table with replicas
 *   UNFINISHED                       <id>                         unfinished work on that organization, project or environment
 *   METRICS#<day>                    <hour>#<route>               request metrics
 *   METRICSBATCH#<batch>             METRICSBATCH                 a batch of the access log that has been counted
 */

/** The slugs that address an environment, as in a request's path. */
export interface EnvironmentPath {
  orgSlug: string;
  project: string;
  env: string;
}

function key(pk: string, sk: string): Key {
  return { pk, sk };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

export const keys = {
  user: (userId: string) => key(`USER#${userId}`, 'USER'),
  session: (userId: string, hash: string) => key(`USER#${userId}`, `SESSION#${hash}`),
  token: (userId: string, hash: string) => key(`USER#${userId}`, `TOKEN#${hash}`),
  liveTokens: (identityId: string) => key(`USER#${identityId}`, 'LIVETOKENS'),
  /** Hashed, because an id may be too long for a key (WebAuthn: 1,023 bytes). */
  passkey: (userId: string, credentialId: string) => key(`USER#${userId}`, `PASSKEY#${sha256(credentialId)}`),
  passkeyOwner: (credentialId: string) => key(`PASSKEY#${sha256(credentialId)}`, 'PASSKEY'),
  verificationLink: (userId: string) => key(`USER#${userId}`, 'LINK#verify-email'),
  resetLink: (userId: string, hash: string) => key(`USER#${userId}`, `LINK#reset-password#${hash}`),
  undoLink: (userId: string, hash: string) => key(`USER#${userId}`, `LINK#undo-factor#${hash}`),
  membership: (userId: string, organizationId: string) => key(`USER#${userId}`, `MEMBERSHIP#${organizationId}`),
  accountLink: (userId: string, organizationId: string) => key(`USER#${userId}`, `PROVIDER#${organizationId}`),
  email: (email: string) => key(`EMAIL#${normalizeEmail(email)}`, 'EMAIL'),
  challenge: (hash: string) => key(`CHALLENGE#${hash}`, 'CHALLENGE'),
  handoff: (hash: string) => key(`HANDOFF#${hash}`, 'HANDOFF'),
  rate: (limit: string, subject: string) => key(`RATE#${limit}#${subject}`, 'RATE'),
  longQuestions: (orgId: string) => key(`RATE#long-questions#${orgId}`, 'QUESTIONS'),
  organization: (orgSlug: string) => key(`ORG#${orgSlug}`, 'ORG'),
  organizationPointer: (orgId: string) => key(`ORGID#${orgId}`, 'ORG'),
  directoryBySlug: (orgSlug: string) => key('ORGS', `SLUG#${orgSlug}`),
  directoryByName: (name: string, orgSlug: string) => key('ORGS', `NAME#${name.toLowerCase()}#${orgSlug}`),
  member: (orgSlug: string, userId: string) => key(`ORG#${orgSlug}`, `MEMBER#${userId}`),
  invitation: (orgSlug: string, id: string) => key(`ORG#${orgSlug}`, `INVITATION#${id}`),
  invitationPointer: (hash: string) => key(`INVITATION#${hash}`, 'INVITATION'),
  project: (orgSlug: string, project: string) => key(`ORG#${orgSlug}`, `PROJECT#${project}`),
  environment: (orgSlug: string, project: string, env: string) => key(`ORG#${orgSlug}`, `ENV#${project}#${env}`),
  templateKey: (orgSlug: string, project: string, name: string) => key(`ORG#${orgSlug}`, `TEMPLATE#${project}#${name}`),
  retiredProject: (orgSlug: string, project: string) => key(`ORG#${orgSlug}`, `RETIRED#${project}`),
  retiredEnvironment: (orgSlug: string, project: string, env: string) =>
    key(`ORG#${orgSlug}`, `RETIRED#${project}#${env}`),
  /** Hashed, because the slug may reveal who the tenant was. */
  retiredOrganization: (orgSlug: string) => key(`RETIRED#${sha256(orgSlug)}`, 'RETIRED'),
  webhook: (orgSlug: string, webhookId: string) => key(`ORG#${orgSlug}`, `WEBHOOK#${webhookId}`),
  identity: (orgSlug: string, identityId: string) => key(`ORG#${orgSlug}`, `IDENTITY#${identityId}`),
  signIn: (orgSlug: string) => key(`ORG#${orgSlug}`, 'SIGNIN'),
  providerLink: (orgSlug: string, person: string) => key(`ORG#${orgSlug}`, `PERSON#${person}`),
  removedMember: (orgSlug: string, userId: string) => key(`ORG#${orgSlug}`, `REMOVED#${userId}`),
  domain: (domain: string) => key(`DOMAIN#${domain}`, 'DOMAIN'),
  startedSignIn: (hash: string) => key(`SIGNIN#${hash}`, 'SIGNIN'),
  pendingLink: (hash: string) => key(`SIGNIN#${hash}`, 'LINK'),
  issuerKeys: (issuer: string) => key(`ISSUER#${sha256(issuer)}`, 'ISSUER'),
  assertion: (hash: string) => key(`ASSERTION#${hash}`, 'ASSERTION'),
  environmentState: (path: EnvironmentPath) => key(environmentPartition(path), 'HEAD'),
  /** Sorts before the heads, so that erasing the partition in order stops its writers first. */
  fence: (path: EnvironmentPath, lane: number) => key(environmentPartition(path), `FENCE#${lane}`),
  head: (path: EnvironmentPath, name: string) => key(environmentPartition(path), `HEAD#${name}`),
  revision: (path: EnvironmentPath, revision: number, part: number) =>
    key(environmentPartition(path), `REVISION#${revisionDigits(revision)}#${partDigits(part)}`),
  tombstone: (path: EnvironmentPath, name: string) => key(environmentPartition(path), `TOMBSTONE#${name}`),
  tickets: (path: EnvironmentPath) => key(environmentPartition(path), 'TICKETS'),
  version: (path: EnvironmentPath, name: string, version: number) =>
    key(environmentPartition(path), `VERSION#${name}#${versionDigits(version)}`),
  delivery: (webhookId: string, createdAt: string, id: string) => key(`DELIVERIES#${webhookId}`, `${createdAt}#${id}`),
  deliveryClaim: (deliveryId: string) => key(`DELIVERY#${deliveryId}`, 'DELIVERY'),
  payloadPiece: (payloadId: string, piece: number) => key(`PAYLOAD#${payloadId}`, String(piece).padStart(3, '0')),
  auditEntry: (orgId: string, partition: number, entry: { action: string; createdAt: string; id: string }) =>
    key(auditPartition(orgId, partition), `${entry.action}#${entry.createdAt}#${entry.id}`),
  auditCount: (orgId: string, partition: number, action: string) =>
    key(`AUDIT#${orgId}`, partition === 0 ? `COUNT#${action}` : `COUNT#${action}#${partition}`),
  auditPartitions: (orgId: string) => key(`AUDIT#${orgId}`, 'COUNT#PARTITIONS'),
  credentialKey: () => key('CREDENTIALKEY', 'CREDENTIALKEY'),
  planConfigs: () => key('PLANS', 'PLANS'),
  customer: (customerId: string) => key(`CUSTOMER#${customerId}`, 'CUSTOMER'),
  providerEvent: (eventId: string) => key(`PROVIDEREVENT#${eventId}`, 'PROVIDEREVENT'),
  platformCount: (shard: number) => key('PLATFORM', `COUNT#${shard}`),
  servingRegion: () => key('SERVINGREGION', 'SERVINGREGION'),
  unfinishedWork: (id: string) => key('UNFINISHED', id),
  countedBatch: (batch: string) => key(`METRICSBATCH#${batch}`, 'METRICSBATCH'),
  metrics: (day: string, hour: string, route: string) => key(`METRICS#${day}`, `${hour}#${route}`),
} as const;

/** Ranges: a partition, or its items of one kind. */
export const ranges = {
  sessions: (userId: string) => ({ pk: `USER#${userId}`, beginsWith: 'SESSION#' }),
  tokens: (userId: string) => ({ pk: `USER#${userId}`, beginsWith: 'TOKEN#' }),
  undoLinks: (userId: string) => ({ pk: `USER#${userId}`, beginsWith: 'LINK#undo-factor#' }),
  passkeys: (userId: string) => ({ pk: `USER#${userId}`, beginsWith: 'PASSKEY#' }),
  memberships: (userId: string) => ({ pk: `USER#${userId}`, beginsWith: 'MEMBERSHIP#' }),
  accountLinks: (userId: string) => ({ pk: `USER#${userId}`, beginsWith: 'PROVIDER#' }),
  organization: (orgSlug: string) => ({ pk: `ORG#${orgSlug}` }),
  members: (orgSlug: string) => ({ pk: `ORG#${orgSlug}`, beginsWith: 'MEMBER#' }),
  /** Invitations, then members, and last the organization itself. */
  roster: (orgSlug: string) => ({ pk: `ORG#${orgSlug}`, between: ['INVITATION#', 'ORG'] as const }),
  invitations: (orgSlug: string) => ({ pk: `ORG#${orgSlug}`, beginsWith: 'INVITATION#' }),
  projects: (orgSlug: string) => ({ pk: `ORG#${orgSlug}`, beginsWith: 'PROJECT#' }),
  environments: (orgSlug: string) => ({ pk: `ORG#${orgSlug}`, beginsWith: 'ENV#' }),
  projectEnvironments: (orgSlug: string, project: string) => ({ pk: `ORG#${orgSlug}`, beginsWith: `ENV#${project}#` }),
  templateKeys: (orgSlug: string, project: string) => ({ pk: `ORG#${orgSlug}`, beginsWith: `TEMPLATE#${project}#` }),
  /** The retired slugs of the organization's projects and environments. */
  retiredSlugs: (orgSlug: string) => ({ pk: `ORG#${orgSlug}`, beginsWith: 'RETIRED#' }),
  webhooks: (orgSlug: string) => ({ pk: `ORG#${orgSlug}`, beginsWith: 'WEBHOOK#' }),
  providerLinks: (orgSlug: string) => ({ pk: `ORG#${orgSlug}`, beginsWith: 'PERSON#' }),
  signIn: (orgSlug: string) => ({ pk: `ORG#${orgSlug}`, beginsWith: 'SIGNIN' }),
  removedMembers: (orgSlug: string) => ({ pk: `ORG#${orgSlug}`, beginsWith: 'REMOVED#' }),
  identities: (orgSlug: string) => ({ pk: `ORG#${orgSlug}`, beginsWith: 'IDENTITY#' }),
  directoryBySlug: (start: string) => ({ pk: 'ORGS', beginsWith: `SLUG#${start}` }),
  /** From this slug on, in order. No character of a slug sorts after a tilde. */
  directoryFromSlug: (from: string) => ({ pk: 'ORGS', between: [`SLUG#${from}`, 'SLUG#~'] as const }),
  directoryByName: (start: string) => ({ pk: 'ORGS', beginsWith: `NAME#${start.toLowerCase()}` }),
  /** The environment's state (`HEAD`) first, then its heads (`HEAD#<key>`) in key order: one Query for a whole pull. */
  environmentHeads: (path: EnvironmentPath) => ({
    pk: environmentPartition(path),
    beginsWith: 'HEAD',
  }),
  /** The heads from one key to another, both included. No character of a key sorts after a tilde. */
  heads: (path: EnvironmentPath, from: string, to = '~') => ({
    pk: environmentPartition(path),
    between: [`HEAD#${from}`, `HEAD#${to}`] as const,
  }),
  revisions: (path: EnvironmentPath, from: number, to: number) => ({
    pk: environmentPartition(path),
    between: [
      `REVISION#${revisionDigits(from)}#${partDigits(0)}`,
      `REVISION#${revisionDigits(to)}#${partDigits(maximumPart)}`,
    ] as const,
  }),
  /** The state, the heads, the revisions, the tombstones and the history. */
  environmentContent: (path: EnvironmentPath) => ({
    pk: environmentPartition(path),
    between: ['HEAD', 'VERSION#\uffff'] as const,
  }),
  /** Versions of a key, both ends included. They are numbered without gaps. */
  versions: (path: EnvironmentPath, name: string, { from, to }: { from: number; to: number }) => ({
    pk: environmentPartition(path),
    between: [keys.version(path, name, from).sk, keys.version(path, name, to).sk] as const,
  }),
  environmentItems: (path: EnvironmentPath) => ({
    pk: environmentPartition(path),
  }),
  deliveries: (webhookId: string) => ({ pk: `DELIVERIES#${webhookId}` }),
  /** Entries of one action in one partition, by time. */
  auditEntries: (orgId: string, partition: number, action: string) => ({
    pk: auditPartition(orgId, partition),
    beginsWith: `${action}#`,
  }),
  /** Those from one ISO time on, and before another. */
  auditEntriesWithin: (
    { orgId, partition, action }: { orgId: string; partition: number; action: string },
    from: string,
    to: string,
  ) => ({
    pk: auditPartition(orgId, partition),
    between: [`${action}#${from}`, `${action}#${to}`] as const,
  }),
  auditCounts: (orgId: string) => ({ pk: `AUDIT#${orgId}`, beginsWith: 'COUNT#' }),
  audit: (orgId: string, partition = 0) => ({ pk: auditPartition(orgId, partition) }),
  platformCounts: () => ({ pk: 'PLATFORM', beginsWith: 'COUNT#' }),
  metrics: (day: string) => ({ pk: `METRICS#${day}` }),
  /** Work on everything whose id is in this closed interval. */
  unfinishedWork: (from: string, to: string) => ({ pk: 'UNFINISHED', between: [from, to] as const }),
} as const;

function auditPartition(orgId: string, partition: number): string {
  return partition === 0 ? `AUDIT#${orgId}` : `AUDIT#${orgId}#${partition}`;
}

function environmentPartition({ orgSlug, project, env }: EnvironmentPath): string {
  return `ENV#${orgSlug}#${project}#${env}`;
}

/** Sort keys compare as text, so numbers have a fixed width. Ten digits last for centuries at one write per second. */
function versionDigits(version: number): string {
  return String(version).padStart(10, '0');
}

/** Under a reused slug, revisions start at the time in milliseconds, which has 13 digits. */
function revisionDigits(revision: number): string {
  return String(revision).padStart(16, '0');
}

const maximumPart = 9999;

function partDigits(part: number): string {
  return String(part).padStart(4, '0');
}
