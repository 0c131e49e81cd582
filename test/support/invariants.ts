import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isIdentityId } from '#lib/access/principal.ts';
import { eventNames } from '#lib/contracts/fields/events.ts';
import { maximumLiveTokens } from '#lib/contracts/fields/identity-limits.ts';
import { addUpTo } from '#lib/secrets/engine/digest.ts';
import { headOf, isLive } from '#lib/secrets/engine/read-snapshot.ts';
import { expandingAmong } from '#lib/secrets/engine/references.ts';
import type { Entity } from '#lib/table/entity.ts';
import { keys } from '#lib/table/keys.ts';
import { auditRecord } from '#lib/table/records/audit.ts';
import { tokenRecord } from '#lib/table/records/credentials.ts';
import {
  type EnvironmentState,
  environmentRecord,
  environmentStateRecord,
  fenceRecord,
} from '#lib/table/records/environment.ts';
import { identityRecord, liveTokensRecord } from '#lib/table/records/identity.ts';
import { isCounted, isKept } from '#lib/table/records/kept.ts';
import {
  directoryBySlugRecord,
  invitationPointerRecord,
  invitationRecord,
  memberRecord,
  membershipRecord,
  organizationPointerRecord,
  organizationRecord,
} from '#lib/table/records/organization.ts';
import { platformCountRecord } from '#lib/table/records/platform.ts';
import { projectRecord, templateKeyRecord } from '#lib/table/records/project.ts';
import { openProposalsRecord, proposalPartRecord, proposalRecord } from '#lib/table/records/proposal.ts';
import {
  type HeadRecord,
  headRecord,
  type RevisionPartRecord,
  type RevisionRecord,
  revisionPartRecord,
  revisionRecord,
  type TombstoneRecord,
  tombstoneRecord,
  type VersionRecord,
  versionRecord,
} from '#lib/table/records/secret.ts';
import { domainRecord, providerLinkRecord, signInRecord } from '#lib/table/records/sign-in.ts';
import { subjectOf, unfinishedWorkRecord } from '#lib/table/records/unfinished-work.ts';
import {
  emailRecord,
  hasSecondFactor,
  passkeyOwnerRecord,
  passkeyRecord,
  userRecord,
} from '#lib/table/records/user.ts';
import { webhookRecord } from '#lib/table/records/webhook.ts';
import { allItems } from './table-dump.ts';

export type Item = Record<string, unknown> & { pk: string; sk: string; kind: string };

/** Every item in this process's table, as it is stored. */
export async function scanTable(): Promise<Item[]> {
  return (await allItems()) as Item[];
}

// biome-ignore lint/suspicious/noExplicitAny: the parts of any key
type AnyEntity<R = any> = Entity<R, any>;

const isEntity = (value: unknown): value is AnyEntity =>
  typeof value === 'object' && value !== null && 'kind' in value && 'parse' in value;
const folder = join(import.meta.dirname, '../../lib/table/records');
const modules: object[] = await Promise.all(readdirSync(folder).map(name => import(join(folder, name))));

/** Every declaration of a kind; some kinds have two. */
export const declaredEntities: readonly AnyEntity[] = modules.flatMap(module => Object.values(module).filter(isEntity));

/** Every kind of item, by its name. An item of another kind breaks an invariant. */
export const entities: Readonly<Record<string, AnyEntity>> = Object.fromEntries(
  declaredEntities.map(entity => [entity.kind, entity]),
);

export interface Violation {
  /** Slug of the organization, id of the user, or another place. */
  where: string;
  what: string;
}

interface Options {
  /** Nothing may be in progress. Without this, the table may be in any state that a crash can leave. */
  settled?: boolean;
}

type Placed<R> = R & { pk: string; sk: string };

interface Table {
  all<R>(entity: AnyEntity<R>): readonly Placed<R>[];
  ofKind(kind: string): readonly Placed<object>[];
  has(key: { pk: string; sk: string }): boolean;
  /** The slugs of the organizations that are being erased. Any item of them may be missing. */
  erased: ReadonlySet<string>;
  settled: boolean;
  report(where: string, what: string): void;
}

