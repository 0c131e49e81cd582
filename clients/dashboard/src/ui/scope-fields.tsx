import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { Select } from './select.tsx';

/** The scope of a token, an identity or a webhook. An empty id means no limit. */
export interface Scope {
  projectId: string;
  environmentId: string;
}

export const everywhere: Scope = { projectId: '', environmentId: '' };

interface ScopeFieldsProps {
  projects: readonly Project[];
  scope: Scope;
  onChange: (scope: Scope) => void;
  /** How far it must be limited. */
  required?: 'project' | 'environment' | undefined;
}

export function ScopeFields({ projects, scope, onChange, required }: ScopeFieldsProps) {
  const project = projects.find(({ id }) => id === scope.projectId);
  return (
    <>
      <Select
        label="Project"
        value={scope.projectId}
        required={required !== undefined}
        options={[
          ['', required === undefined ? 'All projects' : 'Choose a project'],
          ...projects.map(({ id, slug }) => [id, slug] as const),
        ]}
        onChange={projectId => onChange({ projectId, environmentId: '' })}
      />
      {project !== undefined && (
        <Select
          label="Environment"
          value={scope.environmentId}
          required={required === 'environment'}
          options={[
            ['', required === 'environment' ? 'Choose an environment' : 'All environments'],
            ...project.environments.map(({ id, slug }) => [id, slug] as const),
          ]}
          onChange={environmentId => onChange({ ...scope, environmentId })}
        />
      )}
    </>
  );
}

/** The chosen limits, in the form of the API. */
export function scopeBody({ projectId, environmentId }: Scope) {
  return {
    ...(projectId === '' ? {} : { projectId }),
    ...(environmentId === '' ? {} : { environmentId }),
  };
}

interface Scoped {
  projectId: string | null;
  environmentId: string | null;
  /** Several environments of any projects. */
  environmentIds?: readonly string[] | null;
}

export function scopeInWords(
  { projectId, environmentId, environmentIds }: Scoped,
  projects: readonly Project[],
): string {
  if (environmentIds != null) return environmentIds.map(id => environmentInWords(id, projects)).join(', ');
  if (projectId === null) return 'everything';
  const project = projects.find(({ id }) => id === projectId);
  if (project === undefined) return 'a deleted project';
  const environment = project.environments.find(({ id }) => id === environmentId);
  return environment === undefined ? project.slug : `${project.slug} / ${environment.slug}`;
}

function environmentInWords(id: string, projects: readonly Project[]): string {
  const found = findEnvironment(id, projects);
  return found === undefined ? 'a deleted environment' : `${found.project} / ${found.environment}`;
}

/** The slugs of an environment and its project; undefined if it was deleted. */
export function findEnvironment(id: string, projects: readonly Project[]) {
  const project = projects.find(({ environments }) => environments.some(one => one.id === id));
  const environment = project?.environments.find(one => one.id === id);
  return project && environment && { project: project.slug, environment: environment.slug };
}
