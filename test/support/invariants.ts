import { isIdentityId } from '#lib/access/principal.ts';
import { eventNames } from '#lib/contracts/fields/events.ts';
import { maximumLiveTokens } from '#lib/contracts/fields/identity-limits.ts';
import { addUpTo } from '#lib/secrets/engine/digest.ts';
import { headOf, isLive } from '#lib/secrets/engine/read-snapshot.ts';
import { keys } from '#lib/table/keys.ts';
import { auditCountRecord, auditPartitionsRecord, auditRecord } from '#lib/table/records/audit.ts';
import {
  challengeRecord,
  credentialKeyRecord,
  handOffRecord,
  sessionRecord,
  tokenRecord,
} from '#lib/table/records/credentials.ts';
import {
  type EnvironmentState,
  environmentRecord,
  environmentStateRecord,
  fenceRecord,
  ticketsRecord,
} from '#lib/table/records/environment.ts';
import { assertionRecord, identityRecord, issuerKeysRecord, liveTokensRecord } from '#lib/table/records/identity.ts';
import { longQuestionsRecord, rateRecord } from '#lib/table/records/limits.ts';
import {
  directoryBySlugRecord,
  invitationPointerRecord,
  invitationRecord,
  memberRecord,
  membershipRecord,
  organizationPointerRecord,
  organizationRecord,
  removedMemberRecord,
} from '#lib/table/records/organization.ts';
import {
  countedBatchRecord,
  customerRecord,
  paymentEventRecord,
  planConfigsRecord,
  platformCountRecord,
  routeHourRecord,
} from '#lib/table/records/platform.ts';
import { projectRecord, templateKeyRecord } from '#lib/table/records/project.ts';
import { retiredProjectRecord } from '#lib/table/records/retired-slug.ts';
import {
  type HeadRecord,
  headRecord,
  revisionPartRecord,
  revisionRecord,
  type TombstoneRecord,
  tombstoneRecord,
  type VersionRecord,
  versionRecord,
} from '#lib/table/records/secret.ts';
import { servingRegionRecord } from '#lib/table/records/serving-region.ts';
import {
  accountLinkRecord,
  domainRecord,
  pendingLinkRecord,
  providerLinkRecord,
  signInRecord,
  startedSignInRecord,
} from '#lib/table/records/sign-in.ts';
import { subjectOf, unfinishedWorkRecord } from '#lib/table/records/unfinished-work.ts';
import {
  emailRecord,
  hasSecondFactor,
  passkeyOwnerRecord,
  passkeyRecord,
  resetLinkRecord,
  undoLinkRecord,
  userRecord,
  verificationLinkRecord,
} from '#lib/table/records/user.ts';
import { deliveryClaimRecord, deliveryRecord, payloadPieceRecord, webhookRecord } from '#lib/table/records/webhook.ts';
import { allItems } from './table-dump.ts';

export type Item = Record<string, unknown> & { pk: string; sk: string; kind: string };

/** Every item in this process's table, as it is stored. */
export async function scanTable(): Promise<Item[]> {
  return (await allItems()) as Item[];
}

/** Every kind of item. An item of another kind breaks an invariant. */
export const entities = {
  user: userRecord,
  email: emailRecord,
  session: sessionRecord,
  token: tokenRecord,
  liveTokens: liveTokensRecord,
  link: verificationLinkRecord,
  resetLink: resetLinkRecord,
  undoLink: undoLinkRecord,
  credentialKey: credentialKeyRecord,
  rate: rateRecord,
  longQuestions: longQuestionsRecord,
  handOff: handOffRecord,
  challenge: challengeRecord,
  passkey: passkeyRecord,
  passkeyOwner: passkeyOwnerRecord,
  organization: organizationRecord,
  organizationPointer: organizationPointerRecord,
  directory: directoryBySlugRecord,
  membership: membershipRecord,
  member: memberRecord,
  invitation: invitationRecord,
  invitationPointer: invitationPointerRecord,
  project: projectRecord,
  environment: environmentRecord,
  environmentState: environmentStateRecord,
  fence: fenceRecord,
  tickets: ticketsRecord,
  head: headRecord,
  tombstone: tombstoneRecord,
  revision: revisionRecord,
  revisionPart: revisionPartRecord,
  version: versionRecord,
  templateKey: templateKeyRecord,
  webhook: webhookRecord,
  identity: identityRecord,
  issuerKeys: issuerKeysRecord,
  signIn: signInRecord,
  domain: domainRecord,
  startedSignIn: startedSignInRecord,
  providerLink: providerLinkRecord,
  accountLink: accountLinkRecord,
  removedMember: removedMemberRecord,
  pendingLink: pendingLinkRecord,
  assertion: assertionRecord,
  delivery: deliveryRecord,
  deliveryClaim: deliveryClaimRecord,
  payloadPiece: payloadPieceRecord,
  audit: auditRecord,
  auditCount: auditCountRecord,
  auditPartitions: auditPartitionsRecord,
  planConfigs: planConfigsRecord,
  customer: customerRecord,
  providerEvent: paymentEventRecord,
  platformCount: platformCountRecord,
  servingRegion: servingRegionRecord,
  routeHour: routeHourRecord,
  countedBatch: countedBatchRecord,
  retiredSlug: retiredProjectRecord,
  unfinishedWork: unfinishedWorkRecord,
};
type Kind = keyof typeof entities;
type RecordOf<K extends Kind> = ReturnType<(typeof entities)[K]['parse']>;
type Placed<K extends Kind> = RecordOf<K> & { pk: string; sk: string };

