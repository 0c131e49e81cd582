import type { MemberContext } from '../../access/request-context.ts';
import type { Proposal } from '../../contracts/secrets/proposals.ts';
import { ApiError } from '../../core/errors.ts';
import { retryWithFreshRead, transact } from '../../table/write.ts';
import { requireOther } from './apply-proposal.ts';
import { changeProposal, closing, proposalFacts, requireOpen } from './close-proposal.ts';
import { authorRights } from './people.ts';
import { requireMayReplace } from './propose.ts';
import { type ProposalReads, readProposal, requireProposal } from './read-proposal.ts';
import { removeParts } from './stored-proposal.ts';
import { proposalView } from './view-proposal.ts';

/** @throws self_approval, proposal_not_found, proposal_closed; rotation_open for one that has started, unless its author has left */
export function rejectProposal(
  context: MemberContext,
  id: string,
  reason: string | undefined,
  begun: ProposalReads,
): Promise<Proposal> {
  return end(context, id, begun, { state: 'rejected', reason });
}

/** @throws forbidden for anybody but the author; proposal_not_found, proposal_closed */
export function withdrawProposal(context: MemberContext, id: string, begun: ProposalReads): Promise<Proposal> {
  return end(context, id, begun, { state: 'withdrawn' });
}

async function end(
  context: MemberContext,
  id: string,
  begun: ProposalReads,
  { state: outcome, reason }: { state: 'rejected' | 'withdrawn'; reason?: string | undefined },
): Promise<Proposal> {
  return retryWithFreshRead(
    begun,
    () => readProposal(begun.path, id),
    async reads => {
      const { path, project, state, proposal, people } = await requireProposal(context, reads);
      if (outcome === 'rejected') requireOther(context, proposal);
      else requireAuthor(context, proposal);
      requireMayReplace(context, proposal);
      requireOpen(proposal);
      // If its author has left, somebody else has to end it, or its keys could never be rotated again.
      if (outcome === 'rejected' && proposal.progress !== undefined && authorRights(proposal, people, state).write) {
        const message = 'The rotation has started: its value may be in use already. Only its author can end it.';
        throw new ApiError('rotation_open', message);
      }
      const closed = closing(proposal, outcome, context.principal);
      const set = { ...closed, ...(reason !== undefined && { reason }) };
      const facts = proposalFacts(`proposal.${outcome}`, { project, state }, proposal);
      await transact([changeProposal(path, proposal, set), await context.audit({ ...facts, message: reason })]);
      await removeParts(path, proposal);
      return proposalView(context.access, { ...proposal, ...set }, state, people);
    },
  );
}

/** @throws forbidden */
export function requireAuthor({ principal }: MemberContext, { author }: { author: { id: string } }): void {
  if (principal.userId !== author.id) throw new ApiError('forbidden', 'Only the author of the proposal may do this.');
}
