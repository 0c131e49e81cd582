import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { Refusal } from '../../../api.ts';
import { Confirmed } from '../../../secrets/apply.tsx';
import { missingApprovals, type Proposal } from '../../../secrets/propose.ts';
import { user } from '../../../session.ts';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/confirm.tsx';
import { Field } from '../../../ui/field.tsx';
import { Problem } from '../../../ui/problem.tsx';
import type { Decisions } from './use-proposal.ts';

interface DecideProps {
  proposal: Proposal;
  stale: readonly string[];
  environment: Environment;
  decisions: Decisions;
}

/** What the user may do with an open proposal: its author withdraws it or proposes it again, others approve or reject. */
export function Decide({ proposal, stale, environment, decisions }: DecideProps) {
  const isAuthor = proposal.createdBy.id === user.value?.id;
  const hasApproved = proposal.approvals.some(({ id }) => id === user.value?.id);
  const missing = missingApprovals(proposal);
  const isRotation = proposal.purpose === 'rotation';
  // Applied alone, a rotation would set a value that nothing outside may accept: its scripts come first.
  const mayApply = missing === 0 && !isRotation && (isAuthor || hasApproved);
  const completes = missing === 1 && !isRotation;
  const isStale = stale.length > 0;
  const whyNot = isStale ? 'Keys have changed since: its author has to propose it again first.' : undefined;
  const hasStarted = proposal.progress !== undefined;
  const end = isAuthor ? (
    <Withdraw onWithdraw={decisions.withdraw} hasStarted={hasStarted} />
  ) : (
    <Reject onReject={decisions.reject} hasStarted={hasStarted} />
  );
  return (
    <>
      <Problem error={decisions.error} />
      <Next error={decisions.error} isAuthor={isAuthor} />
      {isAuthor && isStale ? (
        <div class="actions">
          <Button kind="primary" busy={decisions.busy} onClick={decisions.rebase}>
            Propose again on the present values
          </Button>
          {end}
          {proposal.approvals.length > 0 && <span class="quiet">Approvals start over.</span>}
        </div>
      ) : mayApply ? (
        <Confirmed
          environment={environment}
          changesNow
          label="Apply as one revision"
          busy={decisions.busy}
          whyNot={whyNot}
          others={end}
          onConfirm={decisions.apply}
        />
      ) : isAuthor || hasApproved ? (
        <div class="actions">
          {end}
          {hasApproved && <span class="quiet">You approved it.</span>}
        </div>
      ) : (
        <Confirmed
          key={proposal.digest}
          environment={environment}
          changesNow={completes}
          label={completes ? 'Approve and apply' : 'Approve'}
          busy={decisions.busy}
          whyNot={whyNot}
          others={end}
          onConfirm={() => decisions.approve(proposal.digest)}
        />
      )}
    </>
  );
}

/** What to do after a refusal whose message does not say it. */
function Next({ error, isAuthor }: { error: unknown; isAuthor: boolean }) {
  if (!(error instanceof Refusal)) return null;
  if (error.code === 'forbidden' && !isAuthor)
    return <p>Nothing was applied. Reject the proposal, or propose the change yourself.</p>;
  if (error.code === 'invalid_request' && isAuthor)
    return <p>All of its values are already there: withdraw the proposal.</p>;
  return null;
}

const mayBeInUse = 'The rotation has started: its new value may be in use, and nothing else has it.';

/** @param hasStarted whether it is a rotation whose value may be in use already */
function Withdraw({ onWithdraw, hasStarted }: { onWithdraw: () => Promise<void>; hasStarted: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        Withdraw …
      </Button>
      {isOpen && (
        <Confirm title="Withdraw the proposal" action="Withdraw" onConfirm={onWithdraw} onClose={() => setOpen(false)}>
          <p>Nobody can approve or apply it then. Its values are erased.</p>
          {hasStarted && <p>{mayBeInUse}</p>}
        </Confirm>
      )}
    </>
  );
}

/** @param hasStarted whether it is a rotation that can only be rejected once its author may no longer write */
function Reject({ onReject, hasStarted }: { onReject: (message: string) => Promise<void>; hasStarted: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const [message, setMessage] = useState('');
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Reject …
      </Button>
      {isOpen && (
        <Confirm
          title="Reject the proposal"
          action="Reject"
          onConfirm={() => onReject(message.trim())}
          onClose={() => setOpen(false)}
        >
          {hasStarted && <p>{mayBeInUse} It can only be rejected once its author may no longer write here.</p>}
          <p>Nobody can apply it then. Its author sees your reason, and can propose something else.</p>
          <Field
            label="Why? (optional)"
            name="message"
            maxLength={200}
            value={message}
            onInput={setMessage}
            hint="One line for the author and the audit log. Never a value."
          />
        </Confirm>
      )}
    </>
  );
}