export interface Violation {
  /** Slug of the organization, id of the user, or another place. */
  where: string;
  what: string;
}

interface Options {
  /**
   * Nothing may be in progress: no pending change, and no remains of anything deleted. Without this, the table may be
   * in any state that a crash can leave.
   */
  settled?: boolean;
}

/**
 * What is wrong with the items of a whole table: half-done changes, counters that differ from what they count, gaps in
 * histories, pairs with one half missing, changes without exactly one audit entry. Pure.
 */
export function violationsOf(items: readonly Item[], options: Options = {}): Violation[] {
  const violations: Violation[] = [];
  const found = new Map<Kind, Placed<Kind>[]>();
  for (const item of items) {
    const entity = entities[item.kind as Kind];
    if (entity === undefined) {
      violations.push({ where: item.pk, what: `${item.sk} is of the unknown kind ${item.kind}` });
      continue;
    }
    try {
      const record = { ...(entity.parse(item) as object), pk: item.pk, sk: item.sk } as Placed<Kind>;
      found.set(item.kind as Kind, [...(found.get(item.kind as Kind)?.splice(0) ?? []), record]);
    } catch (error) {
      violations.push({ where: item.pk, what: String(error) });
    }
  }
  const all = <K extends Kind>(kind: K) => (found.get(kind) ?? []) as unknown as Placed<K>[];
  const table: Table = { all, has: keySet(items), settled: options.settled === true };
  return [
    ...violations,
    ...accountViolations(table),
    ...organizationViolations(table),
    ...projectViolations(table),
    ...environmentViolations(table),
    ...unfinishedWorkViolations(table),
    ...auditViolations(table),
    ...platformViolations(table),
  ];
}

interface Table {
  all<K extends Kind>(kind: K): Placed<K>[];
  has(key: { pk: string; sk: string }): boolean;
  settled: boolean;
}

function keySet(items: readonly Item[]): Table['has'] {
  const known = new Set(items.map(({ pk, sk }) => `${pk}\u0000${sk}`));
  return ({ pk, sk }) => known.has(`${pk}\u0000${sk}`);
}

/** `ORG#<slug>` → slug, `AUDIT#<id>` → id, and so on. */
function partOf(pk: string, index = 1): string {
  return pk.split('#')[index] ?? '';
}

function grouped<T>(records: readonly T[], by: (record: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const record of records) {
    const name = by(record);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [record]);
    else group.push(record);
  }
  return groups;
}

