import { environmentTypes } from 'virtual:contracts';
import { useState } from 'preact/hooks';
import type { EnvironmentType } from '../../../../../lib/contracts/fields/environment-type.ts';
import { call, type Refusal } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { may, whoMay } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/count.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Select } from '../../ui/select.tsx';
import { roleMay } from './environment.tsx';
import './overview.css';

/** The most keys laid out against the environments; an environment's own page shows all of its keys. */
const shownKeys = 500;

export function ProjectOverview({ organization, project, reload }: ProjectProps) {
  const [creating, setCreating] = useState(false);
  const base = `/organizations/${organization.slug}/projects/${project.slug}`;
  const readable = project.environments.filter(({ type }) => roleMay('read', organization.role, type));
  const loaded = useLoad(
    `${project.id} ${project.environments.map(({ id, revision }) => `${id} ${revision}`)}`,
    async signal =>
      Promise.all(
        readable.map(async environment => {
          const { keys } = await call('GET /v1/secrets/{orgSlug}/{project}/{env}/keys', {
            params: { orgSlug: organization.slug, project: project.slug, env: environment.slug },
            signal,
          });
          return { environment, versions: new Map(keys.map(({ key, version }) => [key, version])) };
        }),
      ),
  );
  return (
    <Page
      title={`${project.slug} · ${organization.name}`}
      heading={project.name}
      lead={project.description ?? <span class="mono">{project.slug}</span>}
      actions={
        <Button
          onClick={() => setCreating(true)}
          whyNot={may('create-environment', organization.role) ? undefined : whoMay('create-environment')}
        >
          New environment
        </Button>
      }
    >
      <ul class="environment-cards">
        {project.environments.map(environment => (
          <li key={environment.id} class={`railed ${environment.type}`}>
            <a href={`${base}/environments/${environment.slug}`}>
              <EnvironmentMark type={environment.type} name={environment.name} />
            </a>
            <span class="quiet">
              {count(environment.secretCount, 'secret')} · revision <span class="mono">{environment.revision}</span>
            </span>
            {!readable.includes(environment) && (
              <span class="quiet">
                {roleMay('write', organization.role, environment.type) ? 'write only' : 'no access'}
              </span>
            )}
          </li>
        ))}
      </ul>
      <Await of={loaded} rows={8}>
        {lists => {
          const all = [...new Set(lists.flatMap(({ versions }) => [...versions.keys()]))].toSorted();
          if (all.length === 0) return <Empty title="No secrets yet.">Choose an environment to add some.</Empty>;
          return (
            <div class="matrix-frame" tabIndex={0} role="group" aria-label="Keys by environment">
              <table class="matrix">
                <caption class="visually-hidden">Which environment has which key</caption>
                <thead>
                  <tr>
                    <th scope="col">Key</th>
                    {lists.map(({ environment }) => (
                      <th key={environment.id} scope="col">
                        <EnvironmentMark type={environment.type} name={environment.slug} />
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {all.slice(0, shownKeys).map(key => (
                    <tr key={key}>
                      <th scope="row" class="mono key">
                        {key}
                      </th>
                      {lists.map(({ environment, versions }) => (
                        <td key={environment.id}>
                          {versions.has(key) ? (
                            <span class="mono">v{versions.get(key)}</span>
                          ) : (
                            <span class="missing">missing</span>
                          )}
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
              {all.length > shownKeys && (
                <p class="quiet">
                  And {count(all.length - shownKeys, 'more key')}; open an environment to see all of its.
                </p>
              )}
            </div>
          );
        }}
      </Await>
      {creating && (
        <NewEnvironment
          orgId={organization.id}
          slug={project.slug}
          onClose={() => setCreating(false)}
          onCreated={() => void reload()}
        />
      )}
    </Page>
  );
}

export const typesInWords: Readonly<Record<EnvironmentType, string>> = {
  development: 'Read by everybody, written by all but viewers.',
  staging: 'Read and written by developers, admins and owners.',
  production: 'Read by admins and owners; developers write it without reading.',
};

function NewEnvironment({
  orgId,
  slug,
  onClose,
  onCreated,
}: {
  orgId: string;
  slug: string;
  onClose: () => void;
  onCreated: () => void;
}) {
  const [type, setType] = useState<EnvironmentType>('production');
  const create = useAction(async (values: Record<string, string>) => {
    await call('POST /v1/projects/{orgId}/{slug}/environments', {
      params: { orgId, slug },
      body: { name: values.name ?? '', type, ...(values.slug ? { slug: values.slug } : {}) },
    });
    onCreated();
    onClose();
  });
  return (
    <Dialog title="New environment" onClose={onClose}>
      <Form onSubmit={values => void create.run(values)}>
        <Field label="Name" name="name" required maxLength={100} error={create.error} />
        <Field
          label="Slug (optional)"
          name="slug"
          mono
          maxLength={48}
          hint="Stands in addresses and never changes."
          error={create.error}
        />
        <Select
          label="Type"
          value={type}
          options={environmentTypes.map(name => [name, name])}
          onChange={value => setType(value as EnvironmentType)}
          hint={typesInWords[type]}
        />
        <Problem error={create.error as Refusal | undefined} />
        <FormActions busy={create.busy} onClose={onClose}>
          Create environment
        </FormActions>
      </Form>
    </Dialog>
  );
}
