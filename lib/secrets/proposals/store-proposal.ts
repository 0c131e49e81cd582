import { randomBytes } from 'node:crypto';
import type { MemberContext } from '../../access/request-context.ts';
import { maxOpenProposals } from '../../contracts/fields/proposal.ts';
import { maxKeysPerChange } from '../../contracts/fields/secret-rules.ts';
import type { ProposalBody } from '../../contracts/secrets/proposal-body.ts';
import { ApiError } from '../../core/errors.ts';
import { queueJob } from '../../core/queue.ts';
import { dayMs } from '../../core/time.ts';
import { equals, isActive, isNew } from '../../table/expressions.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { at, find, readAll } from '../../table/read.ts';
import { identityRecord } from '../../table/records/identity.ts';
import { openProposalsRecord, type ProposalRecord } from '../../table/records/proposal.ts';
import { ConditionFailed, check, put, transact, type Write } from '../../table/write.ts';
import type { Decided, Target } from '../change/change-request.ts';
import { generatedFact } from '../change/new-puts.ts';
import { stateAt } from '../engine/fencing.ts';
import { isLive } from '../engine/read-snapshot.ts';
import { maxEnvironmentBytes, secretSizeBytes } from '../engine/secret-size.ts';
import { findTombstones } from '../engine/tombstones.ts';
import { DecisionOutdated } from '../engine/write-change.ts';
import { changeProposal, closeExpired, proposalFacts } from './close-proposal.ts';
import {
  digestOf,
  generatedIn,
  generatedPlaces,
  isOpen,
  keysOf,
  newMacKey,
  partsRemovedAfter,
  proposalAt,
  removedAfter,
  removeParts,
  writeParts,
} from './stored-proposal.ts';

type Content = Pick<
  ProposalRecord,
  'created' | 'updated' | 'deleted' | 'expand' | 'generated' | 'baseRevision' | 'from'
>;

/** A decision about an environment, and the values that it sets. */
interface Proposing {
  path: EnvironmentPath;
  target: Target;
  decided: Decided<unknown>;
  values: ReadonlyMap<string, string>;
}

/** The values that a decision sets, by key; undefined if it changes nothing. @throws payload_too_large */
export function proposedValues({
  decision: { puts, deletions },
}: Decided<unknown>): ReadonlyMap<string, string> | undefined {
  if (puts.length + deletions.length === 0) return undefined;
  requireFit(puts.length + deletions.length, puts);
  return new Map(puts.map(({ key, value }) => [key, value]));
}

/** What a decision would change, with the version of each key that it was made on. */
async function contentOf(path: EnvironmentPath, { state }: Target, decided: Decided<unknown>): Promise<Content> {
  const { decision, before, hasTombstones } = decided;
  const { puts, deletions, from } = decision;
  const names = puts.map(({ key }) => key);
  const missing = hasTombstones ? [] : names.filter(key => !before.has(key));
  const expand = puts.filter(put => put.expand === true).map(({ key }) => key);
  const heads = [...before.values(), ...(missing.length === 0 ? [] : await findTombstones(path, missing))];
  const versions = new Map(heads.map(({ key, version }) => [key, version]));
  const versioned = (named: readonly string[]) => named.map((key): [string, number] => [key, versions.get(key) ?? 0]);
  const listed = {
    created: versioned(names.filter(key => !isLive(before.get(key)))),
    updated: versioned(names.filter(key => isLive(before.get(key)))),
    deleted: versioned(deletions),
  };
  const generated = generatedPlaces(listed, puts);
  return {
    baseRevision: state.revision,
    ...listed,
    ...(expand.length > 0 && { expand: expand.toSorted() }),
    ...(generated !== undefined && { generated }),
    ...(from && { from: { id: from.id, slug: from.slug, revision: from.revision } }),
  };
}

/** The error about keys says nothing about sizes, which a caller may not know. */
function requireFit(keyCount: number, puts: readonly { key: string; value: string }[]): void {
  const message = `A proposal holds up to ${maxKeysPerChange} keys and ${maxEnvironmentBytes} bytes. Name fewer keys.`;
  if (keyCount > maxKeysPerChange) {
    const details = { keyCount, maximumKeyCount: maxKeysPerChange };
    throw new ApiError('payload_too_large', message, { details });
  }
  // No environment holds more, so this is about values that the caller sends or lets generate.
  const sizeBytes = puts.reduce((sum, { key, value }) => sum + secretSizeBytes(key, value), 0);
  if (sizeBytes <= maxEnvironmentBytes) return;
  throw new ApiError('payload_too_large', message, { details: { sizeBytes, maximumBytes: maxEnvironmentBytes } });
}

