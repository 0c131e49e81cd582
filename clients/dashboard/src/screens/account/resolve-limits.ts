import { call } from '../../api.ts';
import { organizationBySlug, session } from '../../session.ts';
import type { TokenChoice } from './token-fields.tsx';

export interface Asked {
  choice: TokenChoice;
  /** What it asked for that this user doesn't have. */
  missing?: string;
}

/**
 * Resolves the requested slugs to ids. A slug that can't be resolved is an error, so that the token never gets wider.
 */
export async function resolveLimits(query: URLSearchParams): Promise<Asked> {
  const choice: TokenChoice = {
    access: (['read', 'write', 'full'] as const).find(access => access === query.get('access')) ?? 'write',
    organizationId: session.value?.confinedTo?.id ?? '',
    projectId: '',
    environmentId: '',
    expiresInDays: /^\d{1,3}$/.test(query.get('expiresInDays') ?? '') ? (query.get('expiresInDays') ?? '') : '90',
  };
  const [organizationSlug, projectSlug, environmentSlug] = ['organization', 'project', 'environment'].map(name =>
    query.get(name),
  );
  if (!organizationSlug) {
    return projectSlug || environmentSlug ? { choice, missing: 'a project without its organization' } : { choice };
  }
  const organization = organizationBySlug(organizationSlug);
  if (organization === undefined) return { choice, missing: `the organization ${organizationSlug}` };
  choice.organizationId = organization.id;
  if (!projectSlug) return environmentSlug ? { choice, missing: 'an environment without its project' } : { choice };
  const { projects } = await call('GET /v1/projects/{orgId}', { params: { orgId: organization.id } });
  const project = projects.find(({ slug }) => slug === projectSlug);
  if (project === undefined) return { choice, missing: `the project ${projectSlug}` };
  choice.projectId = project.id;
  if (!environmentSlug) return { choice };
  const environment = project.environments.find(({ slug }) => slug === environmentSlug);
  if (environment === undefined) return { choice, missing: `the environment ${environmentSlug}` };
  choice.environmentId = environment.id;
  return { choice };
}
