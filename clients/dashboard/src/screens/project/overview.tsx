import { useState } from 'preact/hooks';
import { may, whoMay } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/count.ts';
import { DuePanel } from '../../ui/due-panel.tsx';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import { roleMay } from '../../ui/environment-rights.ts';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Page } from '../../ui/page.tsx';
import { Grid } from './grid.tsx';
import { NewEnvironment } from './new-environment.tsx';
import './project.css';

export function ProjectOverview({ organization, project, reload }: ProjectProps) {
  const [creating, setCreating] = useState(false);
  // Many environments would push the grid, whose header links to them, out of sight.
  const many = project.environments.length > 6;
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
      {!many && <Environments organization={organization} project={project} />}
      <DuePanel organization={organization} projects={[project]} />
      <Grid organization={organization} project={project} reload={reload} />
      {many && <Environments organization={organization} project={project} />}
      {creating && (
        <NewEnvironment
          params={{ orgId: organization.id, slug: project.slug }}
          onClose={() => setCreating(false)}
          onCreated={reload}
        />
      )}
    </Page>
  );
}

function Environments({ organization, project }: Pick<ProjectProps, 'organization' | 'project'>) {
  const { role } = organization;
  return (
    <ul class="environment-cards">
      {project.environments.map(({ id, slug, name, type, secretCount, revision, approvals }) => (
        <li key={id} class={`railed ${type}`}>
          <a href={`/organizations/${organization.slug}/projects/${project.slug}/environments/${slug}`}>
            <EnvironmentMark type={type} name={name} />
          </a>
          <span class="quiet">
            {count(secretCount, 'secret')} · revision <span class="mono">{revision}</span>
          </span>
          {approvals > 0 && <span class="quiet">{count(approvals, 'approval')} needed</span>}
          {!roleMay('read', role, type) && (
            <span class="quiet">{roleMay('write', role, type) ? 'write only' : 'no access'}</span>
          )}
        </li>
      ))}
    </ul>
  );
}