/** What is wrong with the items of a whole table. Pure. */
export function violationsOf(items: readonly Item[], { settled = false }: Options = {}): Violation[] {
  const violations: Violation[] = [];
  const report: Table['report'] = (where, what) => violations.push({ where, what });
  const records = new Map(Object.keys(entities).map(kind => [kind, [] as Placed<object>[]]));
  for (const item of items) {
    const { pk, sk, kind } = item;
    try {
      const entity = entities[kind];
      if (entity === undefined) report(pk, `${sk} is of the unknown kind ${kind}`);
      else records.get(kind)?.push({ ...entity.parse(item), pk, sk });
    } catch (error) {
      report(pk, String(error));
    }
  }
  const ofKind = (kind: string) => {
    const placed = records.get(kind);
    if (placed === undefined) throw new Error(`There is no kind ${kind}.`);
    return placed;
  };
  const nameOf = ({ pk, sk }: { pk: string; sk: string }) => `${pk}\u0000${sk}`;
  const names = new Set(items.map(nameOf));
  const all = <R>({ kind }: AnyEntity<R>) => ofKind(kind) as Placed<R>[];
  const beingErased = all(organizationRecord).filter(({ status }) => status === 'deleting');
  const table: Table = {
    all,
    ofKind,
    has: key => names.has(nameOf(key)),
    erased: new Set(beingErased.map(({ slug }) => slug)),
    settled,
    report,
  };
  checkAccounts(table);
  checkOrganizations(table);
  checkProjects(table);
  checkEnvironments(table);
  checkProposals(table);
  checkUnfinishedWork(table);
  checkAudit(table);
  checkPlatform(table);
  return violations;
}

/** `ORG#<slug>` → slug, `AUDIT#<id>` → id, and so on. */
function partOf(pk: string, index = 1): string {
  return pk.split('#')[index] ?? '';
}

function checkAccounts({ all, ofKind, has, report }: Table): void {
  const users = new Map(all(userRecord).map(user => [user.id, user]));
  for (const user of users.values()) {
    if (!has(keys.email(user.email))) report(user.id, 'the user has no e-mail item');
    const passkeys = all(passkeyRecord).filter(({ userId }) => userId === user.id).length;
    if ((user.passkeyCount ?? 0) !== passkeys) {
      report(user.id, `the user counts ${user.passkeyCount} passkeys and has ${passkeys}`);
    }
    if (user.recoveryCodes !== undefined && !hasSecondFactor(user)) {
      report(user.id, 'the user has recovery codes and no second factor');
    }
  }
  for (const email of all(emailRecord)) {
    if (email.reservedFor !== undefined) {
      if (!users.has(email.reservedFor)) report(email.reservedFor, `${email.pk} is reserved for no user`);
      continue;
    }
    const user = users.get(email.userId);
    if (user === undefined || keys.email(user.email).pk !== email.pk) {
      report(email.userId, `${email.pk} leads to no user with that address`);
    }
  }
  for (const { pk, tokens, count } of all(liveTokensRecord)) {
    const listed = Object.keys(tokens).length;
    if (count !== listed || count > maximumLiveTokens) {
      report(partOf(pk), `the identity counts ${count} tokens and lists ${listed}`);
    }
  }
  const owners = new Map(all(passkeyOwnerRecord).map(({ pk, userId }) => [pk, userId]));
  for (const { userId, credentialId } of all(passkeyRecord)) {
    const { pk } = keys.passkeyOwner(credentialId);
    if (owners.get(pk) !== userId) report(userId, `${pk} does not lead to the passkey`);
    owners.delete(pk);
  }
  for (const [pk, userId] of owners) report(userId, `${pk} leads to no passkey`);
  // What is left of closed accounts works no longer, and a job that is noted erases it.
  const closed = all(unfinishedWorkRecord).flatMap(({ job }) => (job.type === 'erase-account' ? [job.userId] : []));
  const known = new Set([...users.keys(), ...closed]);
  for (const { pk, userId } of all(providerLinkRecord)) {
    if (!known.has(userId)) report(partOf(pk), 'a link to a provider leads to no user');
  }
  for (const kind of ['session', 'token', 'passkey', 'link', 'resetLink', 'undoLink', 'accountLink', 'membership']) {
    for (const { pk, sk } of ofKind(kind)) {
      // An identity's tokens are stored until they expire; its membership pair is checked below.
      if (isIdentityId(partOf(pk)) && (kind === 'token' || kind === 'membership')) continue;
      if (!known.has(partOf(pk))) report(partOf(pk), `${sk} belongs to no user`);
    }
  }
}