function accountViolations({ all, has }: Table): Violation[] {
  const violations: Violation[] = [];
  const users = new Map(all('user').map(user => [user.id, user]));
  for (const user of users.values()) {
    if (!has(keys.email(user.email))) violations.push({ where: user.id, what: 'the user has no e-mail item' });
    const passkeys = all('passkey').filter(({ userId }) => userId === user.id).length;
    if ((user.passkeyCount ?? 0) !== passkeys) {
      violations.push({ where: user.id, what: `the user counts ${user.passkeyCount} passkeys and has ${passkeys}` });
    }
    if (user.recoveryCodes !== undefined && !hasSecondFactor(user)) {
      violations.push({ where: user.id, what: 'the user has recovery codes and no second factor' });
    }
  }
  for (const email of all('email')) {
    const user = users.get(email.userId);
    if (user === undefined || keys.email(user.email).pk !== email.pk) {
      violations.push({ where: email.userId, what: `${email.pk} leads to no user with that address` });
    }
  }
  for (const { pk, tokens, count } of all('liveTokens')) {
    const listed = Object.keys(tokens).length;
    if (count !== listed || count > maximumLiveTokens) {
      violations.push({ where: partOf(pk), what: `the identity counts ${count} tokens and lists ${listed}` });
    }
  }
  const owners = new Map(all('passkeyOwner').map(({ pk, userId }) => [pk, userId]));
  for (const { userId, credentialId } of all('passkey')) {
    const { pk } = keys.passkeyOwner(credentialId);
    if (owners.get(pk) !== userId) violations.push({ where: userId, what: `${pk} does not lead to the passkey` });
    owners.delete(pk);
  }
  for (const [pk, userId] of owners) violations.push({ where: userId, what: `${pk} leads to no passkey` });
  for (const { pk, userId } of all('providerLink')) {
    if (!users.has(userId)) violations.push({ where: partOf(pk), what: 'a link to a provider leads to no user' });
  }
  const owned = ['session', 'token', 'passkey', 'link', 'resetLink', 'undoLink', 'accountLink', 'membership'] as const;
  for (const kind of owned) {
    for (const { pk, sk } of all(kind)) {
      // An identity's tokens are stored until they expire; its membership pair is checked below.
      if (isIdentityId(partOf(pk)) && (kind === 'token' || kind === 'membership')) continue;
      if (!users.has(partOf(pk))) violations.push({ where: partOf(pk), what: `${sk} belongs to no user` });
    }
  }
  return violations;
}

function organizationViolations({ all, has, settled }: Table): Violation[] {
  const violations: Violation[] = [];
  const organizations = new Map(all('organization').map(one => [one.slug, one]));
  const bySlug = <K extends 'member' | 'invitation' | 'project' | 'webhook' | 'identity'>(kind: K) =>
    grouped(all(kind), ({ pk }) => partOf(pk));
  const members = bySlug('member');
  const invitations = bySlug('invitation');
  const projects = bySlug('project');
  const webhooks = bySlug('webhook');
  const identities = bySlug('identity');

  for (const [slug, organization] of organizations) {
    const say = (what: string) => violations.push({ where: slug, what });
    if (organization.status === 'deleting') {
      if (settled) say('the organization is still being erased');
      continue;
    }
    if (!has(keys.organizationPointer(organization.id))) say('the organization has no pointer from its id');
    if (!has(keys.directoryBySlug(slug))) say('the organization is not in the directory by slug');
    if (!has(keys.directoryByName(organization.name, slug))) say('the organization is not in the directory by name');
    const counted = {
      memberCount: members.get(slug)?.length ?? 0,
      ownerCount: members.get(slug)?.filter(({ role }) => role === 'owner').length ?? 0,
      invitationCount: invitations.get(slug)?.length ?? 0,
      projectCount: projects.get(slug)?.filter(({ status }) => status === 'active').length ?? 0,
      webhookCount: webhooks.get(slug)?.length ?? 0,
      identityCount: identities.get(slug)?.length ?? 0,
    };
    for (const [name, count] of Object.entries(counted)) {
      const stored = organization[name as keyof typeof counted];
      if (stored !== count) say(`${name} is ${stored}, counted ${count}`);
    }
    if (organization.ownerCount < 1) say('the organization has no owner');
    const signIn = all('signIn').find(({ pk }) => partOf(pk) === slug);
    if (signIn !== undefined && signIn.organizationId !== organization.id)
      say('its provider is of another organization');
    if ((organization.requireProvider ?? false) !== (signIn?.required ?? false)) {
      say('the organization and its provider differ in whether it is required');
    }
    for (const { domain, verifiedAt } of signIn?.domains ?? []) {
      if (verifiedAt !== null && !has(keys.domain(domain))) say(`the verified domain ${domain} is nobody’s`);
    }
    for (const { userId } of members.get(slug) ?? []) {
      if (!has(keys.membership(userId, organization.id))) say(`the member ${userId} has no membership item`);
    }
    for (const one of identities.get(slug) ?? []) {
      if (!has(keys.membership(one.id, organization.id))) say(`the identity ${one.id} has no membership item`);
    }
    for (const { id, hash } of invitations.get(slug) ?? []) {
      if (!has(keys.invitationPointer(hash))) say(`the invitation ${id} has no pointer from its token`);
    }
  }

  const isKnown = (slug: string, id?: string) => {
    const organization = organizations.get(slug);
    return organization !== undefined && (id === undefined || organization.id === id);
  };
  for (const one of all('organizationPointer')) {
    if (!isKnown(one.orgSlug, partOf(one.pk))) {
      violations.push({ where: one.orgSlug, what: 'a pointer leads to no organization' });
    }
  }
  for (const one of all('directory')) {
    if (!isKnown(one.slug, one.id)) violations.push({ where: one.slug, what: `${one.sk} leads to no organization` });
  }
  for (const one of all('membership')) {
    const isMember = has(keys.member(one.orgSlug, partOf(one.pk))) || has(keys.identity(one.orgSlug, partOf(one.pk)));
    const isErased = organizations.get(one.orgSlug)?.status === 'deleting';
    if (!isKnown(one.orgSlug, one.organizationId) || !(isMember || isErased)) {
      violations.push({ where: one.orgSlug, what: `a membership of ${partOf(one.pk)} has no member` });
    }
  }
  for (const one of all('domain')) {
    const isListed = all('signIn').some(
      ({ organizationId, domains }) =>
        organizationId === one.organizationId && domains.some(({ domain }) => domain === partOf(one.pk)),
    );
    const isErased = organizations.get(one.orgSlug)?.status === 'deleting';
    if (!isKnown(one.orgSlug, one.organizationId) || !(isListed || isErased)) {
      violations.push({ where: one.orgSlug, what: `${one.pk} belongs to no provider` });
    }
  }
  for (const one of all('invitationPointer')) {
    if (organizations.get(one.orgSlug)?.status === 'deleting') continue;
    const invitation = invitations.get(one.orgSlug)?.find(({ id }) => id === one.invitationId);
    if (invitation === undefined || keys.invitationPointer(invitation.hash).pk !== one.pk) {
      violations.push({ where: one.orgSlug, what: 'a token leads to no invitation' });
    }
  }
  for (const kind of [
    'member',
    'invitation',
    'project',
    'webhook',
    'identity',
    'environment',
    'templateKey',
    'signIn',
    'providerLink',
    'removedMember',
  ] as const) {
    for (const { pk, sk } of all(kind)) {
      if (!isKnown(partOf(pk))) violations.push({ where: partOf(pk), what: `${sk} belongs to no organization` });
    }
  }
  return violations;
}

