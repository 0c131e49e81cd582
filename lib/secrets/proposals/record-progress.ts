import type { MemberContext } from '../../access/request-context.ts';
import { type RotationProgress, rotationProgress } from '../../contracts/fields/proposal.ts';
import type { Proposal } from '../../contracts/secrets/proposals.ts';
import { ApiError, invalidRequest } from '../../core/errors.ts';
import { dayMs } from '../../core/time.ts';
import { isThere } from '../../table/expressions.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { at } from '../../table/read.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import { type ProposalRecord, proposalPartRecord } from '../../table/records/proposal.ts';
import { retryWithFreshRead, transact, update } from '../../table/write.ts';
import { changeProposal, proposalClosed, proposalFacts, requireOpen } from './close-proposal.ts';
import { requireAuthor } from './end-proposal.ts';
import { countedApprovals, type People } from './people.ts';
import { type ProposalReads, readProposal, requireProposal } from './read-proposal.ts';
import { partsRemovedAfter, removedAfter } from './stored-proposal.ts';
import { proposalView } from './view-proposal.ts';

/*
 * A rotation changes a value outside of Holdfast, in steps that can end anywhere. Before the first of them, its proposal
 * is marked as started: from then on its values may be the only ones that the outside accepts, so they must stay until
 * its author ends it.
 */

/** Longer than anybody waits. The end is only moved, so that older code keeps the values too. */
const startedDays = 3650;

const rankOf = (progress: RotationProgress | undefined) =>
  progress === undefined ? -1 : rotationProgress.indexOf(progress);

/**
 * Records how far a rotation is. Progress that it already has, or has passed, changes nothing.
 * @throws forbidden for anybody but the author; invalid_request unless it is a rotation; approval_required,
 * proposal_not_found, proposal_closed, rotation_open
 */
export function recordProgress(
  context: MemberContext,
  id: string,
  progress: RotationProgress,
  begun: ProposalReads,
): Promise<Proposal> {
  return retryWithFreshRead(
    begun,
    () => readProposal(begun.path, id),
    async reads => {
      const { path, project, state, proposal, people } = await requireProposal(context, reads);
      requireAuthor(context, proposal);
      if (proposal.purpose !== 'rotation') {
        throw invalidRequest([{ path: '', message: 'must be about a proposal whose purpose is rotation' }]);
      }
      requireReady(progress, proposal);
      if (rankOf(proposal.progress) >= rankOf(progress)) {
        return proposalView(context.access, proposal, state, people);
      }
      const starts = proposal.progress === undefined && proposal.state === 'open';
      if (starts) requireApproved(proposal, people, state);
      const endsAt = new Date(Date.now() + startedDays * dayMs).toISOString();
      const set = { progress, ...(starts && { endsAt, expiresAt: removedAfter(endsAt) }) };
      // Before the proposal says that they stay.
      if (starts) await keepParts(path, proposal, partsRemovedAfter(endsAt));
      const { details, ...facts } = proposalFacts('proposal.progressed', { project, state }, proposal);
      const audit = await context.audit({ ...facts, details: { ...details, progress } });
      await transact([changeProposal(path, proposal, set), audit]);
      return proposalView(context.access, { ...proposal, ...set }, state, people);
    },
  );
}

/** @throws proposal_closed, rotation_open */
function requireReady(progress: RotationProgress, proposal: ProposalRecord): void {
  if (progress !== 'finished') requireOpen(proposal);
  else if (proposal.state === 'open') {
    requireOpen(proposal);
    throw new ApiError('rotation_open', 'The rotation is not applied yet, so it is not finished.');
  } else if (proposal.state !== 'applied') throw proposalClosed(proposal);
}

/** @throws approval_required */
function requireApproved(proposal: ProposalRecord, people: People, state: EnvironmentState): void {
  const { length: approvals } = countedApprovals(proposal, people, state);
  const needed = state.approvals ?? 0;
  if (approvals >= needed) return;
  const message = `The proposal has ${approvals} of ${needed} approvals.`;
  throw new ApiError('approval_required', message, { details: { approvals, needed } });
}

/** A re-encryption at the same time changes other attributes. @throws ConditionFailed if the proposal has been closed */
async function keepParts(path: EnvironmentPath, { id, parts }: ProposalRecord, expiresAt: number): Promise<void> {
  await Promise.all(
    Array.from({ length: parts }, (_, index) =>
      transact([update(at(proposalPartRecord, path, id, index + 1), { set: { expiresAt } }, { if: isThere })]),
    ),
  );
}