function checkOrganizations({ all, ofKind, has, erased, settled, report }: Table): void {
  const organizations = new Map(all(organizationRecord).map(organization => [organization.slug, organization]));
  const bySlug = <R>(entity: AnyEntity<R>) => Map.groupBy(all(entity), ({ pk }) => partOf(pk));
  const members = bySlug(memberRecord);
  const invitations = bySlug(invitationRecord);
  const projects = bySlug(projectRecord);
  const webhooks = bySlug(webhookRecord);
  const identities = bySlug(identityRecord);

  for (const [slug, organization] of organizations) {
    const say = (what: string) => report(slug, what);
    if (erased.has(slug)) {
      if (settled && !isKept(organization)) say('the organization is still being erased');
      continue;
    }
    if (!has(keys.organizationPointer(organization.id))) say('the organization has no pointer from its id');
    if (!has(keys.directoryBySlug(slug))) say('the organization is not in the directory by slug');
    if (!has(keys.directoryByName(organization.name, slug))) say('the organization is not in the directory by name');
    const counted = {
      memberCount: members.get(slug)?.length ?? 0,
      ownerCount: members.get(slug)?.filter(({ role }) => role === 'owner').length ?? 0,
      invitationCount: invitations.get(slug)?.length ?? 0,
      projectCount: projects.get(slug)?.filter(isCounted).length ?? 0,
      webhookCount: webhooks.get(slug)?.length ?? 0,
      identityCount: identities.get(slug)?.length ?? 0,
    };
    for (const [name, count] of Object.entries(counted)) {
      const stored = organization[name as keyof typeof counted];
      if (stored !== count) say(`${name} is ${stored}, counted ${count}`);
    }
    if (organization.ownerCount < 1) say('the organization has no owner');
    const signIn = all(signInRecord).find(({ pk }) => partOf(pk) === slug);
    if (signIn && signIn.organizationId !== organization.id) say('its provider is of another organization');
    if ((organization.requireProvider ?? false) !== (signIn?.required ?? false)) {
      say('the organization and its provider differ in whether it is required');
    }
    for (const { domain, verifiedAt } of signIn?.domains ?? []) {
      if (verifiedAt !== null && !has(keys.domain(domain))) say(`the verified domain ${domain} is nobody’s`);
    }
    for (const { userId } of members.get(slug) ?? []) {
      if (!has(keys.membership(userId, organization.id))) say(`the member ${userId} has no membership item`);
    }
    for (const { id } of identities.get(slug) ?? []) {
      if (!has(keys.membership(id, organization.id))) say(`the identity ${id} has no membership item`);
    }
    for (const { id, hash } of invitations.get(slug) ?? []) {
      if (!has(keys.invitationPointer(hash))) say(`the invitation ${id} has no pointer from its token`);
    }
  }

  const exists = (slug: string, id?: string) => {
    const organization = organizations.get(slug);
    return organization !== undefined && (id === undefined || organization.id === id);
  };
  for (const { pk, orgSlug } of all(organizationPointerRecord)) {
    if (!exists(orgSlug, partOf(pk))) report(orgSlug, 'a pointer leads to no organization');
  }
  for (const { sk, slug, id } of all(directoryBySlugRecord)) {
    if (!exists(slug, id)) report(slug, `${sk} leads to no organization`);
  }
  for (const { pk, orgSlug, organizationId } of all(membershipRecord)) {
    const holder = partOf(pk);
    const isMember = has(keys.member(orgSlug, holder)) || has(keys.identity(orgSlug, holder));
    if (exists(orgSlug, organizationId) && (isMember || erased.has(orgSlug))) continue;
    report(orgSlug, `a membership of ${holder} has no member`);
  }
  for (const { pk, orgSlug, organizationId } of all(domainRecord)) {
    const signIns = all(signInRecord).filter(signIn => signIn.organizationId === organizationId);
    const isListed = signIns.some(({ domains }) => domains.some(({ domain }) => domain === partOf(pk)));
    if (exists(orgSlug, organizationId) && (isListed || erased.has(orgSlug))) continue;
    report(orgSlug, `${pk} belongs to no provider`);
  }
  for (const { pk, orgSlug, invitationId } of all(invitationPointerRecord)) {
    if (erased.has(orgSlug)) continue;
    const invitation = invitations.get(orgSlug)?.find(({ id }) => id === invitationId);
    if (invitation !== undefined && keys.invitationPointer(invitation.hash).pk === pk) continue;
    report(orgSlug, 'a token leads to no invitation');
  }
  const inOrganizations = ['member', 'invitation', 'project', 'webhook', 'identity', 'environment', 'templateKey'];
  for (const kind of [...inOrganizations, 'signIn', 'providerLink', 'removedMember', 'grantRequest']) {
    for (const { pk, sk } of ofKind(kind)) {
      if (!exists(partOf(pk))) report(partOf(pk), `${sk} belongs to no organization`);
    }
  }
}

