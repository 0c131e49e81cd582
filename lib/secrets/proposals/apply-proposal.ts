import { sessionRequired } from '../../access/authorize.ts';
import type { MemberContext } from '../../access/request-context.ts';
import { maxApprovals } from '../../contracts/fields/proposal.ts';
import type { CheckedProposal } from '../../contracts/secrets/proposals.ts';
import { ApiError } from '../../core/errors.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { find } from '../../table/read.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { TemplateKeyRecord } from '../../table/records/project.ts';
import type { ProposalRecord } from '../../table/records/proposal.ts';
import { transact, type Write } from '../../table/write.ts';
import type { CurrentSecrets, Decision, Target } from '../change/change-request.ts';
import { beginChange, type ChangeReads } from '../change/read-target.ts';
import { changeByCopy, changeSecrets } from '../change-secrets.ts';
import { findTombstones } from '../engine/tombstones.ts';
import { DecisionOutdated } from '../engine/write-change.ts';
import { changeProposal, closing, proposalClosed, proposalFacts, requireOpen } from './close-proposal.ts';
import { authorRights, countedApprovals, hasProposed, type People, stillAsRead } from './people.ts';
import { readPeopleOf, requireProposal } from './read-proposal.ts';
import { isOpen, keysOf, openValues, type Parts, proposalAt, readParts, removeParts } from './stored-proposal.ts';
import { readTemplate, templateProblems } from './template-problems.ts';
import { proposalView } from './view-proposal.ts';

/*
 * A proposal is applied by an ordinary change, which requires the approvals that its environment needs, decides on what
 * was proposed, and closes the proposal in its commit. The commit also requires that the author and the approvers still
 * have the rights that were read. If any of this has changed, everything is read and decided again.
 */

interface Reads {
  path: EnvironmentPath;
  proposal: ProposalRecord | undefined;
  people: People;
  parts: Parts;
  template: TemplateKeyRecord[];
  target: ChangeReads;
}

/** Two round trips, the first in parallel with authentication. */
export async function beginApplying(path: EnvironmentPath, id: string): Promise<Reads> {
  const [proposal, template] = await Promise.all([find(proposalAt(path, id)), readTemplate(path)]);
  const [target, people, parts] = await Promise.all([
    beginChange(path, proposal === undefined ? [] : keysOf(proposal), { dryRun: false }),
    readPeopleOf(path, proposal),
    proposal === undefined ? [] : readParts(path, proposal),
  ]);
  return { path, proposal, people, parts, template, target };
}

type Approval = ProposalRecord['approvals'][number];

interface Applying extends Omit<Reads, 'proposal'> {
  proposal: ProposalRecord;
  state: EnvironmentState;
  counted: readonly Approval[];
}

async function requireApplicable(context: MemberContext, reads: Reads): Promise<Applying & Pick<Target, 'project'>> {
  const { project, state } = reads.target.reads;
  const found = await requireProposal(context, { ...reads, project, state });
  return { ...reads, ...found, counted: countedApprovals(found.proposal, found.people, found.state) };
}

/**
 * Records an approval. The one that completes the required number applies the proposal in the same commit.
 * @throws step_up_required, proposal_not_found, proposal_closed, self_approval, digest_mismatch, proposal_stale,
 * forbidden if the author may no longer write, and what the change throws
 */
export async function approveProposal(
  context: MemberContext,
  id: string,
  digest: string,
  begun: Reads,
): Promise<CheckedProposal> {
  return changeByCopy(
    begun,
    () => beginApplying(begun.path, id),
    async reads => {
      const applying = await requireApplicable(context, reads);
      const { proposal, state, counted, people } = applying;
      const { userId, email } = context.principal;
      context.requireFresh(true);
      requireOther(context, proposal);
      if (proposal.digest !== digest) {
        const message = 'This is not the digest of the proposal. Look at it again: it may have been proposed anew.';
        throw new ApiError('digest_mismatch', message);
      }
      const hasApproved = (proposal.state === 'applied' ? proposal.approvals : counted).some(one => one.id === userId);
      if (hasApproved && (isOpen(proposal) || proposal.state === 'applied'))
        return { proposal: proposalView(context.access, proposal, state, people) };
      requireOpen(proposal);
      const { record: member } = context.access;
      const approval = { id: userId, email, memberId: member.id, at: new Date().toISOString() };
      const withOwn = { ...applying, counted: [...counted, approval], people: new Map([...people, [userId, member]]) };
      const needed = state.approvals ?? 0;
      const completes = counted.length + 1 === needed && proposal.purpose !== 'rotation';
      if (completes) return apply(context, withOwn, approval);
      const approved = await recordApproval(context, withOwn, approval);
      return { proposal: proposalView(context.access, approved, state, withOwn.people) };
    },
  );
}

