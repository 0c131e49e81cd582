import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { roleInProject } from '@holdfast/contracts/fields/role-in-project.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import type { ComponentChildren } from 'preact';
import { call, Refusal } from '../api.ts';
import { useLoad } from '../load.ts';
import { Await } from './await.tsx';
import { EnvironmentMark } from './environment-mark.tsx';
import { NothingHere, named } from './nothing-here.tsx';
import { Tabs } from './tabs.tsx';

export interface ProjectProps {
  organization: OwnOrganization;
  project: Project;
  parameters: Record<string, string>;
  reload: () => Promise<void>;
}

/** The organization with the role that counts in the project. */
export function asInProject(organization: OwnOrganization, { id }: Pick<Project, 'id'>): OwnOrganization {
  return { ...organization, role: roleInProject(organization, id)?.role ?? organization.role };
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
  const isMissing = loaded.error instanceof Refusal && loaded.error.code === 'project_not_found';
  if (isMissing && loaded.data === undefined) return <NoSuchProject organization={organization} slug={slug} />;
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
              ...(organization.limited ? [] : [[`${base}/people`, 'People'] as const]),
              [`${base}/settings`, 'Settings'],
            ]}
          />
          {children(project, loaded.reload)}
        </>
      )}
    </Await>
  );
}

function NoSuchProject({
  organization: { id, slug: own, name },
  slug,
}: {
  organization: OwnOrganization;
  slug: string;
}) {
  const projects = useLoad(id, signal => call('GET /v1/projects/{orgId}', { params: { orgId: id }, signal }));
  return (
    <Await of={projects}>
      {({ projects: list }) => (
        <NothingHere
          reason={`${name} has no ${named('project', slug)}.`}
          wrong={slug}
          names={list.map(project => project.slug)}
          pathOf={project => `/organizations/${own}/projects/${project}`}
          back={[`All projects of ${name}`, `/organizations/${own}`]}
        />
      )}
    </Await>
  );
}

/** The page for an environment that the project doesn't have. */
export function NoSuchEnvironment({ organization, project, parameters: { env = '' } }: ProjectProps) {
  const base = `/organizations/${organization.slug}/projects/${project.slug}`;
  return (
    <NothingHere
      reason={`${project.name} has no ${named('environment', env)}.`}
      wrong={env}
      names={project.environments.map(({ slug }) => slug)}
      pathOf={slug => `${base}/environments/${slug}`}
      back={[`Overview of ${project.name}`, base]}
    />
  );
}
