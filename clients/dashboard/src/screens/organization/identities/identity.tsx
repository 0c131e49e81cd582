import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Identity } from '@holdfast/contracts/identities/identities.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { call } from '../../../api.ts';
import { useLoad } from '../../../load.ts';
import { navigate, searchParameters } from '../../../router.ts';
import { Await } from '../../../ui/await.tsx';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/confirm.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { ForRoles } from '../../../ui/for-roles.tsx';
import type { OrganizationProps } from '../../../ui/in-organization.tsx';
import { Leaked } from '../../../ui/leaked.tsx';
import { Page, Section } from '../../../ui/page.tsx';
import { scopeInWords } from '../../../ui/scope-fields.tsx';
import { LastUsed, Time } from '../../../ui/time.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { EditIdentity } from './edit-identity.tsx';
import { JobSetup } from './job-setup.tsx';
import { Trust } from './trust.tsx';
import { TryToken } from './try-token.tsx';

interface Params {
  orgId: string;
  identityId: string;
}

export function IdentityScreen({ organization, parameters }: OrganizationProps) {
  return (
    <ForRoles organization={organization} operation="get-identity" heading="Identity" doing="see identities">
      <OneIdentity organization={organization} params={{ orgId: organization.id, identityId: parameters.id ?? '' }} />
    </ForRoles>
  );
}

function OneIdentity({ organization, params }: { organization: OwnOrganization; params: Params }) {
  const loaded = useLoad(params.identityId, async signal => {
    const [{ identity }, { projects }] = await Promise.all([
      call('GET /v1/identities/{orgId}/{identityId}', { params, signal }),
      call('GET /v1/projects/{orgId}', { params: { orgId: organization.id }, signal }),
    ]);
    return { identity, projects };
  });
  const isNew = searchParameters().has('new');
  const name = loaded.data?.identity.name ?? 'Identity';
  return (
    <Page
      title={`${name} · ${organization.name}`}
      heading={name}
      lead={
        isNew
          ? 'The identity exists. The last step: copy these lines into the job.'
          : 'An identity of a pipeline or workload.'
      }
      actions={<Leaked slug={organization.slug} type="identity" id={params.identityId} name={name} />}
    >
      <Await of={loaded}>
        {({ identity, projects }) => (
          <>
            {isNew || <IdentityFacts identity={identity} projects={projects} />}
            <JobSetup identity={identity} organization={organization} projects={projects} />
            {isNew && (
              <Section title="The identity">
                <IdentityFacts identity={identity} projects={projects} />
              </Section>
            )}
            <TryToken identity={identity} />
            <EditIdentity identity={identity} params={params} onSaved={loaded.reload} />
            <DeleteIdentity identity={identity} slug={organization.slug} params={params} />
          </>
        )}
      </Await>
    </Page>
  );
}

function IdentityFacts({ identity, projects }: { identity: Identity; projects: readonly Project[] }) {
  const { id, audience, access, role, createdAt, createdBy, lastUsedAt, tokensEndedAt } = identity;
  return (
    <Facts
      facts={[
        ['Id', <span class="mono">{id}</span>],
        ['Audience', <span class="mono">{audience}</span>],
        ['May', `${access} as ${role}`],
        ['In', scopeInWords(identity, projects)],
        ['Trusts', <Trust identity={identity} />],
        ['Created', <CreatedBy at={createdAt} by={createdBy} />],
        ['Last used', <LastUsed at={lastUsedAt} />],
        ...(tokensEndedAt === null ? [] : [['Too many tokens', <EndedTokens at={tokensEndedAt} />] as const]),
      ]}
    />
  );
}

function EndedTokens({ at }: { at: string }) {
  return (
    <>
      A new token last ended an older one, still valid, <Time at={at} />. An identity has at most 100: use several
      identities.
    </>
  );
}

function CreatedBy({ at, by }: { at: string; by: Identity['createdBy'] }) {
  return (
    <>
      <Time at={at} /> by {by?.email ?? 'an unknown user'}
    </>
  );
}

function DeleteIdentity({ identity, slug, params }: { identity: Identity; slug: string; params: Params }) {
  const [confirming, setConfirming] = useState(false);
  return (
    <Section title="Delete" danger>
      <Button kind="danger" onClick={() => setConfirming(true)}>
        Delete identity
      </Button>
      {confirming && (
        <Confirm
          title={`Delete ${identity.name}?`}
          action="Delete"
          onConfirm={async () => {
            await call('DELETE /v1/identities/{orgId}/{identityId}', { params });
            showToast(`Identity ${identity.name} deleted.`);
            navigate(`/organizations/${slug}/identities`);
          }}
          onClose={() => setConfirming(false)}
        >
          <p>Jobs can no longer sign in as this identity, and its tokens stop working at once.</p>
        </Confirm>
      )}
    </Section>
  );
}
