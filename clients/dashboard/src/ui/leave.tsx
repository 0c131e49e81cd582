import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { call } from '../api.ts';
import { loadSession } from '../session.ts';
import { Confirm } from './confirm.tsx';
import { showToast } from './toast.tsx';

interface LeaveProps {
  organization: Pick<OwnOrganization, 'id' | 'name'>;
  onClose: () => void;
}

/** Asks before the user leaves the organization. */
export function Leave({ organization: { id: orgId, name }, onClose }: LeaveProps) {
  return (
    <Confirm
      title="Leave organization"
      action="Leave"
      onClose={onClose}
      onConfirm={async () => {
        await call('DELETE /v1/members/{orgId}/me', { params: { orgId } });
        showToast(`You left ${name}.`);
        await loadSession();
      }}
    >
      <p>
        You lose access to <strong>{name}</strong> at once, and your tokens for it are revoked. To come back, you need
        an invitation.
      </p>
    </Confirm>
  );
}
