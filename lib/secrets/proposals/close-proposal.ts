import type { MemberContext } from '../../access/request-context.ts';
import { auditWrite, systemActor } from '../../audit/write.ts';
import type { AuditAction } from '../../contracts/fields/audit-action.ts';
import { ApiError } from '../../core/errors.ts';
import { type Changes, equals } from '../../table/expressions.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import type { ProposalRecord } from '../../table/records/proposal.ts';
import { transactIfHolds, update, type Write } from '../../table/write.ts';
import { environmentFacts } from '../engine/read-environment.ts';
import { isExpired, isOpen, keysOf, proposalAt, removedAfter, removeParts } from './stored-proposal.ts';

type Place = {
  path: EnvironmentPath;
  project: { id: string; slug: string };
  state: { id: string; slug: string; revision: number };
};

/** A write of a proposal, if nobody has written it since it was read. */
export function changeProposal(
  path: EnvironmentPath,
  { id, environmentId, state, step }: ProposalRecord,
  set: NonNullable<Changes<ProposalRecord>['set']>,
  refused?: () => Error,
): Write {
  const isSame = { environmentId: equals(environmentId), state: equals(state), step: equals(step) };
  return update(proposalAt(path, id), { set: { ...set, step: step + 1 } }, { if: isSame, refused });
}

/** The facts of an audit entry about a proposal. */
export function proposalFacts(action: AuditAction, { project, state }: Omit<Place, 'path'>, proposal: ProposalRecord) {
  const { id, holds, author } = proposal;
  const details = { proposal: id, holds, author: author.email };
  return { action, ...environmentFacts(project, state, proposal.baseRevision), keys: keysOf(proposal), details };
}

export const proposalClosed = ({ state }: ProposalRecord) => {
  const end = state === 'open' ? 'expired' : state;
  return new ApiError('proposal_closed', `The proposal is no longer open: it was ${end}.`, { details: { state: end } });
};

/** What closing a proposal changes. A rotation that has started was kept for much longer than other proposals. */
export function closing<State extends ProposalRecord['state']>(
  { progress }: ProposalRecord,
  state: State,
  { userId: id, email }: { userId: string; email: string },
) {
  const closedAt = new Date().toISOString();
  const end = { state, closedAt, closedBy: { id, email } };
  return progress === undefined ? end : { ...end, expiresAt: removedAfter(closedAt) };
}

/** @throws proposal_closed */
export function requireOpen(proposal: ProposalRecord): void {
  if (!isOpen(proposal)) throw proposalClosed(proposal);
}

/**
 * Closes those of the proposals that have expired, with an audit entry by the service. Nothing else does: by its time,
 * an expired proposal counts as closed anyway.
 */
export async function closeExpired(
  { organization, source, log }: MemberContext,
  place: Place,
  proposals: readonly ProposalRecord[],
): Promise<void> {
  const expired = proposals.filter(proposal => proposal.state === 'open' && isExpired(proposal));
  await Promise.all(
    expired.map(async proposal => {
      try {
        const facts = proposalFacts('proposal.expired', place, proposal);
        const set = { state: 'expired' as const, closedAt: proposal.endsAt };
        const audit = await auditWrite(organization, systemActor, source, facts);
        if (await transactIfHolds([changeProposal(place.path, proposal, set), audit]))
          await removeParts(place.path, proposal);
      } catch (error) {
        log.warn('could not close an expired proposal', { proposalId: proposal.id, reason: String(error) });
      }
    }),
  );
}