/** @throws self_approval */
export function requireOther({ principal }: MemberContext, proposal: ProposalRecord): void {
  if (!hasProposed(proposal, principal.userId)) return;
  const isAuthor = principal.userId === proposal.author.id;
  const how = isAuthor ? 'You proposed this change.' : 'You set up the identity that proposed this change.';
  throw new ApiError('self_approval', `${how} Somebody else has to decide about it.`);
}

async function recordApproval(
  context: MemberContext,
  { path, proposal, counted, state, target }: Applying,
  { id }: Approval,
): Promise<ProposalRecord> {
  const approvals = [...proposal.approvals.filter(one => one.id !== id), ...counted.filter(one => one.id === id)];
  const write = changeProposal(path, proposal, { approvals }, () => new DecisionOutdated());
  const project = context.access.requireProject(target.reads.project);
  await transact([write, await context.audit(proposalFacts('proposal.approved', { project, state }, proposal))]);
  return { ...proposal, approvals, step: proposal.step + 1 };
}

/**
 * Applies a proposal with enough approvals.
 * @throws approval_required, insufficient_scope, forbidden, proposal_not_found, proposal_closed, proposal_stale, and what
 * the change throws
 */
export async function applyProposal(context: MemberContext, id: string, begun: Reads): Promise<CheckedProposal> {
  return changeByCopy(
    begun,
    () => beginApplying(begun.path, id),
    async reads => {
      const applying = await requireApplicable(context, reads);
      const { proposal, state, counted } = applying;
      requireOpen(proposal);
      requireMayApply(context, applying);
      const needed = state.approvals ?? 0;
      if (counted.length < needed) {
        const message = `The proposal has ${counted.length} of ${needed} approvals.`;
        throw new ApiError('approval_required', message, { details: { approvals: counted.length, needed } });
      }
      return apply(context, applying, undefined);
    },
  );
}

/** @throws forbidden, insufficient_scope */
function requireMayApply({ principal }: MemberContext, { proposal, counted, state }: Applying): void {
  const { author, purpose } = proposal;
  const isAuthor = principal.userId === author.id;
  const isRotation = purpose === 'rotation';
  if (!isAuthor && (isRotation || counted.every(({ id }) => id !== principal.userId))) {
    throw new ApiError('forbidden', `Only the author${isRotation ? '' : ' or an approver'} may apply this proposal.`);
  }
  if ((state.approvals ?? 0) > 0 && !isRotation && principal.credential.method === 'token') throw sessionRequired();
}

/** Makes the change, with the caller's approval if it is the last one. */
async function apply(
  context: MemberContext,
  applying: Applying,
  approval: Approval | undefined,
): Promise<CheckedProposal> {
  const { path, proposal, people, counted, state, template, target } = applying;
  const { id, holds, author } = proposal;
  const approvers = approversOf(counted, context.principal.userId);
  let closed: ProposalRecord = proposal;
  let changed: Pick<Decision<void>, 'puts' | 'deletions'> = { puts: [], deletions: [] };
  const close = async ({ project, state: now }: Target): Promise<Write[]> => {
    if (!isOpen(proposal)) throw proposalClosed(proposal);
    // A grant may have ended since.
    const still = countedApprovals({ author, approvals: approvers }, people, now);
    if (still.length < approvers.length || !authorRights(proposal, people, now).write) throw new DecisionOutdated();
    const end = closing(proposal, 'applied', context.principal);
    const set = { ...end, approvals: approvers, revision: now.revision + 1 };
    closed = { ...proposal, ...set };
    const place = { project, state: now };
    return [
      changeProposal(path, proposal, set, () => new DecisionOutdated()),
      ...(approval === undefined ? [] : [await context.audit(proposalFacts('proposal.approved', place, proposal))]),
      ...stillAsRead(path.orgSlug, [author.id, ...approvers.map(approver => approver.id)], people),
    ];
  };
  await changeSecrets(context, target, {
    ifMatch: undefined,
    dryRun: false,
    message: proposal.message,
    approved: {
      proposal: { id, holds },
      author: { id: author.id, email: author.email },
      approvedBy: approvers.map(approver => ({ id: approver.id, email: approver.email })),
      authorMayRead: environment => authorRights(proposal, people, environment).read,
      close,
    },
    decide: async current => {
      const decision = await decide(applying, current);
      changed = decision;
      return decision;
    },
  });
  await removeParts(path, proposal);
  const view = proposalView(context.access, closed, state, people);
  return { proposal: view, ...templateProblems(template, state.projectId, changed) };
}

