import type { Recovery } from '@holdfast/contracts/fields/recovery.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { user } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';

interface RecoveryProps {
  orgId: string;
  recovery: Recovery | null;
  onChanged: () => void;
}

/** Gives another owner to an organization that lost its own. */
export function RecoverySection({ orgId, recovery, onChanged }: RecoveryProps) {
  return (
    <Section
      title="Lost owner"
      lead="If no owner can log in any more, two administrators can make another person an owner. Everybody in the organization is mailed and can stop it."
    >
      {recovery !== null && <RecoveryFacts recovery={recovery} />}
      {recovery?.state === 'waiting' ? (
        <Steps orgId={orgId} recovery={recovery} onChanged={onChanged} />
      ) : (
        <Start orgId={orgId} onChanged={onChanged} />
      )}
    </Section>
  );
}

const states: Readonly<Record<Recovery['state'], string>> = {
  waiting: 'waiting',
  completed: 'completed',
  stopped: 'stopped',
  expired: 'expired',
};

function RecoveryFacts({ recovery }: { recovery: Recovery }) {
  const { newOwner, reason, startedBy, startedAt, approvedBy, waitsUntil, endedAt, state } = recovery;
  return (
    <Facts
      facts={[
        [
          'State',
          <>
            {states[state]} {endedAt !== null && <Time at={endedAt} />}
          </>,
        ],
        ['Future owner', `${newOwner.email}, ${newOwner.isMember ? 'a member' : 'not a member'}`],
        ['Reason', reason],
        [
          'Started by',
          <>
            {startedBy.email}, <Time at={startedAt} />
          </>,
        ],
        ['Approved by', approvedBy?.email ?? 'nobody yet'],
        ...(state === 'waiting' ? [['Waiting time', <WaitingTime until={waitsUntil} />] as const] : []),
      ]}
    />
  );
}

function WaitingTime({ until }: { until: string | null }) {
  if (until === null) return <>begins when everybody has been mailed</>;
  if (isOver(until)) return <>over</>;
  return (
    <>
      ends <Time at={until} />
    </>
  );
}

const isOver = (until: string | null) => until !== null && Date.parse(until) <= Date.now();

type Step = 'approve' | 'complete' | 'stop';

const done: Readonly<Record<Step, string>> = {
  approve: 'Recovery approved.',
  complete: 'Recovery completed: the person is an owner.',
  stop: 'Recovery stopped.',
};

function Steps({ orgId, recovery, onChanged }: RecoveryProps & { recovery: Recovery }) {
  const [confirming, setConfirming] = useState<Exclude<Step, 'approve'>>();
  const send = async (step: Step) => {
    await call('PATCH /v1/admin/orgs/{orgId}/recovery', { params: { orgId }, body: { id: recovery.id, step } });
    showToast(done[step]);
    onChanged();
  };
  const approve = useAction(() => send('approve'));
  return (
    <>
      <Problem error={approve.error} />
      <div class="actions">
        {recovery.approvedBy === null && (
          <Button busy={approve.busy} onClick={() => void approve.run()} whyNot={whyNotApprove(recovery)}>
            Approve
          </Button>
        )}
        <Button kind="primary" onClick={() => setConfirming('complete')} whyNot={whyNotComplete(recovery)}>
          Make {recovery.newOwner.email} an owner
        </Button>
        <Button kind="danger" onClick={() => setConfirming('stop')}>
          Stop
        </Button>
      </div>
      {confirming !== undefined && (
        <Confirm
          title={confirming === 'stop' ? 'Stop the recovery' : `Make ${recovery.newOwner.email} an owner`}
          action={confirming === 'stop' ? 'Stop it' : 'Make an owner'}
          onClose={() => setConfirming(undefined)}
          onConfirm={() => send(confirming)}
        >
          <p>Everybody in the organization is mailed.</p>
        </Confirm>
      )}
    </>
  );
}

function whyNotApprove({ startedBy }: Recovery): string | undefined {
  return startedBy.id === user.value?.id ? 'You started it, so another administrator has to approve it.' : undefined;
}

function whyNotComplete({ approvedBy, waitsUntil }: Recovery): string | undefined {
  if (approvedBy === null) return 'Another administrator has to approve it first.';
  return isOver(waitsUntil) ? undefined : 'The waiting time is not over.';
}

function Start({ orgId, onChanged }: Omit<RecoveryProps, 'recovery'>) {
  const start = useAction(async ({ email = '', reason = '' }: Record<string, string>) => {
    await call('POST /v1/admin/orgs/{orgId}/recovery', { params: { orgId }, body: { email, reason } });
    showToast('Recovery started.');
    onChanged();
  });
  return (
    <Form onSubmit={values => void start.run(values)}>
      <Field label="E-mail address of the future owner" name="email" type="email" required error={start.error} />
      <Field label="Reason, which everybody there reads" name="reason" required maxLength={200} error={start.error} />
      <Problem error={start.error} />
      <div class="actions">
        <Button type="submit" kind="danger" busy={start.busy}>
          Start a recovery
        </Button>
      </div>
    </Form>
  );
}
