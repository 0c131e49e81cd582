import { environmentTypes } from 'virtual:contracts';
import { useEffect, useState } from 'preact/hooks';
import type { EnvironmentType } from '../../../../../lib/contracts/fields/environment-type.ts';
import type { Environment } from '../../../../../lib/contracts/projects/environment.ts';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { navigate } from '../../router.ts';
import { may, whoMay } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Select } from '../../ui/select.tsx';
import { showToast } from '../../ui/toast.tsx';
import { typesInWords } from './overview.tsx';
import '../../ui/meter.css';
import './settings.css';

export function ProjectSettings({ organization, project, reload }: ProjectProps) {
  const params = { orgId: organization.id, slug: project.slug };
  const [deleting, setDeleting] = useState<'project' | Environment>();
  const whyNot = (operation: string) => (may(operation, organization.role) ? undefined : whoMay(operation));
  const save = useAction(async ({ name = '', description = '' }: Record<string, string>) => {
    await call('PATCH /v1/projects/{orgId}/{slug}', { params, body: { name, description: description || null } });
    showToast('The project is saved.');
    await reload();
  });
  return (
    <Page title={`Settings · ${project.slug}`} heading="Settings">
      <Section title="Project">
        <Form onSubmit={values => void save.run(values)}>
          <Field label="Name" name="name" required maxLength={100} value={project.name} error={save.error} />
          <Field
            label="Description"
            name="description"
            maxLength={1000}
            value={project.description ?? ''}
            error={save.error}
          />
          <Problem error={save.error} />
          <div class="actions">
            <Button type="submit" busy={save.busy} whyNot={whyNot('update-project')}>
              Save
            </Button>
          </div>
        </Form>
      </Section>
      <Section title="Environments">
        <ul class="environment-settings">
          {project.environments.map(environment => (
            <li key={environment.id} class={`railed ${environment.type}`}>
              <EditEnvironment
                environment={environment}
                params={params}
                owner={organization.role === 'owner'}
                whyNot={whyNot('update-environment')}
                onSaved={() => void reload()}
                onDelete={() => setDeleting(environment)}
              />
            </li>
          ))}
        </ul>
      </Section>
      <Rotation {...{ organization, project, reload }} whyNot={whyNot('rotate-key')} />
      <Section title="Delete" danger lead="The project is out of reach at once; its data key is destroyed with it.">
        <Button kind="danger" onClick={() => setDeleting('project')} whyNot={whyNot('delete-project')}>
          Delete project
        </Button>
      </Section>
      {deleting === 'project' && (
        <Confirm
          title={`Delete ${project.name}`}
          action="Delete for good"
          word={project.slug}
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            await call('DELETE /v1/projects/{orgId}/{slug}', { params });
            navigate(`/organizations/${organization.slug}`, { replace: true });
          }}
        >
          <p>Every environment and secret of it goes, history included. This can’t be undone.</p>
        </Confirm>
      )}
      {deleting !== undefined && deleting !== 'project' && (
        <Confirm
          title={`Delete ${deleting.name}`}
          action="Delete for good"
          word={deleting.slug}
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            await call('DELETE /v1/projects/{orgId}/{slug}/environments/{env}', {
              params: { ...params, env: deleting.slug },
            });
            showToast(`${deleting.slug} is deleted.`);
            await reload();
          }}
        >
          <p>Its secrets and their history go. This can’t be undone.</p>
        </Confirm>
      )}
    </Page>
  );
}

interface EditProps {
  environment: Environment;
  params: { orgId: string; slug: string };
  owner: boolean;
  whyNot: string | undefined;
  onSaved: () => void;
  onDelete: () => void;
}

function EditEnvironment({ environment, params, owner, whyNot, onSaved, onDelete }: EditProps) {
  const [type, setType] = useState<EnvironmentType>(environment.type);
  const save = useAction(async ({ name = '' }: Record<string, string>) => {
    await call('PATCH /v1/projects/{orgId}/{slug}/environments/{env}', {
      params: { ...params, env: environment.slug },
      body: { name, ...(type === environment.type ? {} : { type }) },
    });
    showToast(`${environment.slug} is saved.`);
    onSaved();
  });
  return (
    <Form label={environment.slug} onSubmit={values => void save.run(values)}>
      <p>
        <EnvironmentMark type={environment.type} name={environment.slug} />
      </p>
      <div class="grid">
        <Field label="Name" name="name" required maxLength={100} value={environment.name} error={save.error} />
        <Select
          label="Type"
          value={type}
          options={environmentTypes.map(name => [name, name])}
          onChange={value => setType(value as EnvironmentType)}
          hint={owner ? typesInWords[type] : 'It decides who may read, so only owners change it.'}
          disabled={!owner}
        />
      </div>
      <Problem error={save.error} />
      <div class="actions">
        <Button type="submit" busy={save.busy} label={`Save ${environment.slug}`} disabled={whyNot !== undefined}>
          Save
        </Button>
        <Button kind="quiet" label={`Delete ${environment.slug}`} onClick={onDelete} whyNot={whyNot}>
          Delete …
        </Button>
      </div>
    </Form>
  );
}

function Rotation({
  organization,
  project,
  reload,
  whyNot,
}: Omit<ProjectProps, 'parameters'> & { whyNot: string | undefined }) {
  const [confirming, setConfirming] = useState(false);
  const { rotation } = project;
  const running = rotation?.status === 'in_progress';
  useEffect(() => {
    if (!running) return;
    const timer = window.setInterval(() => void reload(), 1500);
    return () => window.clearInterval(timer);
  }, [running]);
  return (
    <Section
      title="Encryption key"
      lead="Every value of this project is encrypted with a key of its own. Rotating makes a new one and encrypts everything again, history included. Reads and writes go on."
    >
      <p>
        Version <strong class="mono">{project.keyVersion}</strong>
      </p>
      {rotation !== null && (
        <p>
          {running ? 'Encrypting again: ' : `Rotated from ${rotation.fromVersion} to ${rotation.toVersion}: `}
          <span class="mono">
            {rotation.reencrypted.toLocaleString('en')} of {rotation.total.toLocaleString('en')}
          </span>{' '}
          {running && <progress max={Math.max(1, rotation.total)} value={rotation.reencrypted} aria-label="Rotation" />}
        </p>
      )}
      <Button onClick={() => setConfirming(true)} disabled={running} whyNot={whyNot}>
        Rotate the key
      </Button>
      {confirming && (
        <Confirm
          title="Rotate the encryption key"
          action="Rotate"
          danger={false}
          onClose={() => setConfirming(false)}
          onConfirm={async () => {
            await call('POST /v1/projects/{orgId}/{slug}/rotate-key', {
              params: { orgId: organization.id, slug: project.slug },
            });
            await reload();
          }}
        >
          <p>When it is done, nothing is left under the old key, and the old key is deleted.</p>
        </Confirm>
      )}
    </Section>
  );
}
