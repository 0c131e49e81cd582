import type { TemplateKey } from '@holdfast/contracts/templates/templates.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { DescribeKey } from '../../secrets/describe-key.tsx';
import { may, whoMay } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty } from '../../ui/empty.tsx';
import { roleMay } from '../../ui/environment-rights.ts';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { EnvironmentChecks } from './environment-checks.tsx';
import { TemplateKeys } from './template-keys.tsx';

export function Template({ organization, project }: ProjectProps) {
  const params = { orgSlug: organization.slug, project: project.slug };
  const [editing, setEditing] = useState<TemplateKey | 'new'>();
  const [removing, setRemoving] = useState<string>();
  const { environments } = project;
  const loaded = useTemplate(params, project);
  const whyNot = may('add-template-key', organization.role) ? undefined : whoMay('add-template-key');
  return (
    <Page
      title={`Template · ${project.slug}`}
      heading="Template"
      lead="What the keys of this project are for, and which of them every environment must have."
      actions={
        <Button kind="primary" onClick={() => setEditing('new')} whyNot={whyNot}>
          Add key
        </Button>
      }
    >
      <Await of={loaded}>
        {({ keys, checks }) =>
          keys.length === 0 ? (
            <Empty title="No keys in the template yet.">
              <p>
                Describe a key once for all environments: what it is for, who renews it and when it is due. Keys that
                are required are checked in every environment.
              </p>
            </Empty>
          ) : (
            <>
              <TemplateKeys
                slug={organization.slug}
                {...{ keys, environments }}
                changeable={whyNot === undefined}
                onEdit={setEditing}
                onRemove={setRemoving}
              />
              <Section title="Environments against the template">
                <EnvironmentChecks
                  environments={environments}
                  checks={checks}
                  setAt={({ slug, type }, key) =>
                    roleMay('write', organization.role, type)
                      ? `/organizations/${organization.slug}/projects/${project.slug}/environments/${slug}?set=${encodeURIComponent(key)}`
                      : undefined
                  }
                />
              </Section>
            </>
          )
        }
      </Await>
      {editing !== undefined && (
        <DescribeKey
          {...{ params, environments }}
          known={editing === 'new' ? undefined : editing}
          required
          onClose={() => setEditing(undefined)}
          onSaved={loaded.reload}
        />
      )}
      {removing !== undefined && (
        <ConfirmRemoval
          of={removing}
          params={params}
          onClose={() => setRemoving(undefined)}
          onRemoved={loaded.reload}
        />
      )}
    </Page>
  );
}

/** The template's keys, and the check of each environment against them. */
function useTemplate(params: { orgSlug: string; project: string }, { id, environments }: ProjectProps['project']) {
  return useLoad(id, async signal => {
    const [{ keys }, ...checks] = await Promise.all([
      call('GET /v1/templates/{orgSlug}/{project}', { params, signal }),
      ...environments.map(({ slug }) =>
        call('GET /v1/templates/{orgSlug}/{project}/validate/{env}', { params: { ...params, env: slug }, signal }),
      ),
    ]);
    return { keys, checks };
  });
}

interface ConfirmRemovalProps {
  of: string;
  params: { orgSlug: string; project: string };
  onClose: () => void;
  onRemoved: () => Promise<void>;
}

function ConfirmRemoval({ of: key, params, onClose, onRemoved }: ConfirmRemovalProps) {
  return (
    <Confirm
      title="Remove from the template"
      action="Remove"
      onClose={onClose}
      onConfirm={async () => {
        await call('DELETE /v1/templates/{orgSlug}/{project}/{key}', { params: { ...params, key } });
        await onRemoved();
      }}
    >
      <p>
        <span class="mono key">{key}</span> loses its description, its owner and its due dates, and is no longer
        required. Existing secrets with this key don’t change.
      </p>
    </Confirm>
  );
}
