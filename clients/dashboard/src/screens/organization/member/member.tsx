import { roles } from 'virtual:contracts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Member } from '@holdfast/contracts/members/members.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { type Answer, call } from '../../../api.ts';
import { useAction, useLoad } from '../../../load.ts';
import { navigate } from '../../../router.ts';
import { loadSession, may, whoMay } from '../../../session.ts';
import { Await } from '../../../ui/await.tsx';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Facts } from '../../../ui/facts.tsx';
import type { OrganizationProps } from '../../../ui/in-organization.tsx';
import { Leaked } from '../../../ui/leaked.tsx';
import { Leave } from '../../../ui/leave.tsx';
import { maySeeMember } from '../../../ui/member-name.tsx';
import { Page, Section } from '../../../ui/page.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { Select } from '../../../ui/select.tsx';
import { Time } from '../../../ui/time.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { mayRemove, removalOf } from '../member-rights.ts';
import { RemoveMember } from '../remove-member.tsx';
import { MemberAccess } from './access.tsx';
import { MemberTokens } from './tokens.tsx';

type Held = Answer<'GET /v1/members/{orgId}/{id}'>;

/** One member: what they may do, and what acts for them. */
export function MemberScreen({ organization, parameters: { id = '' } }: OrganizationProps) {
  const isOwn = id === organization.memberId;
  if (!maySeeMember(organization.slug, id))
    return (
      <Page title={`Member · ${organization.name}`} heading="Member">
        <Empty title={whoMay('invite-member', 'see what another member holds')}>
          <p>
            <a href={`/organizations/${organization.slug}/members/${organization.memberId}`}>See what you hold</a>
          </p>
        </Empty>
      </Page>
    );
  return <OneMember organization={organization} id={id} isOwn={isOwn} />;
}

function OneMember({ organization, id, isOwn }: { organization: OwnOrganization; id: string; isOwn: boolean }) {
  const orgId = organization.id;
  const loaded = useLoad(`${orgId} ${id}`, async signal => {
    const [held, { projects }] = await Promise.all([
      call('GET /v1/members/{orgId}/{id}', { params: { orgId, id }, signal }),
      call('GET /v1/projects/{orgId}', { params: { orgId }, signal }),
    ]);
    return { held, projects };
  });
  const member = loaded.data?.held.member;
  const name = isOwn ? 'You' : member?.name || member?.email || 'Member';
  return (
    <Page
      title={`${name} · ${organization.name}`}
      heading={name}
      lead={member?.email}
      actions={
        member !== undefined && <Leaked slug={organization.slug} type="user" id={member.userId} name={member.email} />
      }
    >
      <Await of={loaded} rows={8}>
        {({ held, projects }) => (
          <Details
            organization={organization}
            held={held}
            projects={projects}
            isOwn={isOwn}
            onChanged={loaded.reload}
          />
        )}
      </Await>
    </Page>
  );
}

interface DetailsProps {
  organization: OwnOrganization;
  held: Held;
  projects: readonly Project[];
  isOwn: boolean;
  onChanged: () => Promise<void>;
}

function Details({ organization, held, projects, isOwn, onChanged }: DetailsProps) {
  const { member, tokens, identities, lastSignInAt } = held;
  return (
    <>
      <Facts
        facts={[
          ['Role', <MemberRole key="role" organization={organization} member={member} onChanged={onChanged} />],
          ['Limited to projects', member.limited ? 'yes, to those below' : 'no'],
          ['Joined', <Time key="joined" at={member.joinedAt} />],
          ['Membership', member.via === 'provider' ? 'made by a sign-in through the provider' : 'made by a person'],
          ['Last sign-in', <LastSignIn key="sign-in" at={lastSignInAt} />],
        ]}
      />
      <MemberAccess organization={organization} member={member} projects={projects} onChanged={onChanged} />
      <MemberTokens {...{ organization, member, tokens, projects, isOwn, onChanged }} />
      {identities !== null && <MadeIdentities slug={organization.slug} identities={identities} />}
      <End organization={organization} member={member} isOwn={isOwn} />
    </>
  );
}

interface MemberRoleProps {
  organization: OwnOrganization;
  member: Member;
  onChanged: () => Promise<void>;
}

function MemberRole({ organization: { id: orgId, role: own }, member, onChanged }: MemberRoleProps) {
  const { id, email } = member;
  const change = useAction(async (role: Role) => {
    await call('PATCH /v1/members/{orgId}/{id}', { params: { orgId, id }, body: { role } });
    showToast('Role changed.');
    await Promise.all([onChanged(), loadSession()]);
  });
  if (!may('change-role', own)) return <>{member.role}</>;
  return (
    <>
      <Select
        label={`Role of ${email}`}
        hiddenLabel
        value={member.role}
        options={roles.map(role => [role, role] as const)}
        disabled={change.busy}
        onChange={role => void change.run(role)}
      />
      <Problem error={change.error} />
    </>
  );
}

function LastSignIn({ at }: { at: string | null }) {
  return at === null ? <>no longer recorded</> : <Time at={at} />;
}

function MadeIdentities({ slug, identities }: { slug: string; identities: NonNullable<Held['identities']> }) {
  return (
    <Section title="Identities" lead="Created by this member. They keep working when the member leaves.">
      {identities.length === 0 ? (
        <p class="hint">None.</p>
      ) : (
        <ul>
          {identities.map(({ id, name }) => (
            <li key={id}>
              <a href={`/organizations/${slug}/identities/${id}`}>{name}</a>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** How the membership ends: by leaving, or by being removed. */
function End({ organization, member, isOwn }: { organization: OwnOrganization; member: Member; isOwn: boolean }) {
  const [ending, setEnding] = useState(false);
  const onClose = () => setEnding(false);
  if (isOwn)
    return (
      <Section
        title="Leave"
        danger
        lead={`You lose access to ${organization.name}, and need an invitation to come back.`}
      >
        <Button kind="danger" onClick={() => setEnding(true)}>
          Leave organization
        </Button>
        {ending && <Leave organization={organization} onClose={onClose} />}
      </Section>
    );
  if (!mayRemove(organization.role, member)) return null;
  return (
    <Section title="Remove" danger lead="They lose access at once, and their tokens for this organization are revoked.">
      <Button kind="danger" onClick={() => setEnding(true)}>
        Remove member
      </Button>
      {ending && (
        <RemoveMember
          orgId={organization.id}
          removal={removalOf(member)}
          onClose={onClose}
          onRemoved={async () => navigate(`/organizations/${organization.slug}/members`, { replace: true })}
        />
      )}
    </Section>
  );
}
