import type { MemberAccess } from '../../access/member-access.ts';
import type { Proposal } from '../../contracts/secrets/proposals.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { ProposalRecord } from '../../table/records/proposal.ts';
import { countedApprovals, type People } from './people.ts';
import { generatedIn, isExpired, shownUpdates } from './stored-proposal.ts';

/** A proposal as the API shows it to a caller, with the approvals that count now. Pure. */
export function proposalView(
  access: MemberAccess,
  proposal: ProposalRecord,
  state: EnvironmentState,
  people: People,
): Proposal {
  const { id, digest, holds, baseRevision, from, restored, message, purpose, progress, author, createdAt, endsAt } =
    proposal;
  const { closedAt, closedBy, reason, revision } = proposal;
  const isOver = proposal.state === 'open' && isExpired(proposal);
  const generated = generatedIn(proposal);
  const namesOf = (keys: ProposalRecord['created']) => keys.map(([key]) => key).toSorted();
  const updated = shownUpdates(access, proposal).toSorted();
  const shown = new Set([...namesOf(proposal.created), ...updated]);
  const expand = proposal.expand?.filter(key => shown.has(key)) ?? [];
  // What was approved stays approved: people may leave afterwards.
  const isApplied = proposal.state === 'applied';
  const approvals = isApplied ? proposal.approvals : countedApprovals(proposal, people, state);
  return {
    id,
    digest,
    state: isOver ? 'expired' : proposal.state,
    holds,
    baseRevision,
    created: namesOf(proposal.created),
    updated,
    deleted: namesOf(proposal.deleted),
    ...(expand.length > 0 && { expand }),
    ...(generated.length > 0 && { generated: generated.toSorted() }),
    ...(from && !access.isGuestIn(state.projectId) && { from: { slug: from.slug, revision: from.revision } }),
    restored,
    message: message ?? null,
    purpose: purpose ?? null,
    progress,
    createdBy: { id: author.id, email: author.email },
    approvals: approvals.map(({ id: userId, email, at }) => ({ id: userId, email, at })),
    needed: state.approvals ?? 0,
    createdAt,
    expiresAt: endsAt,
    closedAt,
    closedBy,
    reason,
    revision,
  };
}