function checkProjects({ all, ofKind, has, erased, settled, report }: Table): void {
  const environments = Map.groupBy(all(environmentRecord), ({ pk, project }) => `${partOf(pk)}#${project}`);
  const projects = new Map(all(projectRecord).map(project => [`${partOf(project.pk)}#${project.slug}`, project]));
  const states = new Map(all(environmentStateRecord).map(state => [state.pk, state]));
  for (const [name, project] of projects) {
    const slug = partOf(project.pk);
    if (erased.has(slug)) continue;
    const say = (what: string) => report(slug, `project ${project.slug}: ${what}`);
    if (isKept(project)) {
      if (Object.keys(project.wrappedKeys).length === 0) say('kept without its data keys');
      if (settled && project.restoring === true) say('still being restored');
      for (const { slug: env } of environments.get(name) ?? []) {
        const state = states.get(keys.environmentState({ orgSlug: slug, project: project.slug, env }).pk);
        if (settled && state?.status !== 'deleting') say(`environment ${env} of a kept project is not closed`);
      }
      continue;
    }
    if (project.status === 'deleting') {
      if (settled) say('still being erased');
      if (Object.keys(project.wrappedKeys).length > 0) say('deleted with its data keys');
      continue;
    }
    const own = environments.get(name) ?? [];
    const count = own.filter(isCounted).length;
    if (project.environmentCount !== count) say(`environmentCount is ${project.environmentCount}, counted ${count}`);
    if (project.wrappedKeys[String(project.keyVersion)] === undefined) say('has no data key of its key version');
    const expectedKeys = project.rotation?.status === 'in_progress' ? 2 : 1;
    const keyCount = Object.keys(project.wrappedKeys).length;
    if (keyCount !== expectedKeys) say(`has ${keyCount} data keys, expected ${expectedKeys}`);
    for (const { slug: env, id, type, status, kept, projectId } of own) {
      const state = states.get(keys.environmentState({ orgSlug: slug, project: project.slug, env }).pk);
      const complain = (what: string) => say(`environment ${env} ${what}`);
      if (status === 'deleting') {
        if (settled && kept === undefined) complain('is still being erased');
        if (state && (state.status === 'active' || state.id !== id)) complain('is deleted, and its state is not');
      } else if (state === undefined) complain('has no state');
      else if (state.id !== id || state.projectId !== project.id || projectId !== project.id) {
        complain('and its state are of different things');
      } else {
        if (state.type !== type) complain('is of two types');
        if (state.status !== 'active') complain(`is ${state.status}`);
        if (state.keyVersion > project.keyVersion) complain('is ahead of the key version');
      }
    }
  }
  for (const { pk, project, slug } of all(environmentRecord)) {
    const organization = partOf(pk);
    if (!projects.has(`${organization}#${project}`) && !erased.has(organization)) {
      report(organization, `environment ${project}/${slug} belongs to no project`);
    }
  }
  for (const { pk, sk } of all(templateKeyRecord)) {
    const organization = partOf(pk);
    if (!projects.has(`${organization}#${partOf(sk)}`) && !erased.has(organization)) {
      report(organization, `${sk} belongs to no project`);
    }
  }
  const ofProposals = ['proposal', 'proposalPart', 'openProposals'];
  for (const kind of ['environmentState', 'fence', 'head', 'revision', 'revisionPart', 'version', ...ofProposals]) {
    for (const { pk, sk } of ofKind(kind)) {
      const [, organization = '', project = '', environment = ''] = pk.split('#');
      if (erased.has(organization) || projects.get(`${organization}#${project}`)?.status === 'deleting') continue;
      if (has(keys.environment(organization, project, environment))) continue;
      report(organization, `${pk} ${sk} belongs to no environment`);
    }
  }
}

