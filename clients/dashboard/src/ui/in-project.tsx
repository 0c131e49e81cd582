import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import type { ComponentChildren } from 'preact';
import { call } from '../api.ts';
import { useLoad } from '../load.ts';
import { Await } from './await.tsx';
import { EnvironmentMark } from './environment-mark.tsx';
import { Tabs } from './tabs.tsx';

export interface ProjectProps {
  organization: OwnOrganization;
  project: Project;
  parameters: Record<string, string>;
  reload: () => Promise<void>;
}

export function InProject({
  organization,
  slug,
  children,
}: {
  organization: OwnOrganization;
  slug: string;
  children: (project: Project, reload: () => Promise<void>) => ComponentChildren;
}) {
  const loaded = useLoad(`${organization.id}/${slug}`, async signal => {
    const { project } = await call('GET /v1/projects/{orgId}/{slug}', {
      params: { orgId: organization.id, slug },
      signal,
    });
    return project;
  });
  const base = `/organizations/${organization.slug}/projects/${slug}`;
  return (
    <Await of={loaded}>
      {project => (
        <>
          <Tabs
            label={project.name}
            tabs={[
              [base, 'Overview'],
              ...project.environments.map(
                ({ slug: environment, name, type }) =>
                  [
                    `${base}/environments/${environment}`,
                    <EnvironmentMark key={environment} type={type} name={name} />,
                  ] as const,
              ),
              [`${base}/compare`, 'Compare'],
              [`${base}/promote`, 'Promote'],
              [`${base}/template`, 'Template'],
              [`${base}/settings`, 'Settings'],
            ]}
          />
          {children(project, loaded.reload)}
        </>
      )}
    </Await>
  );
}
