import { roles } from 'virtual:contracts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Member } from '@holdfast/contracts/members/members.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Leaked } from '../../ui/leaked.tsx';
import { MemberName } from '../../ui/member-name.tsx';
import { projectsInWords, whyNotProjects } from '../../ui/member-projects.tsx';
import { Select } from '../../ui/select.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { mayRemove, removalOf } from './member-rights.ts';
import type { Removal } from './remove-member.tsx';

interface MemberTableProps {
  members: readonly Member[];
  organization: OwnOrganization;
  busy: boolean;
  onChange: (id: string, role: Role) => void;
  onProjects: (member: Member) => void;
  onRemove: (removal: Removal) => void;
}

export function MemberTable({ members, organization, busy, onChange, onProjects, onRemove }: MemberTableProps) {
  const { slug, role: own } = organization;
  const owners = members.filter(({ role }) => role === 'owner').length;
  const isLastOwner = (member: Member) => member.role === 'owner' && owners === 1;
  const columns: Column<Member>[] = [
    {
      title: 'Member',
      cell: member => <MemberName slug={slug} member={member} />,
    },
    {
      title: 'Role',
      cell: member =>
        may('change-role', own) && !isLastOwner(member) ? (
          <Select
            label={`Role of ${member.email}`}
            hiddenLabel
            value={member.role}
            options={roles.map(role => [role, role] as const)}
            disabled={busy}
            onChange={role => onChange(member.id, role)}
          />
        ) : (
          <div>
            {member.role}
            {mayRemove(own, member) && isLastOwner(member) && (
              <p class="why-not">The last owner. To change this, make another member an owner first.</p>
            )}
          </div>
        ),
    },
    { title: 'Projects', cell: member => <Projects member={member} own={own} onOpen={onProjects} /> },
    {
      title: 'Joined',
      cell: ({ joinedAt, via }) => (
        <>
          <Time at={joinedAt} />
          {via === 'provider' && <span class="quiet"> through the provider</span>}
        </>
      ),
    },
    {
      title: 'Actions',
      hiddenTitle: true,
      cell: member => (
        <>
          <Leaked slug={slug} type="user" id={member.userId} name={member.email} />
          {mayRemove(own, member) && !isLastOwner(member) && (
            <Button kind="quiet" label={`Remove ${member.email}`} onClick={() => onRemove(removalOf(member))}>
              Remove
            </Button>
          )}
        </>
      ),
    },
  ];
  return <Table caption="Members" rows={members} keyOf={({ id }) => id} columns={columns} />;
}

interface ProjectsProps {
  member: Member;
  own: Role;
  onOpen: (member: Member) => void;
}

function Projects({ member, own, onOpen }: ProjectsProps) {
  const text = projectsInWords(member) ?? 'all';
  if (whyNotProjects(own, member) !== undefined) return <>{text}</>;
  return (
    <div class="stacked">
      {text}
      <Button kind="quiet" label={`Change projects of ${member.email}`} onClick={() => onOpen(member)}>
        Change
      </Button>
    </div>
  );
}