/** The items of one environment, and what they have to agree with. */
interface Environment {
  state: EnvironmentState;
  heads: readonly HeadRecord[];
  tombstones: readonly TombstoneRecord[];
  versions: readonly VersionRecord[];
  revisions: readonly RevisionRecord[];
  parts: readonly RevisionPartRecord[];
  /** Of the project's data keys. */
  keyVersions: ReadonlySet<number>;
  settled: boolean;
  isRepaired: boolean;
  say(what: string): void;
}

function checkEnvironments({ all, settled, report }: Table): void {
  const byPlace = <R>(entity: AnyEntity<R>) => Map.groupBy(all(entity), ({ pk }) => pk);
  const heads = byPlace(headRecord);
  const tombstones = byPlace(tombstoneRecord);
  const versions = byPlace(versionRecord);
  const fences = byPlace(fenceRecord);
  const revisions = byPlace(revisionRecord);
  const parts = byPlace(revisionPartRecord);
  const projects = new Map(all(projectRecord).map(project => [project.id, project]));
  const repairs = new Set(
    all(auditRecord)
      .filter(({ action }) => action === 'environment.repaired')
      .map(({ environment, revision }) => `${environment?.id} ${revision}`),
  );
  for (const state of all(environmentStateRecord)) {
    const { pk } = state;
    const project = projects.get(state.projectId);
    // During an erasure there are no keys, and any item may be missing.
    if (state.status !== 'active' || project?.status !== 'active') continue;
    const say = (what: string) => report(partOf(pk), `${pk}: ${what}`);
    const copies = (fences.get(pk) ?? []).map(({ fence, environmentId }) => `${environmentId} ${fence}`);
    const expected = Array.from({ length: state.pending?.fences ?? 0 }, () => `${state.id} ${state.fence}`);
    if (copies.join() !== expected.join()) say(`the copies of the fencing token are ${copies.join() || 'none'}`);
    const environment: Environment = {
      state,
      heads: heads.get(pk) ?? [],
      tombstones: tombstones.get(pk) ?? [],
      versions: versions.get(pk) ?? [],
      revisions: revisions.get(pk) ?? [],
      parts: parts.get(pk) ?? [],
      keyVersions: new Set(Object.keys(project.wrappedKeys).map(Number)),
      settled,
      isRepaired: repairs.has(`${state.id} ${state.revision}`),
      say,
    };
    checkHeads(environment);
    checkRevisions(environment);
  }
}

