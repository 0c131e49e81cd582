import type { Place } from '../../../secrets/place.ts';
import { missingApprovals, type Proposal, proposalsPath } from '../../../secrets/propose.ts';
import { count } from '../../../ui/count.ts';
import { Time } from '../../../ui/time.tsx';
import { ChangedKeys } from '../revision-item.tsx';
import '../../../ui/journal.css';

/** One proposal of a list. */
export function ProposalEntry({ place, proposal }: { place: Place; proposal: Proposal }) {
  const { id, createdBy, createdAt, message } = proposal;
  return (
    <li>
      <p class="when">
        <Time at={createdAt} />
      </p>
      <div>
        <p>
          <strong>
            <a href={proposalsPath(place, id)}>{headline(proposal)}</a>
          </strong>{' '}
          <span class="quiet">{createdBy.email}</span>
        </p>
        <p>{outcome(proposal)}</p>
        {message !== null && <p class="message">“{message}”</p>}
        <ChangedKeys entry={proposal} />
      </div>
    </li>
  );
}

/** What is proposed: `Change of 3 keys`. Pure. */
export function headline({ holds, from, restored, created, updated, deleted, purpose }: Proposal): string {
  const keys = count(created.length + updated.length + deleted.length, 'key');
  if (holds === 'promotion' && from !== undefined) return `Promotion of ${keys} from ${from.slug} at ${from.revision}`;
  if (holds === 'restore') return `Restore of revision ${restored}: ${keys}`;
  return purpose === 'rotation' ? `Rotation of ${keys}` : `Change of ${keys}`;
}

function outcome(proposal: Proposal) {
  const { state, approvals, needed, closedBy, reason, revision, expiresAt } = proposal;
  const by = closedBy === undefined ? '' : ` by ${closedBy.email}`;
  switch (state) {
    case 'open':
      return (
        <>
          {missingApprovals(proposal) > 0
            ? `Waiting for approval: ${approvals.length} of ${needed}`
            : 'Ready to be applied'}
          <span class="quiet">
            , expires <Time at={expiresAt} />
          </span>
        </>
      );
    case 'applied':
      return `Applied as revision ${revision}${by}`;
    case 'rejected':
      return `Rejected${by}${reason === undefined ? '' : `: “${reason}”`}`;
    case 'withdrawn':
      return 'Withdrawn';
    case 'expired':
      return 'Expired';
  }
}
