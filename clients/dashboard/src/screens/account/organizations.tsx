import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { useState } from 'preact/hooks';
import { session } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Leave } from '../../ui/leave.tsx';
import { Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';

/** Here rather than on the organization's pages, which it may keep from a session without its provider or a factor. */
export function Organizations() {
  const [leaving, setLeaving] = useState<OwnOrganization>();
  return (
    <Section title="Organizations" lead="Where you are a member.">
      <Table
        caption="Organizations"
        rows={session.value?.organizations ?? []}
        keyOf={({ id }) => id}
        columns={columns(setLeaving)}
      />
      {leaving !== undefined && <Leave organization={leaving} onClose={() => setLeaving(undefined)} />}
    </Section>
  );
}

const columns = (onLeave: (organization: OwnOrganization) => void): readonly Column<OwnOrganization>[] => [
  { title: 'Organization', cell: ({ name }) => <strong>{name}</strong> },
  { title: 'Role', cell: ({ role }) => role },
  {
    title: 'Actions',
    hiddenTitle: true,
    cell: organization => (
      <Button kind="quiet" label={`Leave ${organization.name}`} onClick={() => onLeave(organization)}>
        Leave
      </Button>
    ),
  },
];