/** Compares an environment's state with its heads and its history. */
function checkHeads({ state, heads, tombstones, versions, keyVersions, settled, isRepaired, say }: Environment): void {
  if (settled && state.pending !== undefined) say('a change is still in flight');
  const histories = Map.groupBy(versions, ({ key }) => key);
  const committed = new Map<string, HeadRecord>();
  for (const head of heads) {
    if (head.revision <= state.revision) {
      committed.set(head.key, head);
      continue;
    }
    if (state.pending === undefined) say(`the head of ${head.key} is of revision ${head.revision}`);
    const previous = histories.get(head.key)?.find(({ version }) => version === head.version - 1);
    if (previous !== undefined) committed.set(head.key, headOf(previous));
  }
  const headed = new Set(heads.map(({ key }) => key));
  for (const tombstone of tombstones) {
    const { key, revision } = tombstone;
    // What a head says counts, but a deletion that never committed does not exist.
    if (revision > state.revision) say(`the tombstone of ${key} is of revision ${revision}`);
    if (!headed.has(key)) committed.set(key, tombstone);
    else if ((committed.get(key)?.version ?? 0) < tombstone.version) {
      say(`the tombstone of ${key} is newer than its head`);
    }
  }
  const dead = heads.filter(head => head.deleted === true && head.revision <= state.revision);
  if (dead.some(({ revision }) => revision > (state.deadHeadsUpTo ?? 0))) {
    say('there are heads of deleted keys that nobody will move');
  }
  let valueCount = 0;
  for (const head of committed.values()) {
    const history = (histories.get(head.key) ?? [])
      .filter(({ version }) => version <= head.version)
      .sort((a, b) => a.version - b.version);
    if (history.some(({ version }, index) => version !== index + 1) || history.length !== head.version) {
      say(`the history of ${head.key} is not 1 to ${head.version}`);
    }
    if (history.some(({ revision }, index) => revision <= (history[index - 1]?.revision ?? 0))) {
      say(`the history of ${head.key} does not rise in revisions`);
    }
    const newest = history.at(-1);
    const isSame = newest?.revision === head.revision && newest.deleted === head.deleted && newest.fence === head.fence;
    if (newest !== undefined && !isSame) say(`the head of ${head.key} and its newest version differ`);
    for (const { version, deleted, destroyed, sealed, keyVersion } of history) {
      if (destroyed === true && sealed !== undefined) say(`${head.key} ${version} was not destroyed`);
      if (destroyed === true && version === head.version) say(`the newest ${head.key} was destroyed`);
      if (deleted === true || destroyed === true) continue;
      valueCount += 1;
      if (sealed === undefined || keyVersion === undefined) say(`${head.key} ${version} has no value`);
      else if (!keyVersions.has(keyVersion)) say(`${head.key} ${version} has no data key any more`);
    }
  }
  const live = [...committed.values()].filter(isLive);
  const counted = {
    secretCount: live.length,
    sizeBytes: live.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
    valueCount,
    expandingKeys: expandingAmong(live),
  };
  const named = new Set(live.map(({ key }) => key));
  for (const { key, expands } of live) {
    for (const [name] of expands?.names ?? []) if (!named.has(name)) say(`${key} names ${name}, which does not exist`);
  }
  if (!addUpTo(state.digest, committed.values())) say('the heads do not add up to the digest');
  for (const [name, value] of Object.entries(counted)) {
    const stored = state[name as keyof typeof counted];
    if (stored !== value) say(`${name} is ${stored}, counted ${value}`);
  }
  const stamps = new Set(versions.filter(({ revision }) => revision <= state.revision).map(({ revision }) => revision));
  if (state.revision > state.firstRevision && !isRepaired && !stamps.has(state.revision)) {
    say(`no version is of revision ${state.revision}`);
  }
}

/** Open proposals are listed and have their values, and those that were applied have made one revision each. */
function checkProposals({ all, report }: Table): void {
  const projects = new Map(all(projectRecord).map(project => [project.id, project]));
  const byPlace = <R>(entity: AnyEntity<R>) => Map.groupBy(all(entity), ({ pk }) => pk);
  const proposals = byPlace(proposalRecord);
  const parts = byPlace(proposalPartRecord);
  const revisions = byPlace(revisionRecord);
  const listed = new Map(all(openProposalsRecord).map(({ pk, ids }) => [pk, ids]));
  for (const { pk, id, status, projectId } of all(environmentStateRecord)) {
    const project = projects.get(projectId);
    if (status !== 'active' || project?.status !== 'active') continue;
    const own = (proposals.get(pk) ?? []).filter(({ environmentId }) => environmentId === id);
    for (const proposal of own) {
      const say = (what: string) => report(partOf(pk), `${pk}: the proposal ${proposal.id} ${what}`);
      const made = (revisions.get(pk) ?? []).filter(revision => revision.proposal?.id === proposal.id);
      const expected = proposal.state === 'applied' ? [proposal.revision] : [];
      if (made.map(({ revision }) => revision).join() !== expected.join()) say(`has made ${made.length} revisions`);
      if (proposal.state !== 'open') continue;
      if (!listed.get(pk)?.includes(proposal.id)) say('is not listed');
      const values = (parts.get(pk) ?? []).filter(({ key }) => key === `#${proposal.id}`);
      const readable = values.filter(({ keyVersion }) => project.wrappedKeys[String(keyVersion)] !== undefined);
      if (readable.length !== proposal.parts) say(`has ${readable.length} of ${proposal.parts} parts`);
    }
  }
}