function projectViolations({ all, has, settled }: Table): Violation[] {
  const violations: Violation[] = [];
  const deletedOrganizations = new Set(
    all('organization').flatMap(({ slug, status }) => (status === 'deleting' ? [slug] : [])),
  );
  const environments = grouped(all('environment'), ({ pk, project }) => `${partOf(pk)}#${project}`);
  const projects = new Map(all('project').map(one => [`${partOf(one.pk)}#${one.slug}`, one]));
  const states = new Map(all('environmentState').map(one => [one.pk, one]));
  for (const [name, project] of projects) {
    const slug = partOf(project.pk);
    if (deletedOrganizations.has(slug)) continue;
    const say = (what: string) => violations.push({ where: slug, what: `project ${project.slug}: ${what}` });
    if (project.status === 'deleting') {
      if (settled) say('still being erased');
      if (Object.keys(project.wrappedKeys).length > 0) say('deleted with its data keys');
      continue;
    }
    const own = environments.get(name) ?? [];
    const count = own.filter(({ status }) => status === 'active').length;
    if (project.environmentCount !== count) say(`environmentCount is ${project.environmentCount}, counted ${count}`);
    if (project.wrappedKeys[String(project.keyVersion)] === undefined) say('has no data key of its key version');
    const rotating = project.rotation?.status === 'in_progress';
    const expectedKeys = rotating ? 2 : 1;
    const keyCount = Object.keys(project.wrappedKeys).length;
    if (keyCount !== expectedKeys) say(`has ${keyCount} data keys, expected ${expectedKeys}`);
    for (const environment of own) {
      const state = states.get(
        keys.environmentState({ orgSlug: slug, project: project.slug, env: environment.slug }).pk,
      );
      if (environment.status === 'deleting') {
        if (settled) say(`environment ${environment.slug} is still being erased`);
        if (state !== undefined && (state.status === 'active' || state.id !== environment.id)) {
          say(`environment ${environment.slug} is deleted, and its state is not`);
        }
        continue;
      }
      if (state === undefined) say(`environment ${environment.slug} has no state`);
      else if (state.id !== environment.id || state.projectId !== project.id || environment.projectId !== project.id) {
        say(`environment ${environment.slug} and its state are of different things`);
      } else {
        if (state.type !== environment.type) say(`environment ${environment.slug} is of two types`);
        if (state.status !== 'active') say(`environment ${environment.slug} is ${state.status}`);
        if (state.keyVersion > project.keyVersion) say(`environment ${environment.slug} is ahead of the key version`);
      }
    }
  }
  for (const { pk, project, slug } of all('environment')) {
    const organization = partOf(pk);
    if (!projects.has(`${organization}#${project}`) && !deletedOrganizations.has(organization)) {
      violations.push({ where: organization, what: `environment ${project}/${slug} belongs to no project` });
    }
  }
  for (const { pk, sk } of all('templateKey')) {
    const organization = partOf(pk);
    if (!projects.has(`${organization}#${partOf(sk)}`) && !deletedOrganizations.has(organization)) {
      violations.push({ where: organization, what: `${sk} belongs to no project` });
    }
  }
  for (const kind of ['environmentState', 'fence', 'head', 'revision', 'revisionPart', 'version'] as const) {
    for (const { pk, sk } of all(kind)) {
      const [, organization = '', project = '', environment = ''] = pk.split('#');
      const isErased =
        deletedOrganizations.has(organization) || projects.get(`${organization}#${project}`)?.status === 'deleting';
      if (!has(keys.environment(organization, project, environment)) && !isErased) {
        violations.push({ where: organization, what: `${pk} ${sk} belongs to no environment` });
      }
    }
  }
  return violations;
}

