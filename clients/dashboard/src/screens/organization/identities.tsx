import { useState } from 'preact/hooks';
import type { Identity } from '../../../../../lib/contracts/identities/identity.ts';
import type { Project } from '../../../../../lib/contracts/projects/project.ts';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { may, whoMay } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Select } from '../../ui/select.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { scopeOf } from './webhooks.tsx';
import '../../ui/person.css';

export function Identities({ organization }: OrganizationProps) {
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<Identity>();
  const params = { orgId: organization.id };
  const allowed = may('list-identities', organization.role);
  const loaded = useLoad(organization.id, async signal => {
    if (!allowed) return { identities: [], projects: [] };
    const [{ identities }, { projects }] = await Promise.all([
      call('GET /v1/identities/{orgId}', { params, signal }),
      call('GET /v1/projects/{orgId}', { params, signal }),
    ]);
    return { identities, projects };
  });
  if (!allowed)
    return (
      <Page title={`Identities · ${organization.name}`} heading="Identities">
        <Empty title={whoMay('list-identities').replace('do this', 'see identities')} />
      </Page>
    );
  return (
    <Page
      title={`Identities · ${organization.name}`}
      heading="Identities"
      lead="Pipelines and workloads that sign in with the token of their platform. No secret is stored there."
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          New identity
        </Button>
      }
    >
      <Await of={loaded}>
        {({ identities, projects }) => (
          <>
            {identities.length === 0 ? (
              <Empty title="No identities yet." />
            ) : (
              <Table
                caption="Identities"
                rows={identities}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: 'Identity',
                    cell: ({ id, name }) => (
                      <span class="person">
                        <strong>{name}</strong>
                        <span class="mono quiet">{id}</span>
                      </span>
                    ),
                  },
                  { title: 'May', cell: ({ access, role }) => `${access} as ${role}` },
                  { title: 'In', cell: identity => scopeOf(identity, projects) },
                  { title: 'Trusts', cell: identity => <Trust identity={identity} /> },
                  {
                    title: 'Last used',
                    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />),
                  },
                  {
                    title: 'Actions',
                    hiddenTitle: true,
                    cell: identity => (
                      <Button kind="quiet" label={`Delete ${identity.name}`} onClick={() => setDeleting(identity)}>
                        Delete
                      </Button>
                    ),
                  },
                ]}
              />
            )}
            {creating && (
              <NewIdentity
                orgId={organization.id}
                projects={projects}
                onClose={() => {
                  setCreating(false);
                  void loaded.reload();
                }}
              />
            )}
          </>
        )}
      </Await>
      {deleting !== undefined && (
        <Confirm
          title={`Delete ${deleting.name}?`}
          action="Delete"
          onConfirm={async () => {
            await call('DELETE /v1/identities/{orgId}/{identityId}', {
              params: { ...params, identityId: deleting.id },
            });
            showToast(`${deleting.name} is deleted.`);
            await loaded.reload();
          }}
          onClose={() => setDeleting(undefined)}
        >
          <p>What runs as this identity can’t sign in any more, and the tokens that it has end at once.</p>
        </Confirm>
      )}
    </Page>
  );
}

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

/** `name = value` lines; a name on several lines takes any of its values. */
function claimsOf(text: string): Record<string, string[]> {
  const claims: Record<string, string[]> = Object.create(null);
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    const name = (at < 0 ? line : line.slice(0, at)).trim();
    claims[name] = [...(claims[name] ?? []), at < 0 ? '' : line.slice(at + 1).trim()];
  }
  return claims;
}

const gitHub = 'https://token.actions.githubusercontent.com';

function NewIdentity({
  orgId,
  projects,
  onClose,
}: {
  orgId: string;
  projects: readonly Project[];
  onClose: () => void;
}) {
  const [access, setAccess] = useState<Identity['access']>('read');
  const [role, setRole] = useState<Identity['role']>('developer');
  const [projectId, setProjectId] = useState('');
  const [environmentId, setEnvironmentId] = useState('');
  const [made, setMade] = useState<Identity>();
  const project = projects.find(({ id }) => id === projectId);
  const create = useAction(
    async ({ name = '', issuer = '', claims = '', tokenMinutes = '' }: Record<string, string>) => {
      const { identity } = await call('POST /v1/identities/{orgId}', {
        params: { orgId },
        body: {
          name,
          issuer,
          access,
          role,
          claims: claimsOf(claims),
          tokenMinutes: Number(tokenMinutes),
          ...(projectId === '' ? {} : { projectId }),
          ...(environmentId === '' ? {} : { environmentId }),
        },
      });
      setMade(identity);
    },
  );
  if (made !== undefined)
    return (
      <Dialog title="Identity created" onClose={onClose}>
        <p>Give these to the job. Neither is a secret.</p>
        <dl>
          <dt>HOLDFAST_IDENTITY</dt>
          <dd class="mono">{made.id}</dd>
          <dt>Audience of its token, where the platform asks for it</dt>
          <dd class="mono">{made.audience}</dd>
        </dl>
        <div class="actions">
          <Button onClick={onClose}>Done</Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="New identity" onClose={onClose}>
      <Form onSubmit={values => void create.run(values)}>
        <Field label="Name" name="name" required maxLength={100} error={create.error} autofocus />
        <Select
          label="Access"
          value={access}
          options={[
            ['read', 'read'],
            ['write', 'write'],
          ]}
          onChange={value => setAccess(value as Identity['access'])}
        />
        <Select
          label="Role"
          value={role}
          options={[
            ['developer', 'developer'],
            ['viewer', 'viewer'],
          ]}
          onChange={value => setRole(value as Identity['role'])}
        />
        <Select
          label="Project"
          value={projectId}
          options={[['', 'All projects'], ...projects.map(({ id, slug }) => [id, slug] as const)]}
          onChange={id => {
            setProjectId(id);
            setEnvironmentId('');
          }}
        />
        {project !== undefined && (
          <Select
            label="Environment"
            value={environmentId}
            options={[['', 'All environments'], ...project.environments.map(({ id, slug }) => [id, slug] as const)]}
            onChange={setEnvironmentId}
          />
        )}
        <Field
          label="Issuer"
          name="issuer"
          type="url"
          mono
          required
          value={gitHub}
          maxLength={500}
          hint="Who signs the tokens: their exact iss."
          error={create.error}
        />
        <Field
          label="Claims"
          name="claims"
          mono
          multiline
          required
          rows={3}
          placeholder={'repository_id = 74\nrepository_owner_id = 65\nref = refs/heads/main'}
          hint="One name = value in a line, exact; the same name on several lines allows any of them. Ids can’t be taken over, names can."
          error={create.error}
        />
        <Field
          label="Minutes that a token is valid"
          name="tokenMinutes"
          type="number"
          value="15"
          min={5}
          max={60}
          required
          error={create.error}
        />
        <Problem error={create.error} />
        <FormActions busy={create.busy} onClose={onClose}>
          Create identity
        </FormActions>
      </Form>
    </Dialog>
  );
}
