import { call } from '../../api.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { showToast } from '../../ui/toast.tsx';

/** A member or an invitation to remove; `own` is the person's own membership. */
export interface Removal {
  kind: 'member' | 'invitation';
  id: string;
  email: string;
  own: boolean;
}

const words = {
  member: {
    title: 'Remove member',
    action: 'Remove',
    effect: 'loses access at once. Their tokens for this organization are revoked.',
    done: (email: string) => `${email} is removed.`,
  },
  invitation: {
    title: 'Cancel invitation',
    action: 'Cancel the invitation',
    effect: 'can’t use the invitation any more.',
    done: () => 'The invitation is cancelled.',
  },
} as const;

interface RemoveMemberProps {
  orgId: string;
  removal: Removal;
  onClose: () => void;
  onRemoved: () => Promise<void>;
}

export function RemoveMember({ orgId, removal: { kind, id, email }, onClose, onRemoved }: RemoveMemberProps) {
  const { title, action, effect, done } = words[kind];
  return (
    <Confirm
      title={title}
      action={action}
      onClose={onClose}
      onConfirm={async () => {
        await call('DELETE /v1/members/{orgId}/{id}', { params: { orgId, id } });
        showToast(done(email));
        await onRemoved();
      }}
    >
      <p>
        <strong class="mono">{email}</strong> {effect}
      </p>
    </Confirm>
  );
}