function environmentViolations({ all, settled }: Table): Violation[] {
  const violations: Violation[] = [];
  const heads = grouped(all('head'), ({ pk }) => pk);
  const tombstones = grouped(all('tombstone'), ({ pk }) => pk);
  const versions = grouped(all('version'), ({ pk }) => pk);
  const fences = grouped(all('fence'), ({ pk }) => pk);
  const revisions = grouped(all('revision'), ({ pk }) => pk);
  const parts = grouped(all('revisionPart'), ({ pk }) => pk);
  const projects = new Map(all('project').map(one => [one.id, one]));
  const repairs = new Set(
    all('audit').flatMap(({ action, environment, revision }) =>
      action === 'environment.repaired' ? [`${environment?.id} ${revision}`] : [],
    ),
  );
  for (const state of all('environmentState')) {
    const { pk } = state;
    const project = projects.get(state.projectId);
    // During an erasure there are no keys, and any item may be missing.
    if (state.status !== 'active' || project?.status !== 'active') continue;
    const keyVersions = new Set(Object.keys(project.wrappedKeys).map(Number));
    const copies = (fences.get(pk) ?? []).map(({ fence, environmentId }) => `${environmentId} ${fence}`);
    const expected = Array.from({ length: state.pending?.fences ?? 0 }, () => `${state.id} ${state.fence}`);
    if (copies.join() !== expected.join()) {
      violations.push({
        where: partOf(pk),
        what: `${pk}: the copies of the fencing token are ${copies.join() || 'none'}`,
      });
    }
    const problems = [
      ...stateViolations(state, heads.get(pk) ?? [], versions.get(pk) ?? [], {
        keyVersions,
        tombstones: tombstones.get(pk) ?? [],
        settled,
        isRepaired: repairs.has(`${state.id} ${state.revision}`),
      }),
      ...revisionViolations(state, {
        revisions: revisions.get(pk) ?? [],
        parts: parts.get(pk) ?? [],
        versions: versions.get(pk) ?? [],
      }),
    ];
    for (const what of problems) {
      violations.push({ where: partOf(pk), what: `${pk}: ${what}` });
    }
  }
  return violations;
}

