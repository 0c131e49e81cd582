import type { ComponentChildren } from 'preact';
import type { Place } from '../../../secrets/place.ts';
import { missingApprovals, type Proposal } from '../../../secrets/propose.ts';
import { user } from '../../../session.ts';
import { count } from '../../../ui/count.ts';
import { Time } from '../../../ui/time.tsx';
import type { Surprise } from './use-proposal.ts';

interface StandingProps {
  proposal: Proposal;
  /** Keys that have changed since. */
  stale: readonly string[];
  place: Place;
  surprise: Surprise | undefined;
}

/** Where a proposal stands: what happened to it, and what comes next. */
export function Standing({ surprise, ...of }: StandingProps) {
  return (
    <div class="notice" role="status">
      {surprise === 'closed' && (
        <p>It was closed while you looked, so your decision had no effect. Here is what happened:</p>
      )}
      {surprise === 'anew' && of.proposal.state === 'open' && (
        <p>Its author proposed it again while you looked, and approvals started over. This is what is proposed now.</p>
      )}
      {of.proposal.state === 'open' ? <Open {...of} /> : <Closed {...of} />}
    </div>
  );
}

function Open({ proposal, stale, place: { env } }: Omit<StandingProps, 'surprise'>) {
  const { createdBy, approvals, needed, purpose } = proposal;
  const isAuthor = createdBy.id === user.value?.id;
  const missing = missingApprovals(proposal);
  const whoApplies = purpose === 'rotation' ? 'Its author' : 'Its author or an approver';
  return (
    <>
      <p>
        <strong>
          {missing > 0 ? `Waiting for approval: ${approvals.length} of ${needed}.` : 'Ready to be applied.'}
        </strong>{' '}
        {missing > 0
          ? `Nothing in ${env} has changed.`
          : `${needed === 0 ? `${env} needs no approval now.` : 'It has the approvals that it needs.'} ${isAuthor ? 'You' : whoApplies} can apply it.`}
      </p>
      {stale.length > 0 && (
        <p>
          {stale.length === 1 ? 'One of its keys has' : `${count(stale.length, 'key')} of it have`} changed in {env}{' '}
          since it was proposed, so it can’t be applied like this.{' '}
          {isAuthor
            ? `Propose the same values again, on ${env} as it is now, or withdraw it.`
            : `${createdBy.email} has to propose it again.`}
        </p>
      )}
    </>
  );
}

function Closed({ proposal, place }: Omit<StandingProps, 'surprise'>) {
  const { state, closedBy, closedAt, expiresAt, reason, revision } = proposal;
  const { orgSlug, project, env } = place;
  const environment = `/organizations/${orgSlug}/projects/${project}/environments/${env}`;
  const outcomes: Readonly<Record<Exclude<Proposal['state'], 'open'>, [outcome: string, next: ComponentChildren]>> = {
    applied: [
      `Applied as revision ${revision}`,
      <>
        Programs see it the next time they read {env}. <a href={`${environment}/revisions`}>History</a>
      </>,
    ],
    rejected: [
      'Rejected',
      <>
        Nothing in {env} changed. <a href={environment}>Stage other changes</a> to propose them.
      </>,
    ],
    withdrawn: ['Withdrawn', `Nothing in ${env} changed.`],
    expired: [
      'Expired',
      <>
        Nothing in {env} changed. If it is still needed, <a href={environment}>stage it</a> and propose it again.
      </>,
    ],
  };
  if (state === 'open') return null;
  const [outcome, next] = outcomes[state];
  return (
    <>
      <p>
        <strong>{outcome}</strong>
        {state !== 'expired' && closedBy !== undefined && ` by ${closedBy.email}`}, <Time at={closedAt ?? expiresAt} />
        {reason === undefined ? '.' : `: “${reason}”`}
      </p>
      <p>{next}</p>
    </>
  );
}
