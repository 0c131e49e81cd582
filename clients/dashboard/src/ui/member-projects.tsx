import { roles } from 'virtual:contracts';
import type { ProjectRole } from '@holdfast/contracts/fields/project-role.ts';
import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Invitation, Member } from '@holdfast/contracts/members/members.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { useAction, useLoad } from '../load.ts';
import { may, user, whoMay } from '../session.ts';
import { Await } from './await.tsx';
import { Checkbox } from './checkbox.tsx';
import { Dialog } from './dialog.tsx';
import { Form, FormActions } from './form.tsx';
import { Problem } from './problem.tsx';
import { Select } from './select.tsx';
import { showToast } from './toast.tsx';

/** Why the user can't set the member's roles in projects; undefined if they can. */
export function whyNotProjects(own: Role, { role, userId }: Member): string | undefined {
  if (!may('set-project-roles', own)) return whoMay('set-project-roles');
  if (userId === user.value?.id) return 'Nobody changes their own rights.';
  return own !== 'owner' && isManager(role) ? 'Only owners can change owners and admins.' : undefined;
}

const isManager = (role: Role) => role === 'owner' || role === 'admin';

/** Of a member or of somebody invited. */
type Rights = Pick<Invitation, 'limited' | 'projectRoles'>;

/** The rights in projects that a form sets, with what a request says. */
export function useProjectRights({ limited: initial, projectRoles }: Rights) {
  const [limited, setLimited] = useState(initial);
  const [chosen, setChosen] = useState(() => new Map(projectRoles.map(one => [one.projectId, one.role])));
  const choose = (projectId: string, role: ProjectRole | '') => {
    const next = new Map(chosen);
    if (role === '') next.delete(projectId);
    else next.set(projectId, role);
    setChosen(next);
  };
  const requested = { limited, projectRoles: [...chosen].map(([projectId, role]) => ({ projectId, role })) };
  return { limited, setLimited, chosen, choose, requested };
}

const offered = roles.filter((role): role is ProjectRole => role !== 'owner');

interface ProjectRightsProps {
  orgId: string;
  /** The role in the organization. */
  role: Role;
  rights: ReturnType<typeof useProjectRights>;
  /** If the form is about one project only. */
  only?: Project | undefined;
}

/** A role for each project, or the one in the organization. */
export function ProjectRights({ orgId, role, rights, only }: ProjectRightsProps) {
  const { limited, setLimited, chosen, choose } = rights;
  const projects = useLoad(orgId, async signal =>
    only === undefined ? (await call('GET /v1/projects/{orgId}', { params: { orgId }, signal })).projects : [only],
  );
  const otherwise = limited && !isManager(role) ? 'not visible' : `${role}, as in the organization`;
  return (
    <>
      {!isManager(role) && (
        <Checkbox
          label="Limited to projects"
          checked={limited}
          onChange={setLimited}
          hint="Projects without a role here do not exist for them, and of the organization they see only its name."
        />
      )}
      <Await of={projects}>
        {list => (
          <>
            {list.map(({ id, slug, name }) => (
              <Select
                key={id}
                label={name === slug ? slug : `${name} (${slug})`}
                value={chosen.get(id) ?? ''}
                options={[['', otherwise] as const, ...offered.map(one => [one, one] as const)]}
                onChange={one => choose(id, one)}
              />
            ))}
            {list.length === 0 && <p class="hint">There are no projects yet.</p>}
          </>
        )}
      </Await>
    </>
  );
}

interface MemberProjectsProps {
  orgId: string;
  member: Member;
  only?: Project;
  onClose: () => void;
  onChanged: () => Promise<void>;
}

export function MemberProjects({ orgId, member, only, onClose, onChanged }: MemberProjectsProps) {
  const rights = useProjectRights(member);
  const save = useAction(async () => {
    const params = { orgId, id: member.id };
    await call('PUT /v1/members/{orgId}/{id}/projects', { params, body: rights.requested });
    showToast(`Projects of ${member.email} changed.`);
    await onChanged();
    onClose();
  });
  return (
    <Dialog title={<>Projects of {member.name || member.email}</>} onClose={onClose}>
      <Form onSubmit={() => void save.run()}>
        <ProjectRights orgId={orgId} role={member.role} rights={rights} only={only} />
        <p class="hint">In force with the member’s next request, also for their tokens.</p>
        <Problem error={save.error} />
        <FormActions busy={save.busy} onClose={onClose}>
          Save
        </FormActions>
      </Form>
    </Dialog>
  );
}

/** Rights in projects in a few words; undefined if there are none. */
export function projectsInWords({ limited, projectRoles }: Rights) {
  const listed = projectRoles.map(({ slug, role }) => `${slug}: ${role}`).join(', ');
  if (limited) return listed === '' ? 'limited to no project' : `only ${listed}`;
  return listed === '' ? undefined : listed;
}