/** Compares an environment's state with its heads and its history. */
function stateViolations(
  state: EnvironmentState,
  heads: readonly HeadRecord[],
  versions: readonly VersionRecord[],
  {
    tombstones,
    keyVersions,
    settled,
    isRepaired,
  }: {
    tombstones: readonly TombstoneRecord[];
    keyVersions: ReadonlySet<number>;
    settled: boolean;
    isRepaired: boolean;
  },
): string[] {
  const problems: string[] = [];
  if (settled && state.pending !== undefined) problems.push('a change is still in flight');
  const histories = grouped(versions, ({ key }) => key);
  const committed = new Map<string, HeadRecord>();
  for (const head of heads) {
    if (head.revision <= state.revision) {
      committed.set(head.key, head);
      continue;
    }
    if (state.pending === undefined) problems.push(`the head of ${head.key} is of revision ${head.revision}`);
    const before = histories.get(head.key)?.find(({ version }) => version === head.version - 1);
    if (before !== undefined) committed.set(head.key, headOf(before));
  }
  const headed = new Set(heads.map(({ key }) => key));
  for (const tombstone of tombstones) {
    const { key, revision } = tombstone;
    // What a head says counts, but a deletion that never committed does not exist.
    if (revision > state.revision) problems.push(`the tombstone of ${key} is of revision ${revision}`);
    if (!headed.has(key)) committed.set(key, tombstone);
    else if ((committed.get(key)?.version ?? 0) < tombstone.version) {
      problems.push(`the tombstone of ${key} is newer than its head`);
    }
  }
  const dead = heads.filter(head => head.deleted === true && head.revision <= state.revision);
  if (dead.some(({ revision }) => revision > (state.deadHeadsUpTo ?? 0))) {
    problems.push('there are heads of deleted keys that nobody will move');
  }
  let valueCount = 0;
  for (const head of committed.values()) {
    const history = (histories.get(head.key) ?? [])
      .filter(({ version }) => version <= head.version)
      .sort((a, b) => a.version - b.version);
    if (history.some(({ version }, index) => version !== index + 1) || history.length !== head.version) {
      problems.push(`the history of ${head.key} is not 1 to ${head.version}`);
    }
    if (history.some(({ revision }, index) => revision <= (history[index - 1]?.revision ?? 0))) {
      problems.push(`the history of ${head.key} does not rise in revisions`);
    }
    const newest = history.at(-1);
    const isSame = newest?.revision === head.revision && newest.deleted === head.deleted && newest.fence === head.fence;
    if (newest !== undefined && !isSame) {
      problems.push(`the head of ${head.key} and its newest version differ`);
    }
    for (const { version, deleted, destroyed, sealed, keyVersion } of history) {
      if (destroyed === true && sealed !== undefined) problems.push(`${head.key} ${version} was not destroyed`);
      if (destroyed === true && version === head.version) problems.push(`the newest ${head.key} was destroyed`);
      if (deleted === true || destroyed === true) continue;
      valueCount += 1;
      if (sealed === undefined || keyVersion === undefined) problems.push(`${head.key} ${version} has no value`);
      else if (!keyVersions.has(keyVersion)) problems.push(`${head.key} ${version} has no data key any more`);
    }
  }
  const live = [...committed.values()].filter(isLive);
  const counted = {
    secretCount: live.length,
    sizeBytes: live.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
    valueCount,
  };
  if (!addUpTo(state.digest, committed.values())) problems.push('the heads do not add up to the digest');
  for (const [name, value] of Object.entries(counted)) {
    const stored = state[name as keyof typeof counted];
    if (stored !== value) problems.push(`${name} is ${stored}, counted ${value}`);
  }
  const stamps = new Set(versions.filter(({ revision }) => revision <= state.revision).map(({ revision }) => revision));
  if (state.revision > state.firstRevision && !isRepaired && !stamps.has(state.revision)) {
    problems.push(`no version is of revision ${state.revision}`);
  }
  return problems;
}

/** Compares what the revisions record of each change with the versions that it wrote. */
function revisionViolations(
  state: EnvironmentState,
  {
    revisions,
    parts,
    versions,
  }: {
    revisions: readonly Placed<'revision'>[];
    parts: readonly Placed<'revisionPart'>[];
    versions: readonly VersionRecord[];
  },
): string[] {
  const problems: string[] = [];
  const recorded = revisions.map(({ revision }) => revision).sort((a, b) => a - b);
  const { firstRevision, revision: newest } = state;
  const expected = Array.from({ length: newest - firstRevision }, (_, index) => firstRevision + index + 1);
  if (recorded.join() !== expected.join()) problems.push(`${recorded.length} revisions are recorded of ${newest}`);
  const written = grouped(versions, ({ fence }) => String(fence));
  for (const one of revisions) {
    const own = parts.filter(({ revision, fence }) => revision === one.revision && fence === one.fence);
    if (own.length !== one.parts) problems.push(`revision ${one.revision} has ${own.length} of ${one.parts} parts`);
    const named = [one, ...own].flatMap(({ created, updated, deleted }) => [
      ...[...created, ...updated].map(([key, version]) => `${key} ${version}`),
      ...deleted.map(([key, version]) => `${key} ${version} deleted`),
    ]);
    const found = (written.get(String(one.fence)) ?? [])
      .filter(({ revision }) => revision === one.revision)
      .map(({ key, version, deleted }) => `${key} ${version}${deleted === true ? ' deleted' : ''}`);
    if (named.sort().join() !== found.sort().join()) {
      problems.push(`revision ${one.revision} and the versions that it wrote differ`);
    }
    if (one.revision === newest && one.digest !== state.digest) {
      problems.push(`revision ${one.revision} has another digest than the state`);
    }
  }
  return problems;
}

