import { roles } from 'virtual:contracts';
import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Member } from '@holdfast/contracts/members/members.ts';
import { may, user } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Leaked } from '../../ui/leaked.tsx';
import { projectsInWords, whyNotProjects } from '../../ui/member-projects.tsx';
import { Person } from '../../ui/person.tsx';
import { Select } from '../../ui/select.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { Removal } from './remove-member.tsx';

interface MemberTableProps {
  members: readonly Member[];
  /** The organization's. */
  slug: string;
  /** The role of the current user. */
  own: Role;
  busy: boolean;
  onChange: (id: string, role: Role) => void;
  onProjects: (member: Member) => void;
  onRemove: (removal: Removal) => void;
}

export function MemberTable({ members, slug, own, busy, onChange, onProjects, onRemove }: MemberTableProps) {
  const owners = members.filter(({ role }) => role === 'owner').length;
  const isLastOwner = (member: Member) => member.role === 'owner' && owners === 1;
  const columns: Column<Member>[] = [
    {
      title: 'Member',
      cell: ({ name, email }) => (name === '' ? <Person name={email} /> : <Person name={name} detail={email} />),
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
          {may('get-exposure', own) && <Leaked slug={slug} type="user" id={member.userId} name={member.email} />}
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
    <>
      {text}{' '}
      <Button kind="quiet" label={`Change projects of ${member.email}`} onClick={() => onOpen(member)}>
        Change
      </Button>
    </>
  );
}

/** You can remove members whose role is not above yours. */
function mayRemove(own: Role, { role }: Member): boolean {
  return may('remove-member', own) && roles.indexOf(own) <= roles.indexOf(role);
}

function removalOf({ id, email, userId }: Member): Removal {
  return { kind: 'member', id, userId, email, own: userId === user.value?.id };
}
