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
}

export function scopeInWords({ projectId, environmentId }: Scoped, projects: readonly Project[]): string {
  if (projectId === null) return 'everything';
  const project = projects.find(({ id }) => id === projectId);
  if (project === undefined) return 'a deleted project';
  const environment = project.environments.find(({ id }) => id === environmentId);
  return environment === undefined ? project.slug : `${project.slug} / ${environment.slug}`;
}