/** The time in milliseconds, then random bits (RFC 9562, section 5.7). */
function newProposalId(): string {
  const random = randomBytes(10);
  random.writeUInt16BE((random.readUInt16BE() & 0x0fff) | 0x7000);
  random.writeUInt16BE((random.readUInt16BE(2) & 0x3fff) | 0x8000, 2);
  const hex = Date.now().toString(16).padStart(12, '0') + random.toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * Stores a decision, which sets these values, as a new proposal.
 * @throws proposal_limit_reached; ConditionFailed if the environment or the list of its proposals has changed since
 */
export async function storeProposal(
  context: MemberContext,
  { path, target, decided, values }: Proposing,
  body: ProposalBody,
): Promise<ProposalRecord> {
  const { state, ring } = target;
  const id = newProposalId();
  const createdAt = new Date().toISOString();
  const endsAt = new Date(Date.parse(createdAt) + body.expiresInDays * dayMs).toISOString();
  const proposed = { values, macKey: newMacKey() };
  const place = { id, environmentId: state.id, expiresAt: partsRemovedAfter(endsAt) };
  const [listing, content, author] = await Promise.all([
    listOpen(context, path, target, { id, rotated: body.purpose === 'rotation' ? [...values.keys()] : [] }),
    contentOf(path, target, decided),
    authorOf(context),
  ]);
  // Not before there is room for the proposal: values that no proposal refers to would stay until they expire.
  const [parts] = await Promise.all([writeParts(path, place, proposed, ring), queueNotice(context, path, target, id)]);
  const { message, purpose } = body;
  const described = { ...content, id, environmentId: state.id, ...heldBy(body), rebases: 0, message, purpose };
  const byNames = context.access.seesValues ? undefined : true;
  const proposal: ProposalRecord = {
    ...described,
    byNames,
    state: 'open',
    digest: digestOf(described, proposed),
    parts,
    author,
    approvals: [],
    step: 0,
    createdAt,
    endsAt,
    expiresAt: removedAfter(endsAt),
  };
  const write = put(proposalAt(path, id), proposal, { if: isNew });
  await commitProposal(context, { path, target }, proposal, [write, listing]).catch(async error => {
    // Another error doesn't say that nothing was committed.
    if (error instanceof ConditionFailed) await removeParts(path, proposal);
    throw error;
  });
  return proposal;
}

function heldBy(body: ProposalBody): Pick<ProposalRecord, 'holds' | 'restored'> {
  if ('promote' in body) return { holds: 'promotion' };
  return 'restore' in body ? { holds: 'restore', restored: body.restore.revision } : { holds: 'changes' };
}

/** The caller, and who can sign in as the caller if that is an identity. */
async function authorOf({ access, organization, principal }: MemberContext): Promise<ProposalRecord['author']> {
  const { userId: id, email } = principal;
  const identity = principal.identity && (await find(at(identityRecord, organization.slug, id)));
  const setUpBy = [identity?.createdBy, identity?.trustedBy].flatMap(person => person?.id ?? []);
  return { id, email, memberId: access.member.id, setUpBy: [...new Set(setUpBy)] };
}

/**
 * Replaces what a proposal would change, with the same values.
 * @throws DecisionOutdated if the proposal has changed since; ConditionFailed if the environment has
 */
export async function storeRebased(
  context: MemberContext,
  { path, target, decided, values }: Proposing,
  earlier: ProposalRecord,
  macKey: string,
): Promise<ProposalRecord> {
  const [{ created, updated, deleted, expand, generated, baseRevision }, { setUpBy, ...caller }] = await Promise.all([
    contentOf(path, target, decided),
    authorOf(context),
  ]);
  const anew = { created, updated, deleted, expand, generated, baseRevision, rebases: earlier.rebases + 1 };
  const digest = digestOf({ ...earlier, ...anew }, { values, macKey });
  // The values are still those of whoever could sign in then.
  const author = { ...caller, setUpBy: [...new Set([...earlier.author.setUpBy, ...setUpBy])] };
  const byNames = context.access.seesValues ? undefined : earlier.byNames;
  const set = { ...anew, byNames, digest, author, approvals: [] };
  const proposal = { ...earlier, ...set, step: earlier.step + 1 };
  const write = changeProposal(path, earlier, set, () => new DecisionOutdated());
  await commitProposal(context, { path, target }, proposal, [write]);
  return proposal;
}

/**
 * The commit requires that the environment is still at the revision that the decision was made on, and that no key
 * rotation has begun, which would not find the values.
 */
async function commitProposal(
  context: MemberContext,
  { path, target: { project, state } }: Pick<Proposing, 'path' | 'target'>,
  proposal: ProposalRecord,
  writes: readonly Write[],
): Promise<void> {
  const isSame = { ...isActive(state.id), revision: equals(state.revision), keyVersion: equals(state.keyVersion) };
  const facts = proposalFacts('proposal.created', { project, state }, proposal);
  const details = {
    ...facts.details,
    ...(proposal.rebases > 0 && { rebases: proposal.rebases }),
    ...generatedFact(generatedIn(proposal)),
  };
  const audit = await context.audit({ ...facts, details, message: proposal.message });
  await transact([check(stateAt(path), { if: isSame }), ...writes, audit]);
}

/** Queues the mails before the commit. They are sent once it is visible. */
export async function queueNotice(
  { organization }: MemberContext,
  { project, env }: EnvironmentPath,
  { project: { id: projectId }, state: { approvals = 0 } }: Target,
  proposalId: string,
): Promise<void> {
  if (approvals === 0) return;
  const place = { orgSlug: organization.slug, organizationId: organization.id, project, projectId, env };
  await queueJob({ type: 'mail-proposal', ...place, proposalId });
}

/**
 * The write that adds a proposal to the open ones.
 * @param rotated the keys that it rotates: no two open proposals rotate the same one
 * @throws proposal_limit_reached, rotation_open
 */
async function listOpen(
  context: MemberContext,
  path: EnvironmentPath,
  target: Target,
  { id, rotated }: { id: string; rotated: readonly string[] },
): Promise<Write> {
  const { project, state } = target;
  const { open, listed, all } = await findOpen(path, state.id);
  if (open.length >= maxOpenProposals) {
    const message = `The environment has ${maxOpenProposals} open proposals. Decide about one of them first.`;
    throw new ApiError('proposal_limit_reached', message, { details: { maximum: maxOpenProposals } });
  }
  requireNotRotated(open, rotated);
  await closeExpired(context, { path, project, state }, all);
  const ids = [...open.map(proposal => proposal.id), id];
  const isSame =
    listed === undefined ? isNew : { step: equals(listed.step), environmentId: equals(listed.environmentId) };
  const record = { environmentId: state.id, ids, step: (listed?.step ?? 0) + 1 };
  return put(at(openProposalsRecord, path), record, { if: isSame });
}

/** @throws rotation_open */
function requireNotRotated(open: readonly ProposalRecord[], rotated: readonly string[]): void {
  const others = open.filter(({ purpose }) => purpose === 'rotation');
  const keys = rotated.filter(key => others.some(proposal => keysOf(proposal).includes(key)));
  if (keys.length === 0) return;
  const found = others.filter(proposal => keysOf(proposal).some(key => keys.includes(key)));
  const message = `${keys.join(', ')} ${keys.length === 1 ? 'is' : 'are'} being rotated already. End that rotation first.`;
  throw new ApiError('rotation_open', message, { details: { keys, proposals: found.map(({ id }) => id) } });
}

/** The open proposals of an environment, oldest first, and those that are still listed as open. */
export async function findOpen(path: EnvironmentPath, environmentId: string) {
  const listed = await find(at(openProposalsRecord, path));
  const ids = listed?.environmentId === environmentId ? listed.ids : [];
  const found = ids.length === 0 ? [] : await readAll(ids.map(id => proposalAt(path, id)));
  const all = found.filter(proposal => proposal?.environmentId === environmentId) as ProposalRecord[];
  return { listed, all, open: all.filter(isOpen) };
}