/** Compares what the revisions record of each change with the versions that it wrote. */
function checkRevisions({ state, revisions, parts, versions, say }: Environment): void {
  const recorded = revisions.map(({ revision }) => revision).sort((a, b) => a - b);
  const expected = revisionsAfterFirst(state);
  if (recorded.join() !== expected.join()) say(`${recorded.length} revisions are recorded of ${state.revision}`);
  for (const entry of revisions) {
    const { revision, fence, digest } = entry;
    const isOfEntry = (part: { revision: number; fence: number }) => part.revision === revision && part.fence === fence;
    const own = parts.filter(isOfEntry);
    if (own.length !== entry.parts) say(`revision ${revision} has ${own.length} of ${entry.parts} parts`);
    const named = [entry, ...own].flatMap(({ created, updated, deleted }) => [
      ...[...created, ...updated].map(([key, version]) => `${key} ${version}`),
      ...deleted.map(([key, version]) => `${key} ${version} deleted`),
    ]);
    const written = versions
      .filter(isOfEntry)
      .map(({ key, version, deleted }) => `${key} ${version}${deleted === true ? ' deleted' : ''}`);
    if (named.sort().join() !== written.sort().join())
      say(`revision ${revision} and the versions that it wrote differ`);
    if (revision === state.revision && digest !== state.digest) {
      say(`revision ${revision} has another digest than the state`);
    }
  }
}

/** Every revision of an environment since its first one. */
function revisionsAfterFirst({ firstRevision, revision }: EnvironmentState): number[] {
  return Array.from({ length: revision - firstRevision }, (_, index) => firstRevision + index + 1);
}

/** The actions that raise the revision of an environment. */
const revisionActions: ReadonlySet<string> = new Set([
  ...eventNames,
  'proposal.applied',
  'secret.changed',
  'secret.restored',
  'proposal.applied',
  'environment.repaired',
]);

