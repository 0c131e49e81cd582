import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { addressFlag } from '../../router.ts';
import { may, whoMay, whyNot } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/count.ts';
import { DuePanel } from '../../ui/due-panel.tsx';
import { Empty } from '../../ui/empty.tsx';
import { EnvironmentMark } from '../../ui/environment-mark.tsx';
import { FirstSteps } from '../../ui/first-steps.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { Page } from '../../ui/page.tsx';
import { NewProject } from './new-project.tsx';
import './projects.css';

export function Projects({ organization }: OrganizationProps) {
  const { id: orgId, name, slug, role } = organization;
  const [creating, setCreating] = addressFlag('new');
  const projects = useLoad(
    orgId,
    async signal => (await call('GET /v1/projects/{orgId}', { params: { orgId }, signal })).projects,
  );
  return (
    <Page
      title={`Projects · ${name}`}
      heading={name}
      actions={
        <Button kind="primary" onClick={() => setCreating(true)} whyNot={whyNot('create-project', role)}>
          New project
        </Button>
      }
    >
      <Await of={projects}>
        {list =>
          list.length === 0 ? (
            <NoProjects organization={organization} onCreate={() => setCreating(true)} />
          ) : (
            <>
              <DuePanel organization={organization} projects={list} />
              <ul class="ledger">
                {list.map(project => (
                  <ProjectLine
                    key={project.id}
                    project={project}
                    base={`/organizations/${slug}/projects/${project.slug}`}
                  />
                ))}
              </ul>
            </>
          )
        }
      </Await>
      {creating && <NewProject organization={organization} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NoProjects({
  organization: { slug, role },
  onCreate,
}: {
  organization: OwnOrganization;
  onCreate: () => void;
}) {
  return (
    <Empty title="No projects yet.">
      <p>
        A project holds the secrets of one application, with a separate set for each environment. Each project has its
        own encryption key.
      </p>
      {may('create-project', role) ? (
        <>
          <p>
            <button type="button" class="link" onClick={onCreate}>
              Create one here
            </button>
            , and add or paste its secrets in the browser. Or work from a terminal:
          </p>
          <FirstSteps organization={slug} />
        </>
      ) : (
        <p>{whoMay('create-project', 'create one')}</p>
      )}
    </Empty>
  );
}

function ProjectLine({ project, base }: { project: Project; base: string }) {
  const { slug, name, description, environments } = project;
  return (
    <li>
      <h2>
        <a class="mono key" href={base}>
          {slug}
        </a>
        <span class="quiet"> {name}</span>
      </h2>
      {description && <p class="quiet">{description}</p>}
      <ul class="environments">
        {environments.map(environment => (
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
}
