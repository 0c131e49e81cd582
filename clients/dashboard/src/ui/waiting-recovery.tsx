import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { loadSession } from '../session.ts';
import { Button } from './button.tsx';
import { Confirm } from './confirm.tsx';
import { Time } from './time.tsx';
import { showToast } from './toast.tsx';

/** Tells an owner who can log in that operators believe the opposite. */
export function WaitingRecovery({ organization: { id: orgId, recovery } }: { organization: OwnOrganization }) {
  const [confirming, setConfirming] = useState(false);
  if (recovery === undefined) return null;
  return (
    <div class="refusal" role="alert">
      <p>
        The operators of this service were told that no owner can log in any more, and are about to make{' '}
        <strong class="mono">{recovery.newOwner.email}</strong> an owner
        {recovery.waitsUntil !== null && (
          <>
            , <Time at={recovery.waitsUntil} /> at the earliest
          </>
        )}
        . Reason: “{recovery.reason}”
      </p>
      <Button kind="danger" onClick={() => setConfirming(true)}>
        Stop it
      </Button>
      {confirming && (
        <Confirm
          title="Stop the recovery"
          action="Stop it"
          onClose={() => setConfirming(false)}
          onConfirm={async () => {
            await call('DELETE /v1/orgs/{orgId}/recovery', { params: { orgId } });
            await loadSession();
            showToast('Recovery stopped.');
          }}
        >
          <p>Nobody becomes an owner, and everybody in the organization is mailed.</p>
        </Confirm>
      )}
    </div>
  );
}
