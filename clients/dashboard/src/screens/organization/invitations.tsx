import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Invitation } from '@holdfast/contracts/members/members.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { projectsInWords } from '../../ui/member-projects.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { Removal } from './remove-member.tsx';

interface InvitationsProps {
  invitations: readonly Invitation[];
  own: Role;
  onCancel: (removal: Removal) => void;
}

export function Invitations({ invitations, own, onCancel }: InvitationsProps) {
  if (invitations.length === 0) return null;
  return (
    <Section title="Invited">
      <Table
        caption="Pending invitations"
        rows={invitations}
        keyOf={({ id }) => id}
        columns={[
          { title: 'E-mail', cell: ({ email }) => <strong class="mono">{email}</strong> },
          { title: 'Role', cell: ({ role }) => role },
          { title: 'Projects', cell: invitation => projectsInWords(invitation) ?? 'all' },
          { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          {
            title: 'Actions',
            hiddenTitle: true,
            cell: ({ id, email }) =>
              may('remove-member', own) && (
                <Button
                  kind="quiet"
                  label={`Cancel the invitation of ${email}`}
                  onClick={() => onCancel({ kind: 'invitation', id, email, own: false })}
                >
                  Cancel
                </Button>
              ),
          },
        ]}
      />
    </Section>
  );
}
