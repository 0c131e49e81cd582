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
export function Standing({ surprise, stale, ...of }: StandingProps) {
  const isOpen = of.proposal.state === 'open';
  return (
    <>
      <div class="notice" role="status">
        {surprise === 'closed' && (
          <p>It was closed while you looked, so your decision had no effect. Here is what happened:</p>
        )}
        {surprise === 'anew' && isOpen && (
          <p>
            Its author proposed it again while you looked, and approvals started over. This is what is proposed now.
          </p>
        )}
        {isOpen ? <Open {...of} /> : <Closed {...of} />}
      </div>
      {stale.length > 0 && <Stale {...of} count={stale.length} />}
    </>
  );
}

type OfProposal = Pick<StandingProps, 'proposal' | 'place'>;

const isOwn = ({ createdBy }: Proposal) => createdBy.id === user.value?.id;

function Open({ proposal, place: { env } }: OfProposal) {
  const { approvals, needed, purpose } = proposal;
  if (missingApprovals(proposal) > 0)
    return (
      <p>
        <strong>
          Waiting for approval: {approvals.length} of {needed}.
        </strong>{' '}
        Nothing in {env} has changed.
      </p>
    );
  const isMine = isOwn(proposal);
  const next =
    purpose === 'rotation'
      ? `${isMine ? 'Go on with it, with its scripts' : 'Its author goes on with it'}: holdfast rotate --resume`
      : `${isMine ? 'You' : 'Its author or an approver'} can apply it.`;
  return (
    <p>
      <strong>Ready to be applied.</strong>{' '}
      {needed === 0 ? `${env} needs no approval now.` : 'It has the approvals that it needs.'} {next}
    </p>
  );
}

function Stale({ proposal, place: { env }, count: number }: OfProposal & { count: number }) {
  return (
    <div class="refusal">
      <p>
        {number === 1 ? 'One of its keys has' : `${count(number, 'key')} of it have`} changed in {env} since it was
        proposed, so it can’t be applied like this.{' '}
        {isOwn(proposal)
          ? `Propose the same values again, on ${env} as it is now, or withdraw it.`
          : `${proposal.createdBy.email} has to propose it again.`}
      </p>
    </div>
  );
}

function Closed({ proposal, place }: OfProposal) {
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