/** The actions that raise the revision of an environment. */
const revisionActions: ReadonlySet<string> = new Set([
  ...eventNames,
  'secret.changed',
  'secret.restored',
  'environment.repaired',
]);

/** Replays the log: what was created and not removed exists, and each change was logged once. */
function auditViolations({ all }: Table): Violation[] {
  const violations: Violation[] = [];
  const entries = grouped(all('audit'), ({ pk }) => partOf(pk));
  const organizations = new Map(all('organization').map(one => [one.id, one]));
  const names = new Set(all('organization').map(({ id }) => id));
  for (const id of entries.keys()) {
    if (!names.has(id)) violations.push({ where: id, what: 'audit entries belong to no organization' });
  }
  const tokens = grouped(
    all('token').filter(({ organizationId }) => organizationId !== null),
    ({ organizationId }) => String(organizationId),
  );
  for (const organization of organizations.values()) {
    if (organization.status !== 'active') continue;
    const { id, slug } = organization;
    const say = (what: string) => violations.push({ where: slug, what: `audit: ${what}` });
    const own = entries.get(id) ?? [];
    const targets = (...actions: string[]) =>
      own.filter(({ action }) => actions.includes(action)).map(({ target }) => target.id);
    const here = <K extends 'project' | 'environment' | 'webhook' | 'identity' | 'member' | 'templateKey'>(kind: K) =>
      all(kind).filter(({ pk }) => partOf(pk) === slug) as Placed<K>[];

    const twice = grouped(own, one =>
      [one.requestId, one.action, one.target.id, one.target.name, one.environment?.id, one.revision]
        // One request may destroy more versions than a transaction holds.
        .concat(one.action === 'secret.version_destroyed' ? JSON.stringify(one.details?.versions) : [])
        .join(' '),
    );
    for (const [what, group] of twice) if (group.length > 1) say(`${group.length} entries of ${what}`);

    if (targets('organization.created').length !== 1) say('organization.created does not stand there once');
    compare('projects', targets('project.created'), targets('project.deleted'), activeIds(here('project')));
    // Webhooks limited to a project or environment are deleted with it, which has an entry of its own.
    if (targets('environment.deleted').length + targets('project.deleted').length === 0) {
      compare('webhooks', targets('webhook.created'), targets('webhook.deleted'), idsOf(here('webhook')));
    } else {
      const gone = new Set(targets('webhook.deleted'));
      const left = new Set(targets('webhook.created').filter(one => !gone.has(one)));
      for (const one of idsOf(here('webhook')))
        if (!left.has(one)) say(`webhook ${one} stands there without its entry`);
    }
    compare('identities', targets('identity.created'), targets('identity.deleted'), idsOf(here('identity')));
    const members = here('member');
    const joined = new Set(targets('member.joined'));
    const founder = members.filter(member => !joined.has(member.id)).map(member => member.id);
    compare(
      'members',
      [...joined, ...founder],
      targets('member.removed').filter(one => joined.has(one)),
      idsOf(members),
    );
    if (founder.length > 1) say(`${founder.length} members joined without an entry`);
    const limited = idsOf(tokens.get(id) ?? []);
    const issued = own.filter(({ action }) => action === 'identity.token_issued');
    const made = [...targets('token.created'), ...issued.map(({ actor }) => String(actor.tokenId))];
    for (const token of limited) {
      if (made.filter(one => one === token).length !== 1) say(`token ${token} was not created once`);
    }
    const keyNames = (action: string) =>
      own.filter(one => one.action === action).map(({ target }) => `${target.id} ${target.name}`);
    const projects = new Map(here('project').map(one => [one.slug, one]));
    const templateKeys = here('templateKey').flatMap(({ sk, key }) => {
      const project = projects.get(partOf(sk));
      return project?.status === 'active' ? [`${project.id} ${key}`] : [];
    });
    const living = new Set([...projects.values()].filter(({ status }) => status === 'active').map(one => one.id));
    const ofLiving = (some: readonly string[]) => some.filter(one => living.has(one.split(' ')[0] ?? ''));
    compareCounts(
      'template keys',
      ofLiving(keyNames('template_key.added')),
      ofLiving(keyNames('template_key.removed')),
      templateKeys,
    );

    const createdEnvironments = targets('environment.created');
    for (const environment of here('environment')) {
      const times = createdEnvironments.filter(one => one === environment.id).length;
      const isFirst = ['dev', 'staging', 'production'].includes(environment.slug);
      if (times !== 1 && !(isFirst && times === 0)) {
        say(`environment ${environment.project}/${environment.slug} was created ${times} times`);
      }
    }
    const changes = grouped(
      own.filter(one => revisionActions.has(one.action)),
      one => one.environment?.id ?? '',
    );
    for (const state of all('environmentState')) {
      if (partOf(state.pk) !== slug || state.status !== 'active') continue;
      const revisions = (changes.get(state.id) ?? []).map(({ revision }) => revision ?? 0).sort((a, b) => a - b);
      const { revision, firstRevision } = state;
      const expected = Array.from({ length: revision - firstRevision }, (_, index) => firstRevision + index + 1);
      if (revisions.join() !== expected.join()) {
        say(`${state.pk} is at revision ${state.revision}, the entries have ${revisions.slice(-5).join()}`);
      }
    }

    function compare(name: string, created: string[], removed: string[], present: string[]) {
      compareCounts(name, created, removed, present);
      if (new Set(created).size !== created.length) say(`${name}: something was created twice`);
      if (new Set(removed).size !== removed.length) say(`${name}: something was removed twice`);
    }
    /** Created as often as removed, and once more if it exists. */
    function compareCounts(name: string, created: string[], removed: string[], present: string[]) {
      const balance = new Map<string, number>();
      for (const one of created) balance.set(one, (balance.get(one) ?? 0) + 1);
      for (const one of [...removed, ...present]) balance.set(one, (balance.get(one) ?? 0) - 1);
      for (const [one, rest] of balance) if (rest !== 0) say(`${name}: ${one} is off by ${rest}`);
    }
  }
  return violations;
}

