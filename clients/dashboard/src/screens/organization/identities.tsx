import { useState } from 'preact/hooks';
import type { OwnOrganization } from '../../../../../lib/contracts/auth/get-current-user.ts';
import type { Identity } from '../../../../../lib/contracts/identities/identity.ts';
import type { Project } from '../../../../../lib/contracts/projects/project.ts';
import { call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Example } from '../../ui/example.tsx';
import { ForRoles } from '../../ui/for-roles.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Person } from '../../ui/person.tsx';
import { scopeInWords } from '../../ui/scope-fields.tsx';
import type { Column } from '../../ui/table.tsx';
import { LastUsed } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { NewIdentity } from './new-identity.tsx';

export function Identities({ organization }: OrganizationProps) {
  return (
    <ForRoles organization={organization} operation="list-identities" heading="Identities" doing="see identities">
      <IdentityList organization={organization} />
    </ForRoles>
  );
}

function IdentityList({ organization }: { organization: OwnOrganization }) {
  const [deleting, setDeleting] = useState<Identity>();
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
      lead="Pipelines and workloads that sign in with a token from their own platform, so they store no secret."
      loaded={loaded}
      rowsOf={({ identities }) => identities}
      columns={({ projects }) => columns(projects, setDeleting)}
      empty={<NoIdentities organization={organization} />}
      add="New identity"
      dialog={({ projects }, onClose) => <NewIdentity orgId={organization.id} projects={projects} onClose={onClose} />}
    >
      {deleting !== undefined && (
        <DeleteIdentity
          identity={deleting}
          orgId={organization.id}
          onDeleted={loaded.reload}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </ListPage>
  );
}

const columns = (projects: readonly Project[], onDelete: (identity: Identity) => void): readonly Column<Identity>[] => [
  { title: 'Identity', cell: ({ id, name }) => <Person name={name} detail={id} /> },
  { title: 'May', cell: ({ access, role }) => `${access} as ${role}` },
  { title: 'In', cell: identity => scopeInWords(identity, projects) },
  { title: 'Trusts', cell: identity => <Trust identity={identity} /> },
  { title: 'Made by', cell: ({ createdBy }) => createdBy?.email ?? <span class="quiet">not recorded</span> },
  { title: 'Last used', cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} /> },
  {
    title: 'Actions',
    hiddenTitle: true,
    cell: identity => (
      <Button kind="quiet" label={`Delete ${identity.name}`} onClick={() => onDelete(identity)}>
        Delete
      </Button>
    ),
  },
];

function Trust({ identity }: { identity: Identity }) {
  const demanded = Object.entries(identity.claims).sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <div>
      <span class="mono">{identity.issuer}</span>
      {demanded.map(([name, value]) => (
        <div key={name} class="mono quiet">
          {name} = {[value].flat().join(' or ')}
        </div>
      ))}
    </div>
  );
}

function NoIdentities({ organization: { slug } }: { organization: OwnOrganization }) {
  return (
    <Empty title="No identities yet.">
      <p>
        An identity lets a pipeline read secrets without a stored token. The job proves what it is with a signed token
        of GitHub, GitLab, Kubernetes or your cloud. If its claims match, Holdfast gives it a token for a few minutes.
      </p>
      <Example
        title="A job on GitHub Actions, once the identity exists"
        text={`permissions:
  id-token: write
  contents: read
jobs:
  deploy:
    runs-on: ubuntu-latest
    env:
      HOLDFAST_URL: ${window.location.origin}
      HOLDFAST_ORG: ${slug}
      HOLDFAST_PROJECT: web-shop
      HOLDFAST_ENV: staging
      HOLDFAST_IDENTITY: a4c7e10b-52d9-8f36-b18e-6d03f9a2c754
    steps:
      - uses: actions/checkout@v4
      - run: holdfast run -- ./deploy.sh`}
      />
    </Empty>
  );
}

interface DeleteIdentityProps {
  identity: Identity;
  orgId: string;
  onDeleted: () => Promise<void>;
  onClose: () => void;
}

function DeleteIdentity({ identity, orgId, onDeleted, onClose }: DeleteIdentityProps) {
  return (
    <Confirm
      title={`Delete ${identity.name}?`}
      action="Delete"
      onConfirm={async () => {
        await call('DELETE /v1/identities/{orgId}/{identityId}', { params: { orgId, identityId: identity.id } });
        showToast(`Identity ${identity.name} deleted.`);
        await onDeleted();
      }}
      onClose={onClose}
    >
      <p>Jobs can’t sign in as this identity any more, and the tokens that it has now stop working at once.</p>
    </Confirm>
  );
}