/** Replays the log: what was created and not removed exists, and each change was logged once. */
function checkAudit({ all, report }: Table): void {
  const entries = Map.groupBy(all(auditRecord), ({ pk }) => partOf(pk));
  const organizations = new Map(all(organizationRecord).map(organization => [organization.id, organization]));
  for (const id of entries.keys()) {
    if (!organizations.has(id)) report(id, 'audit entries belong to no organization');
  }
  const limitedTokens = Map.groupBy(all(tokenRecord), ({ organizationId }) => organizationId);
  for (const { id: organizationId, slug, status } of organizations.values()) {
    if (status !== 'active') continue;
    const say = (what: string) => report(slug, `audit: ${what}`);
    const own = entries.get(organizationId) ?? [];
    const entriesOf = (...actions: string[]) => own.filter(({ action }) => actions.includes(action));
    const targets = (...actions: string[]) => entriesOf(...actions).map(({ target }) => target.id);
    const here = <R>(entity: AnyEntity<R>) => all(entity).filter(({ pk }) => partOf(pk) === slug);

    const twice = Map.groupBy(own, ({ requestId, action, target, environment, revision, details }) =>
      [requestId, action, target.id, target.name, environment?.id, revision]
        // One request may destroy more versions than a transaction holds.
        .concat(action === 'secret.version_destroyed' ? JSON.stringify(details?.versions) : [])
        .join(' '),
    );
    for (const [what, group] of twice) if (group.length > 1) say(`${group.length} entries of ${what}`);

    if (targets('organization.created').length !== 1) say('there is not exactly one organization.created');
    const activeProjects = here(projectRecord).filter(project => project.status === 'active');
    const restored = targets('project.restored');
    const deletedForGood = targets('project.deleted').filter(id => {
      const index = restored.indexOf(id);
      if (index >= 0) restored.splice(index, 1);
      return index < 0;
    });
    compare('projects', targets('project.created'), deletedForGood, idsOf(activeProjects));
    const webhooks = idsOf(here(webhookRecord));
    // Webhooks limited to a project or environment are deleted with it, which has an entry of its own.
    if (targets('environment.deleted', 'project.deleted').length === 0) {
      compare('webhooks', targets('webhook.created'), targets('webhook.deleted'), webhooks);
    } else {
      const deleted = new Set(targets('webhook.deleted'));
      const left = new Set(targets('webhook.created').filter(id => !deleted.has(id)));
      for (const id of webhooks) if (!left.has(id)) say(`webhook ${id} has no entry`);
    }
    compare('identities', targets('identity.created'), targets('identity.deleted'), idsOf(here(identityRecord)));
    const members = idsOf(here(memberRecord));
    const joined = new Set(targets('member.joined'));
    const founders = members.filter(id => !joined.has(id));
    const removed = targets('member.removed').filter(id => joined.has(id));
    compare('members', [...joined, ...founders], removed, members);
    if (founders.length > 1) say(`${founders.length} members joined without an entry`);
    const issued = entriesOf('identity.token_issued').map(({ actor }) => String(actor.tokenId));
    const tokens = [...targets('token.created'), ...issued];
    for (const { id } of limitedTokens.get(organizationId) ?? []) {
      if (tokens.filter(token => token === id).length !== 1) say(`token ${id} was not created once`);
    }
    const projectsBySlug = new Map(activeProjects.map(project => [project.slug, project.id]));
    const projectIds = new Set(projectsBySlug.values());
    const keyNames = (action: string) =>
      entriesOf(action).flatMap(({ target: { id, name } }) => (projectIds.has(id) ? [`${id} ${name}`] : []));
    const templateKeys = here(templateKeyRecord).flatMap(({ sk, key }) => {
      const projectId = projectsBySlug.get(partOf(sk));
      return projectId === undefined ? [] : [`${projectId} ${key}`];
    });
    compareCounts('template keys', keyNames('template_key.added'), keyNames('template_key.removed'), templateKeys);

    const createdEnvironments = targets('environment.created');
    for (const environment of here(environmentRecord)) {
      const times = createdEnvironments.filter(id => id === environment.id).length;
      const isFirst = ['dev', 'staging', 'production'].includes(environment.slug);
      if (times !== 1 && !(isFirst && times === 0)) {
        say(`environment ${environment.project}/${environment.slug} was created ${times} times`);
      }
    }
    const changes = Map.groupBy(entriesOf(...revisionActions), ({ environment }) => environment?.id ?? '');
    for (const state of here(environmentStateRecord)) {
      if (state.status !== 'active') continue;
      const revisions = (changes.get(state.id) ?? []).map(({ revision }) => revision ?? 0).sort((a, b) => a - b);
      if (revisions.join() !== revisionsAfterFirst(state).join()) {
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
      for (const id of created) balance.set(id, (balance.get(id) ?? 0) + 1);
      for (const id of [...removed, ...present]) balance.set(id, (balance.get(id) ?? 0) - 1);
      for (const [id, rest] of balance) if (rest !== 0) say(`${name}: ${id} is off by ${rest}`);
    }
  }
}

function idsOf(records: readonly { id: string }[]): string[] {
  return records.map(({ id }) => id);
}

/** Everything being erased or rotated is recorded as unfinished work, and nothing else is. */
function checkUnfinishedWork({ all, erased, report }: Table): void {
  const expected = new Map<string, string>();
  for (const { id, slug } of all(organizationRecord)) if (erased.has(slug)) expected.set(id, 'erase-organization');
  for (const { id, pk, status, rotation } of all(projectRecord)) {
    const isRotating = rotation?.status === 'in_progress' && rotation.failed === undefined;
    // The erasure of an organization destroys the keys of its projects without a job for each.
    if (status === 'deleting' && !erased.has(partOf(pk))) expected.set(id, 'erase-project');
    else if (status === 'active' && isRotating) expected.set(id, 're-encrypt-project');
  }
  for (const { id, status } of all(environmentRecord)) if (status === 'deleting') expected.set(id, 'erase-environment');
  const marked = new Map(all(unfinishedWorkRecord).map(({ job }) => [subjectOf(job), job]));
  for (const [id, type] of expected) {
    if (marked.get(id)?.type !== type) report(id, `${type} is not marked as unfinished`);
  }
  for (const [id, job] of marked) {
    // Its last step runs a minute later.
    if ('userId' in job) continue;
    const subject = job.orgSlug;
    if (expected.get(id) === job.type || erased.has(subject)) continue;
    report(subject, `${job.type} is marked as unfinished`);
  }
}

function checkPlatform({ all, erased, report }: Table): void {
  const counted = {
    users: all(userRecord).length,
    organizations: all(organizationRecord).length - erased.size,
    projects: all(projectRecord).filter(project => isCounted(project) && !erased.has(partOf(project.pk))).length,
  };
  for (const [name, count] of Object.entries(counted)) {
    const shards = all(platformCountRecord).map(shard => shard[name as keyof typeof counted]);
    const stored = shards.reduce((sum, number) => sum + number, 0);
    if (stored !== count) report('PLATFORM', `${name} is ${stored}, counted ${count}`);
  }
}
