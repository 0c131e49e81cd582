import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { roleInProject } from '@holdfast/contracts/fields/role-in-project.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import type { ComponentChildren } from 'preact';
import { call, Refusal } from '../api.ts';
import { useLoad } from '../load.ts';
import { Await } from './await.tsx';
import { EnvironmentMark } from './environment-mark.tsx';
import { NothingHere, named } from './nothing-here.tsx';
import { useOpenProposals } from './open-proposals.ts';
import { Tabs } from './tabs.tsx';

export interface ProjectProps {
  organization: OwnOrganization;
  project: Project;
  parameters: Record<string, string>;
  reload: () => Promise<void>;
}

/** The organization with the role that counts in the project. Whom only a grant lets in counts as a viewer. */
export function asInProject(organization: OwnOrganization, { id }: Pick<Project, 'id'>): OwnOrganization {
  return { ...organization, role: roleInProject(organization, id)?.role ?? 'viewer' };
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
  const open = useOpenProposals(organization, loaded.data);
  const reload = async () => {
    await Promise.all([loaded.reload(), open.reload()]);
  };
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
                ({ id, slug: environment, name, type }) =>
                  [
                    `${base}/environments/${environment}`,
                    <EnvironmentTab key={environment} type={type} name={name} open={open.countOf(id)} />,
                  ] as const,
              ),
              [`${base}/compare`, 'Compare'],
              [`${base}/promote`, 'Promote'],
              [`${base}/template`, 'Template'],
              ...(organization.limited ? [] : [[`${base}/people`, 'People'] as const]),
              [`${base}/settings`, 'Settings'],
            ]}
          />
          {children(project, reload)}
        </>
      )}
    </Await>
  );
}

/** An environment's name, with the number of its proposals that are open. */
function EnvironmentTab({ open, ...of }: Parameters<typeof EnvironmentMark>[0] & { open: number }) {
  return (
    <>
      <EnvironmentMark {...of} />
      {open > 0 && (
        <span class="count">
          {open}
          <span class="visually-hidden"> open {open === 1 ? 'proposal' : 'proposals'}</span>
        </span>
      )}
    </>
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
