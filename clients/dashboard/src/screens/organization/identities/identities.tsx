import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Identity } from '@holdfast/contracts/identities/identities.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { call } from '../../../api.ts';
import { useLoad } from '../../../load.ts';
import { may } from '../../../session.ts';
import { Empty } from '../../../ui/empty.tsx';
import { Example } from '../../../ui/example.tsx';
import { ForRoles } from '../../../ui/for-roles.tsx';
import type { OrganizationProps } from '../../../ui/in-organization.tsx';
import { Leaked } from '../../../ui/leaked.tsx';
import { ListPage } from '../../../ui/list-page.tsx';
import { scopeInWords } from '../../../ui/scope-fields.tsx';
import type { Column } from '../../../ui/table.tsx';
import { LastUsed } from '../../../ui/time.tsx';
import { platforms } from './platforms.ts';
import { Trust } from './trust.tsx';

export function Identities({ organization }: OrganizationProps) {
  return (
    <ForRoles organization={organization} operation="list-identities" heading="Identities" doing="see identities">
      <IdentityList organization={organization} />
    </ForRoles>
  );
}

function IdentityList({ organization }: { organization: OwnOrganization }) {
  const params = { orgId: organization.id };
  const loaded = useLoad(organization.id, async signal => {
    const [{ identities }, { projects }] = await Promise.all([
      call('GET /v1/identities/{orgId}', { params, signal }),
      call('GET /v1/projects/{orgId}', { params, signal }),
    ]);
    return { identities, projects };
  });
  return (
    <ListPage
      title={`Identities · ${organization.name}`}
      heading="Identities"
      lead={`Pipelines and workloads that sign in with a token from their own platform, so they store no secret.${
        may('list-identities', organization.role) ? '' : ' You see those of the projects that you administer.'
      }`}
      loaded={loaded}
      rowsOf={({ identities }) => identities}
      columns={({ projects }) => columns(organization.slug, projects)}
      empty={<NoIdentities organization={organization} project={loaded.data?.projects[0]?.slug ?? 'web-shop'} />}
      add="New identity"
      to={`/organizations/${organization.slug}/identities/new`}
    />
  );
}

const columns = (slug: string, projects: readonly Project[]): readonly Column<Identity>[] => [
  {
    title: 'Identity',
    cell: ({ id, name }) => (
      <a class="key" href={`/organizations/${slug}/identities/${id}`}>
        {name}
      </a>
    ),
  },
  { title: 'May', cell: ({ access, role }) => `${access} as ${role}` },
  { title: 'In', cell: identity => scopeInWords(identity, projects) },
  { title: 'Trusts', cell: identity => <Trust identity={identity} /> },
  { title: 'Made by', cell: ({ createdBy }) => createdBy?.email ?? <span class="quiet">not recorded</span> },
  { title: 'Last used', cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} /> },
  {
    title: 'Actions',
    hiddenTitle: true,
    cell: ({ id, name }) => <Leaked slug={slug} type="identity" id={id} name={name} />,
  },
];

function NoIdentities({ organization: { slug }, project }: { organization: OwnOrganization; project: string }) {
  const id = 'a4c7e10b-52d9-8f36-b18e-6d03f9a2c754';
  const job = { url: window.location.origin, organization: slug, project, environment: 'production' };
  const [{ text }] = platforms.gitHub.setUp({ ...job, identity: { id, audience: '' } });
  return (
    <Empty title="No identities yet.">
      <p>
        An identity lets a pipeline read secrets without a stored token. The job identifies itself with a signed token
        from GitHub, GitLab, Kubernetes or your cloud. If its claims match, Holdfast gives it a token for a few minutes.
      </p>
      <Example title="A job on GitHub Actions, once the identity exists" text={text} />
    </Empty>
  );
}
