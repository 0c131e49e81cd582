import { roles } from 'virtual:contracts';
import { useState } from 'preact/hooks';
import type { Role } from '../../../../../lib/contracts/fields/role.ts';
import { type Answer, call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { loadSession, may, user, whoMay } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Select } from '../../ui/select.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import '../../ui/facts.css';
import '../../ui/person.css';

type Roster = Answer<'GET /v1/members/{orgId}'>;
type Removal = { kind: 'member' | 'invitation'; id: string; email: string; own: boolean };

export const rights: Readonly<Record<Role, string>> = {
  owner: 'Everything, deletion included.',
  admin: 'Everything but deleting projects, changing roles and owners.',
  developer: 'Reads development and staging; writes every environment.',
  viewer: 'Reads development.',
};

export function Members({ organization }: OrganizationProps) {
  const params = { orgId: organization.id };
  const roster = useLoad<Roster>(organization.id, signal => call('GET /v1/members/{orgId}', { params, signal }));
  const [inviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<Removal>();
  const change = useAction(async (id: string, role: Role) => {
    await call('PATCH /v1/members/{orgId}/{id}', { params: { ...params, id }, body: { role } });
    showToast('The role is changed.');
    await Promise.all([roster.reload(), loadSession()]);
  });
  const mayChange = may('change-role', organization.role);
  const mayRemove = may('remove-member', organization.role);
  return (
    <Page
      title={`Members · ${organization.name}`}
      heading="Members"
      actions={
        <Button
          kind="primary"
          onClick={() => setInviting(true)}
          whyNot={may('invite-member', organization.role) ? undefined : whoMay('invite-member')}
        >
          Invite
        </Button>
      }
    >
      <Problem error={change.error} />
      <Await of={roster}>
        {({ members, invitations }) => (
          <>
            <Table
              caption="Members"
              rows={members}
              keyOf={member => member.id}
              columns={[
                {
                  title: 'Member',
                  cell: member => (
                    <span class="person">
                      <strong>{member.name || member.email}</strong>
                      {member.name !== '' && <span class="mono quiet">{member.email}</span>}
                    </span>
                  ),
                },
                {
                  title: 'Role',
                  cell: member =>
                    mayChange ? (
                      <Select
                        label={`Role of ${member.email}`}
                        hiddenLabel
                        value={member.role}
                        options={roles.map(role => [role, role])}
                        disabled={change.busy}
                        onChange={role => void change.run(member.id, role as Role)}
                      />
                    ) : (
                      member.role
                    ),
                },
                { title: 'Joined', cell: member => <Time at={member.joinedAt} /> },
                {
                  title: 'Actions',
                  hiddenTitle: true,
                  cell: member =>
                    mayRemove ? (
                      <Button
                        kind="quiet"
                        label={`Remove ${member.email}`}
                        onClick={() =>
                          setRemoving({
                            kind: 'member',
                            id: member.id,
                            email: member.email,
                            own: member.userId === user.value?.id,
                          })
                        }
                      >
                        Remove
                      </Button>
                    ) : null,
                },
              ]}
            />
            {!mayChange && <p class="hint">{whoMay('change-role').replace('do this', 'change roles')}</p>}
            {invitations.length > 0 && (
              <Section title="Invited">
                <Table
                  caption="Pending invitations"
                  rows={invitations}
                  keyOf={invitation => invitation.id}
                  columns={[
                    { title: 'E-mail', cell: invitation => <strong class="mono">{invitation.email}</strong> },
                    { title: 'Role', cell: invitation => invitation.role },
                    { title: 'Expires', cell: invitation => <Time at={invitation.expiresAt} /> },
                    {
                      title: 'Actions',
                      hiddenTitle: true,
                      cell: invitation =>
                        mayRemove ? (
                          <Button
                            kind="quiet"
                            label={`Cancel the invitation of ${invitation.email}`}
                            onClick={() =>
                              setRemoving({
                                kind: 'invitation',
                                id: invitation.id,
                                email: invitation.email,
                                own: false,
                              })
                            }
                          >
                            Cancel
                          </Button>
                        ) : null,
                    },
                  ]}
                />
              </Section>
            )}
          </>
        )}
      </Await>
      <Section title="What roles may do">
        <dl class="facts">
          {roles.map(role => (
            <div key={role}>
              <dt>{role}</dt>
              <dd>{rights[role]}</dd>
            </div>
          ))}
        </dl>
      </Section>
      {inviting && (
        <Invite
          orgId={organization.id}
          own={organization.role}
          onClose={() => setInviting(false)}
          onInvited={() => void roster.reload()}
        />
      )}
      {removing !== undefined && (
        <Confirm
          title={removing.kind === 'member' ? 'Remove member' : 'Cancel invitation'}
          action={removing.kind === 'member' ? 'Remove' : 'Cancel the invitation'}
          onClose={() => setRemoving(undefined)}
          onConfirm={async () => {
            await call('DELETE /v1/members/{orgId}/{id}', { params: { ...params, id: removing.id } });
            showToast(removing.kind === 'member' ? `${removing.email} is removed.` : 'The invitation is cancelled.');
            await (removing.own ? loadSession() : roster.reload());
          }}
        >
          <p>
            <strong class="mono">{removing.email}</strong>{' '}
            {removing.kind === 'member'
              ? 'loses access at once, and every token of theirs that is bound to this organization is revoked.'
              : 'can’t use the invitation any more.'}
          </p>
        </Confirm>
      )}
    </Page>
  );
}

function Invite({
  orgId,
  own,
  onClose,
  onInvited,
}: {
  orgId: string;
  own: Role;
  onClose: () => void;
  onInvited: () => void;
}) {
  const offered = roles.slice(roles.indexOf(own));
  const [role, setRole] = useState<Role>('developer');
  const invite = useAction(async ({ email = '' }: Record<string, string>) => {
    await call('POST /v1/members/{orgId}/invite', { params: { orgId }, body: { email, role } });
    showToast(`An invitation is on its way to ${email}.`);
    onInvited();
    onClose();
  });
  return (
    <Dialog title="Invite" onClose={onClose}>
      <Form onSubmit={values => void invite.run(values)}>
        <Field label="E-mail" name="email" type="email" required maxLength={254} error={invite.error} />
        <Select
          label="Role"
          value={role}
          options={offered.map(name => [name, name])}
          onChange={value => setRole(value as Role)}
          hint={rights[role]}
        />
        <p class="hint">The link of the mail works once, for seven days.</p>
        <Problem error={invite.error} />
        <FormActions busy={invite.busy} onClose={onClose}>
          Send invitation
        </FormActions>
      </Form>
    </Dialog>
  );
}