/** Those whose approval counts, up to as many as the commit has room for, and the caller if it is one of them. Pure. */
function approversOf(counted: readonly Approval[], callerId: string): Approval[] {
  const others = counted.filter(({ id }) => id !== callerId);
  const room = maxApprovals - (counted.length - others.length);
  const left = new Set(others.slice(room));
  return counted.filter(one => !left.has(one));
}

/** @throws DecisionOutdated if another number of approvals is required now; forbidden, proposal_stale */
async function decide(applying: Applying, current: CurrentSecrets): Promise<Decision<void>> {
  const { path, proposal, people, parts, state: read } = applying;
  const { state, ring } = current;
  if (state.approvals !== read.approvals) throw new DecisionOutdated();
  requireAuthorMay(proposal, people, state);
  const stale = await staleKeys(path, proposal, current);
  if (stale.length > 0) {
    // Another approval may have applied it since it was read.
    if ((await find(proposalAt(path, proposal.id)))?.step !== proposal.step) throw new DecisionOutdated();
    const message = 'Secrets that the proposal changes have changed since. Its author has to propose it anew.';
    throw new ApiError('proposal_stale', message, { details: { keys: stale } });
  }
  const proposed = await openValues(path, proposal, ring, parts);
  if (proposed === undefined) throw new DecisionOutdated();
  const expanding = new Set(proposal.expand);
  const puts = [...proposal.created, ...proposal.updated].map(([key]) => {
    const value = proposed.values.get(key);
    if (value === undefined) throw new Error(`The proposal ${proposal.id} has no value for one of its keys.`);
    return { key, value, expand: expanding.has(key) };
  });
  return {
    puts,
    deletions: proposal.deleted.map(([key]) => key),
    action: 'proposal.applied',
    ...(proposal.from && { from: { path, ...proposal.from } }),
    ...(proposal.restored !== undefined && { restored: proposal.restored }),
    answer: () => undefined,
  };
}

/** @throws forbidden */
function requireAuthorMay(proposal: ProposalRecord, people: People, state: EnvironmentState): void {
  const rights = authorRights(proposal, people, state);
  const needsManager = proposal.holds === 'restore' || proposal.deleted.length > 1;
  if (rights.write && (rights.manage || !needsManager)) return;
  throw new ApiError('forbidden', 'The author of the proposal may no longer make this change.');
}

/** The keys that are no longer at the version that was proposed against. */
async function staleKeys(
  path: EnvironmentPath,
  proposal: ProposalRecord,
  { head }: Pick<CurrentSecrets, 'head'>,
): Promise<string[]> {
  const without = keysOf(proposal).filter(key => head(key) === undefined);
  const tombstones = without.length === 0 ? [] : await findTombstones(path, without);
  const versions = new Map(tombstones.map(({ key, version }) => [key, version]));
  return staleAmong(proposal, key => head(key)?.version ?? versions.get(key));
}

/** @param versionNow of a key that has or had a value. Pure. */
export function staleAmong(
  { created, updated, deleted }: ProposalRecord,
  versionNow: (key: string) => number | undefined,
): string[] {
  return [...created, ...updated, ...deleted]
    .filter(([key, version]) => (versionNow(key) ?? 0) !== version)
    .map(([key]) => key)
    .toSorted();
}
