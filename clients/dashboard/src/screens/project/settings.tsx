import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { keepDays } from '../../keep-days.ts';
import { useAction } from '../../load.ts';
import { may, whoMay } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { showToast } from '../../ui/toast.tsx';
import { ConfirmDeletion } from './confirm-deletion.tsx';
import { EditEnvironment } from './edit-environment.tsx';
import { Rotation } from './rotation.tsx';
import './project.css';

export function ProjectSettings({ organization, project, reload }: ProjectProps) {
  const params = { orgId: organization.id, slug: project.slug };
  const [deleting, setDeleting] = useState<'project' | Environment>();
  const whyNot = (operation: string) => (may(operation, organization.role) ? undefined : whoMay(operation));
  return (
    <Page title={`Settings · ${project.slug}`} heading="Settings">
      <Section title="Project">
        <EditProject {...{ project, params, reload }} whyNot={whyNot('update-project')} />
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
                onSaved={reload}
                onDelete={() => setDeleting(environment)}
              />
            </li>
          ))}
        </ul>
      </Section>
      <Rotation {...{ params, project, reload }} whyNot={whyNot('rotate-key')} />
      <Section
        title="Delete"
        danger
        lead={`The project becomes inaccessible at once. An owner can restore it for ${keepDays} days, then its data key is destroyed.`}
      >
        <Button kind="danger" onClick={() => setDeleting('project')} whyNot={whyNot('delete-project')}>
          Delete project
        </Button>
      </Section>
      {deleting !== undefined && (
        <ConfirmDeletion {...{ organization, project, reload }} of={deleting} onClose={() => setDeleting(undefined)} />
      )}
    </Page>
  );
}

interface EditProjectProps extends Pick<ProjectProps, 'project' | 'reload'> {
  params: { orgId: string; slug: string };
  whyNot: string | undefined;
}

function EditProject({ project, params, reload, whyNot }: EditProjectProps) {
  const save = useAction(async ({ name = '', description = '' }: Record<string, string>) => {
    await call('PATCH /v1/projects/{orgId}/{slug}', { params, body: { name, description: description || null } });
    showToast('Project saved.');
    await reload();
  });
  return (
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
        <Button type="submit" busy={save.busy} whyNot={whyNot}>
          Save
        </Button>
      </div>
    </Form>
  );
}