function idsOf(records: readonly { id: string }[]): string[] {
  return records.map(({ id }) => id);
}

function activeIds(records: readonly { id: string; status: string }[]): string[] {
  return idsOf(records.filter(({ status }) => status === 'active'));
}

/** Everything being erased or rotated is recorded as unfinished work, and nothing else is. */
function unfinishedWorkViolations({ all }: Table): Violation[] {
  const organizations = all('organization');
  const erasedSlugs = new Set(organizations.flatMap(({ slug, status }) => (status === 'deleting' ? [slug] : [])));
  const expected = new Map<string, string>();
  for (const { id, status } of organizations) if (status === 'deleting') expected.set(id, 'erase-organization');
  const projects = new Map(all('project').map(one => [`${partOf(one.pk)}#${one.slug}`, one]));
  for (const { id, pk, status, rotation } of projects.values()) {
    const isRotating = rotation?.status === 'in_progress' && rotation.failed === undefined;
    // The erasure of an organization destroys the keys of its projects without a job for each.
    if (status === 'deleting' && !erasedSlugs.has(partOf(pk))) expected.set(id, 'erase-project');
    else if (status === 'active' && isRotating) expected.set(id, 're-encrypt-project');
  }
  for (const { id, status } of all('environment')) if (status === 'deleting') expected.set(id, 'erase-environment');
  const marked = new Map(all('unfinishedWork').map(({ job }) => [subjectOf(job), job]));
  const violations: Violation[] = [];
  for (const [id, type] of expected) {
    if (marked.get(id)?.type !== type) violations.push({ where: id, what: `${type} is not marked as unfinished` });
  }
  for (const [id, { type, orgSlug }] of marked) {
    if (expected.get(id) === type || erasedSlugs.has(orgSlug)) continue;
    violations.push({ where: orgSlug, what: `${type} is marked as unfinished` });
  }
  return violations;
}

function platformViolations({ all }: Table): Violation[] {
  const deleted = new Set(all('organization').flatMap(({ slug, status }) => (status === 'deleting' ? [slug] : [])));
  const counted = {
    users: all('user').length,
    organizations: all('organization').length - deleted.size,
    projects: all('project').filter(({ pk, status }) => status === 'active' && !deleted.has(partOf(pk))).length,
  };
  const stored = { users: 0, organizations: 0, projects: 0 };
  for (const shard of all('platformCount')) {
    for (const name of Object.keys(stored) as (keyof typeof stored)[]) stored[name] += shard[name];
  }
  return (Object.keys(stored) as (keyof typeof stored)[])
    .filter(name => stored[name] !== counted[name])
    .map(name => ({ where: 'PLATFORM', what: `${name} is ${stored[name]}, counted ${counted[name]}` }));
}
