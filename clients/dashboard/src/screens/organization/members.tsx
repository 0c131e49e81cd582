import { roles } from 'virtual:contracts';
import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Member } from '@holdfast/contracts/members/members.ts';
import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { addressFlag } from '../../router.ts';
import { loadSession, mayAnywhere, whoMay, whyNot } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { MemberProjects } from '../../ui/member-projects.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Invitations } from './invitations.tsx';
import { Invite, rights } from './invite.tsx';
import { MemberTable } from './member-table.tsx';
import { type Removal, RemoveMember } from './remove-member.tsx';
import { TemporaryAccess } from './temporary-access.tsx';

type Roster = Answer<'GET /v1/members/{orgId}'>;

export function Members({ organization }: OrganizationProps) {
  return organization.limited ? <AccessToGive organization={organization} /> : <All organization={organization} />;
}

type OfOrganization = Pick<OrganizationProps, 'organization'>;

/** Limited members see no others, but a project's admin answers who asks for access to it. */
function AccessToGive({ organization }: OfOrganization) {
  return (
    <Page title={`Temporary access · ${organization.name}`} heading="Temporary access">
      {mayAnywhere('grant-request', organization) ? (
        <TemporaryAccess organization={organization} alone />
      ) : (
        <Empty title={whoMay('grant-request', 'see who asks for access')} />
      )}
    </Page>
  );
}

function All({ organization }: OfOrganization) {
  const { id: orgId, role: own } = organization;
  const roster = useLoad<Roster>(orgId, signal => call('GET /v1/members/{orgId}', { params: { orgId }, signal }));
  const [inviting, setInviting] = addressFlag('new');
  const [placing, setPlacing] = useState<Member>();
  const [removing, setRemoving] = useState<Removal>();
  const change = useAction(async (id: string, role: Role) => {
    await call('PATCH /v1/members/{orgId}/{id}', { params: { orgId, id }, body: { role } });
    showToast('Role changed.');
    await Promise.all([roster.reload(), loadSession()]);
  });
  return (
    <Page
      title={`Members · ${organization.name}`}
      heading="Members"
      actions={
        <>
          <a class="button" href={`/organizations/${organization.slug}/members/access`}>
            Who can read what
          </a>
          <Button kind="primary" onClick={() => setInviting(true)} whyNot={whyNot('invite-member', own)}>
            Invite
          </Button>
        </>
      }
    >
      <Problem error={change.error} />
      <Await of={roster}>
        {({ members, invitations }) => (
          <>
            <MemberTable
              members={members}
              organization={organization}
              busy={change.busy}
              onChange={(id, role) => void change.run(id, role)}
              onProjects={setPlacing}
              onRemove={setRemoving}
            />
            {whyNot('change-role', own) && <p class="hint">{whoMay('change-role', 'change roles')}</p>}
            {whyNot('get-exposure', own) && <p class="hint">{whoMay('get-exposure', 'see what a member saw')}</p>}
            <Invitations invitations={invitations} own={own} onCancel={setRemoving} />
          </>
        )}
      </Await>
      <TemporaryAccess organization={organization} />
      <Section title="What roles may do">
        <Facts facts={roles.map(role => [role, rights[role]])} />
      </Section>
      {inviting && <Invite orgId={orgId} own={own} onClose={() => setInviting(false)} onInvited={roster.reload} />}
      {placing !== undefined && (
        <MemberProjects
          orgId={orgId}
          member={placing}
          onClose={() => setPlacing(undefined)}
          onChanged={roster.reload}
        />
      )}
      {removing !== undefined && (
        <RemoveMember
          orgId={orgId}
          removal={removing}
          onClose={() => setRemoving(undefined)}
          onRemoved={() => (removing.own ? loadSession() : roster.reload())}
        />
      )}
    </Page>
  );
}
