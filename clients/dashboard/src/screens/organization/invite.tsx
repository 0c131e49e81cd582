import { roles } from 'virtual:contracts';
import type { Role } from '@holdfast/contracts/fields/role.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import { ProjectRights, useProjectRights } from '../../ui/member-projects.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Select } from '../../ui/select.tsx';
import { showToast } from '../../ui/toast.tsx';

/** What each role may do, in a sentence. */
export const rights: Readonly<Record<Role, string>> = {
  owner: 'Everything, including deleting the organization.',
  admin: 'Everything except deleting projects, changing roles and removing owners.',
  developer: 'Reads development and staging; writes to every environment.',
  viewer: 'Reads development.',
};

interface InviteProps {
  orgId: string;
  own: Role;
  onClose: () => void;
  onInvited: () => Promise<void>;
}

export function Invite({ orgId, own, onClose, onInvited }: InviteProps) {
  const offered = roles.slice(roles.indexOf(own));
  const [role, setRole] = useState<Role>('developer');
  const inProjects = useProjectRights({ limited: false, projectRoles: [] });
  const [showsProjects, setShowsProjects] = useState(false);
  const invite = useAction(async ({ email = '' }: Record<string, string>) => {
    const isManager = role === 'owner' || role === 'admin';
    const body = { email, role, ...inProjects.requested, ...(isManager ? { limited: false } : {}) };
    const { mailed } = await call('POST /v1/members/{orgId}/invite', { params: { orgId }, body });
    showToast(
      mailed
        ? `An invitation is on its way to ${email}.`
        : `${email} is invited, but has had too many invitations by e-mail today. Invite again tomorrow to send one.`,
    );
    await onInvited();
    onClose();
  });
  return (
    <Dialog title="Invite" onClose={onClose}>
      <Form onSubmit={values => void invite.run(values)}>
        <Field label="E-mail" name="email" type="email" required maxLength={254} error={invite.error} />
        <Select
          label="Role"
          value={role}
          options={offered.map(name => [name, name] as const)}
          onChange={setRole}
          hint={rights[role]}
        />
        {showsProjects ? (
          <ProjectRights orgId={orgId} role={role} rights={inProjects} />
        ) : (
          <button type="button" class="link" onClick={() => setShowsProjects(true)}>
            Another role in single projects
          </button>
        )}
        <p class="hint">The link in the e-mail works once, within seven days.</p>
        <Problem error={invite.error} />
        <FormActions busy={invite.busy} onClose={onClose}>
          Send invitation
        </FormActions>
      </Form>
    </Dialog>
  );
}
