import { useState } from 'preact/hooks';
import type { OwnOrganization } from '../../../../../lib/contracts/auth/own-organization.ts';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { navigate } from '../../router.ts';
import { may, whoMay } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/count.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import './projects.css';

export function Projects({ organization }: OrganizationProps) {
  const [creating, setCreating] = useState(false);
  const projects = useLoad(
    organization.id,
    async signal => (await call('GET /v1/projects/{orgId}', { params: { orgId: organization.id }, signal })).projects,
  );
  const whyNot = may('create-project', organization.role) ? undefined : whoMay('create-project');
  const create = (
    <Button kind="primary" onClick={() => setCreating(true)} whyNot={whyNot}>
      New project
    </Button>
  );
  return (
    <Page title={`Projects · ${organization.name}`} heading={organization.name} actions={create}>
      <Await of={projects}>
        {list =>
          list.length === 0 ? (
            <Empty title="No projects yet.">
              <p>
                A project holds the secrets of one application: one set for each environment, encrypted with a key of
                its own.
              </p>
            </Empty>
          ) : (
            <ul class="ledger">
              {list.map(project => {
                const base = `/organizations/${organization.slug}/projects/${project.slug}`;
                return (
                  <li key={project.id}>
                    <h2>
                      <a class="mono key" href={base}>
                        {project.slug}
                      </a>
                      <span class="quiet"> {project.name}</span>
                    </h2>
                    {project.description && <p class="quiet">{project.description}</p>}
                    <ul class="environments">
                      {project.environments.map(environment => (
                        <li key={environment.id}>
                          <a href={`${base}/environments/${environment.slug}`}>
                            <EnvironmentMark type={environment.type} name={environment.name} />
                            <span class="quiet">{count(environment.secretCount, 'secret')}</span>
                          </a>
                        </li>
                      ))}
                    </ul>
                  </li>
                );
              })}
            </ul>
          )
        }
      </Await>
      {creating && <NewProject organization={organization} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NewProject({ organization, onClose }: { organization: OwnOrganization; onClose: () => void }) {
  const create = useAction(async ({ name = '', slug, description }: Record<string, string>) => {
    const { project } = await call('POST /v1/projects/{orgId}', {
      params: { orgId: organization.id },
      body: { name, ...(slug ? { slug } : {}), ...(description ? { description } : {}) },
    });
    onClose();
    navigate(`/organizations/${organization.slug}/projects/${project.slug}`);
  });
  return (
    <Dialog title="New project" onClose={onClose}>
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
        <Field label="Description (optional)" name="description" maxLength={1000} error={create.error} />
        <p class="hint">It begins with three environments: dev, staging and production.</p>
        <Problem error={create.error} />
        <FormActions busy={create.busy} onClose={onClose}>
          Create project
        </FormActions>
      </Form>
    </Dialog>
  );
}
