import type { Identity } from '@holdfast/contracts/identities/identities.ts';
import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { Await } from '../../ui/await.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { showToast } from '../../ui/toast.tsx';

/** A member or an invitation to remove; `own` is the user's own membership. */
export type Removal = { id: string; email: string; own: boolean } & (
  | { kind: 'member'; userId: string }
  | { kind: 'invitation' }
);

type Left = Answer<'DELETE /v1/members/{orgId}/{id}'>['left'];

const words = {
  member: {
    title: 'Remove member',
    action: 'Remove',
    effect: 'loses access at once. Their tokens for this organization are revoked.',
    done: (email: string) => `${email} removed.`,
  },
  invitation: {
    title: 'Cancel invitation',
    action: 'Cancel the invitation',
    effect: 'can no longer use the invitation.',
    done: () => 'Invitation cancelled.',
  },
} as const;

interface RemoveMemberProps {
  orgId: string;
  removal: Removal;
  onClose: () => void;
  onRemoved: () => Promise<void>;
}

export function RemoveMember({ orgId, removal, onClose, onRemoved }: RemoveMemberProps) {
  const { kind, id, email } = removal;
  const [endIdentities, setEndIdentities] = useState(false);
  const { title, action, effect, done } = words[kind];
  return (
    <Confirm
      title={title}
      action={action}
      onClose={onClose}
      onConfirm={async () => {
        const query = endIdentities ? { endIdentities } : {};
        const { left } = await call('DELETE /v1/members/{orgId}/{id}', { params: { orgId, id }, query });
        showToast(`${done(email)}${stillWorking(left)}`);
        await onRemoved();
      }}
    >
      <p>
        <strong class="mono">{email}</strong> {effect}
      </p>
      {removal.kind === 'member' && (
        <Identities orgId={orgId} userId={removal.userId} ending={endIdentities} onChange={setEndIdentities} />
      )}
    </Confirm>
  );
}

interface IdentitiesProps {
  orgId: string;
  userId: string;
  ending: boolean;
  onChange: (ending: boolean) => void;
}

/** The identities that the member created, with an option to delete them. */
function Identities({ orgId, userId, ending, onChange }: IdentitiesProps) {
  const loaded = useLoad<Identity[]>(`${orgId} ${userId}`, async signal => {
    const { identities } = await call('GET /v1/identities/{orgId}', { params: { orgId }, signal });
    return identities.filter(({ createdBy }) => createdBy?.id === userId);
  });
  return (
    <Await of={loaded}>
      {made =>
        made.length > 0 && (
          <>
            <p>This member created these identities, which keep working:</p>
            <ul>
              {made.map(({ id, name }) => (
                <li key={id}>{name}</li>
              ))}
            </ul>
            <Checkbox
              label="End these identities"
              hint="Jobs can no longer sign in as them, and their tokens stop working at once."
              checked={ending}
              onChange={onChange}
            />
          </>
        )
      }
    </Await>
  );
}

function stillWorking({ identities, webhooks }: Left): string {
  const names = [...identities.map(({ name }) => name), ...webhooks.map(({ url }) => url)];
  return names.length === 0 ? '' : ` Still working: ${names.join(', ')}.`;
}
